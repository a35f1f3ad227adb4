/** The form that a value must have. The whole configuration is one tree of these, see `table.ts`. */
export type Spec = ScalarSpec | AnySpec | ListSpec | MapSpec | SectionSpec | EitherSpec;

export type ScalarSpec = BooleanSpec | NumberSpec | TextSpec | UrlSpec | ChoiceSpec | LooseSpec;

export interface BooleanSpec {
  readonly kind: "boolean";
}

/** The kind `seconds` takes a number or a text such as `"30s"`. */
export interface NumberSpec {
  readonly kind: "integer" | "number" | "seconds";
  readonly min?: number;
  /** Exclusive lower bound. */
  readonly above?: number;
  readonly max?: number;
}

/** Matches the path of a module, where other values are names. */
export const MODULE_PATH: RegExp = /^\.{0,2}\//;

export interface TextSpec {
  readonly kind: "text";
  /** A path, resolved against the folder of the file (or the current folder, when a flag or the environment gives it). */
  readonly path?: boolean;
  /** A text that {@link MODULE_PATH} matches is a path; any other is the name of a package, and left as it is. */
  readonly module?: boolean;
  /** The form that the text must have (`is`), the words for it in a message (`says`), and advice for a text that does not fit (`hint`). */
  readonly pattern?: { readonly is: RegExp; readonly says: string; readonly hint?: (value: string) => string };
}

/** Schemes are written without the colon. `http` URLs lose their trailing slash; relative `sqlite` URLs are resolved like paths. */
export interface UrlSpec {
  readonly kind: "url";
  readonly schemes: readonly string[];
  /** The key of the same section with which a URL may have any other scheme; it is left as it is then. Default: none. */
  readonly freeWith?: string;
  /** `true`: any scheme. Default: `false`. */
  readonly isFree?: boolean;
}

/** Values are compared in lower case, and `-` counts as `_`. `aliases` are accepted and replaced by the choice that they stand for. */
export interface ChoiceSpec {
  readonly kind: "choice";
  readonly choices: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
  /** A value that begins with `./`, `../` or `/` is the path of a module, resolved like other paths. Default: `false`. */
  readonly orModule?: boolean;
}

/** Text, number or boolean, kept as the text that was written: the value of an environment variable. */
export interface LooseSpec {
  readonly kind: "loose";
}

/** Any value that YAML can express, unchanged, such as the body of a request. */
export interface AnySpec {
  readonly kind: "any";
}

export interface ListSpec {
  readonly kind: "list";
  readonly of: Spec;
  readonly minItems?: number;
}

/** Names that the user chooses, each with a value of one kind. */
export interface MapSpec {
  readonly kind: "map";
  readonly of: Spec;
  /** The form that a name must have. */
  readonly names: RegExp;
}

export interface SectionSpec {
  readonly kind: "section";
  readonly fields: Readonly<Record<string, Field>>;
}

export interface EitherSpec {
  readonly kind: "either";
  readonly of: readonly Spec[];
}

/** One key. */
export interface Field {
  readonly spec: Spec;
  /** One sentence for the schema, the example file and the table. */
  readonly description: string;
  /** The default, as it would be written in the file. Absent: no default. */
  readonly default?: unknown;
  /** `true`: the section is filled in even if it is not written. Other sections (`target`, `retry`) exist only when written. */
  readonly always?: boolean;
  readonly required?: boolean;
  /** The value that the example file shows, when that is not the default. */
  readonly example?: unknown;
}
