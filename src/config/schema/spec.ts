/** The required form of a value. The whole configuration is one tree of specs, see `table.ts`. */
export type Spec = ScalarSpec | AnySpec | ListSpec | MapSpec | SectionSpec | EitherSpec;

export type ScalarSpec = BooleanSpec | NumberSpec | TextSpec | UrlSpec | ChoiceSpec | LooseSpec;

export interface BooleanSpec {
  readonly kind: "boolean";
}

/** A number. `seconds` also accepts a text such as `"30s"`. */
export interface NumberSpec {
  readonly kind: "integer" | "number" | "seconds";
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
}

/** Matches a value that is the path of a module. Other values are names. */
export const MODULE_PATH: RegExp = /^\.{0,2}\//;

export interface TextSpec {
  readonly kind: "text";
  /**
   * `true` if the text is a path. The path is resolved against the folder of the file, or against the current folder if a flag or the environment
   * sets it.
   */
  readonly path?: boolean;
  /**
   * `true` if the text names a module. A text that matches {@link MODULE_PATH} is a path. Any other text is the name of a package and stays
   * unchanged.
   */
  readonly module?: boolean;
  /** The pattern that the text must match (`is`), its description for messages (`says`), and advice for texts that do not match (`hint`). */
  readonly pattern?: { readonly is: RegExp; readonly says: string; readonly hint?: (value: string) => string };
}

/** A URL. `schemes` are written without the colon. `http` URLs lose their trailing slash, and relative paths in `sqlite` and `stub` URLs are resolved like paths. */
export interface UrlSpec {
  readonly kind: "url";
  readonly schemes: readonly string[];
  /** If this key is set in the same section, the URL may have any scheme and stays unchanged. Default: none. */
  readonly freeWith?: string;
  /** `true` if any scheme is allowed. Default: `false`. */
  readonly isFree?: boolean;
}

/** One of several words, compared in lower case with `-` treated as `_`. An alias is accepted and replaced by its choice. */
export interface ChoiceSpec {
  readonly kind: "choice";
  readonly choices: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
  /** `true` if a value that begins with `./`, `../` or `/` is the path of a module, resolved like other paths. Default: `false`. */
  readonly orModule?: boolean;
}

/** Text, a number or a boolean, kept as the text that was written. Used for values of environment variables. */
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

/** Names that the user chooses, with values of one form. */
export interface MapSpec {
  readonly kind: "map";
  readonly of: Spec;
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

export interface Field {
  readonly spec: Spec;
  /** One sentence for the schema, the example file and the table. */
  readonly description: string;
  /** The default, in the form in which it would be written in the file. Not set if there is no default. */
  readonly default?: unknown;
  /** `true` if the section gets its defaults even if the file does not contain it. Other sections (`target`, `retry`) exist only if written. */
  readonly always?: boolean;
  readonly required?: boolean;
  /** The value that the example file shows if there is no default. */
  readonly example?: unknown;
}
