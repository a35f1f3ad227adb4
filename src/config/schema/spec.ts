/** What a value may be. The whole configuration is one tree of these, see `table.ts`. */
export type Spec = ScalarSpec | AnySpec | ListSpec | MapSpec | SectionSpec | EitherSpec;

export type ScalarSpec = BooleanSpec | NumberSpec | TextSpec | UrlSpec | ChoiceSpec | LooseSpec;

export interface BooleanSpec {
  readonly kind: "boolean";
}

/** `seconds` takes a number or a text such as `"30s"`. */
export interface NumberSpec {
  readonly kind: "integer" | "number" | "seconds";
  readonly min?: number;
  /** Exclusive lower bound. */
  readonly above?: number;
  readonly max?: number;
}

export interface TextSpec {
  readonly kind: "text";
  /** A path, resolved against the folder of the file (or the current folder, when a flag or the environment gives it). */
  readonly path?: boolean;
  /** What the text must look like, how to say so, and what to do about one that does not. */
  readonly pattern?: { readonly is: RegExp; readonly says: string; readonly hint?: (value: string) => string };
}

/** `schemes` without the colon. `http` URLs lose their trailing slash, relative `sqlite` ones are resolved like paths. */
export interface UrlSpec {
  readonly kind: "url";
  readonly schemes: readonly string[];
}

/** Compared in lower case with `-` taken for `_`; `aliases` are accepted and replaced. */
export interface ChoiceSpec {
  readonly kind: "choice";
  readonly choices: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
}

/** Text, number or boolean, kept as the text that was written: the value of an environment variable. */
export interface LooseSpec {
  readonly kind: "loose";
}

/** Any value that YAML can say, as it is: a body. */
export interface AnySpec {
  readonly kind: "any";
}

export interface ListSpec {
  readonly kind: "list";
  readonly of: Spec;
  readonly minItems?: number;
}

/** Names of the user's own, each with a value of one kind. */
export interface MapSpec {
  readonly kind: "map";
  readonly of: Spec;
  /** What a name may look like. */
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
  /** As it would be written in the file. Absent: none. */
  readonly default?: unknown;
  /** Filled in although the section itself is not there. Sections without it (`target`, `retry`) exist only when written. */
  readonly always?: boolean;
  readonly required?: boolean;
  /** What the example file shows, when that is not the default. */
  readonly example?: unknown;
}
