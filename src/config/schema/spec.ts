/** The rules for the value of a configuration key, for example its type and range. `table.ts` contains the specs of all keys. */
export type Spec = ScalarSpec | AnySpec | ListSpec | MapSpec | SectionSpec | EitherSpec;

export type ScalarSpec = BooleanSpec | NumberSpec | TextSpec | UrlSpec | ChoiceSpec | LooseSpec;

export interface BooleanSpec {
  readonly kind: "boolean";
}

/** The spec of a number. The kind `seconds` also accepts a text such as `"30s"`. */
export interface NumberSpec {
  readonly kind: "integer" | "number" | "seconds";
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
}

/** Matches a value that is the path of a module, for example `./format.ts`. A value that does not match is a name. */
export const MODULE_PATH: RegExp = /^\.{0,2}\//;

export interface TextSpec {
  readonly kind: "text";
  /**
   * `true` if the text is a path, `or_url` if it is a path or the URL of a file. A path in the file is relative to the folder of the file. A path in a
   * flag or variable is relative to the current folder.
   */
  readonly path?: boolean | "or_url";
  /** `true` if the text names a module: a path if it begins with `./`, `../` or `/`, else the name of a package. */
  readonly module?: boolean;
  /**
   * The pattern that the text must match (`is`), a description of the pattern for messages (`says`), and advice for a text that does not match
   * (`hint`).
   */
  readonly pattern?: { readonly is: RegExp; readonly says: string; readonly hint?: (value: string) => string };
}

/**
 * The spec of a URL. `schemes` are written without the colon. The check removes the trailing slash of `http` URLs, and makes the path of SQLite URLs
 * absolute.
 */
export interface UrlSpec {
  readonly kind: "url";
  readonly schemes: readonly string[];
  /** The name of another key in the same section. If that key is set, the URL may have any scheme and is not changed. */
  readonly freeWith?: string;
  /** `true` if any scheme is allowed. Default: `false`. */
  readonly isFree?: boolean;
}

/**
 * The spec of a word from a fixed list. Case is ignored, and `-` is read as `_`. `aliases`: other names of words, with the words that replace them.
 */
export interface ChoiceSpec {
  readonly kind: "choice";
  readonly choices: readonly string[];
  readonly aliases?: Readonly<Record<string, string>>;
  /** `true` if the value may also be the path of a module that begins with `./`, `../` or `/`. Default: `false`. */
  readonly orModule?: boolean;
}

/** The spec of a value that may be a text, number or boolean, and is used as it is written in the file. Used for values of environment variables. */
export interface LooseSpec {
  readonly kind: "loose";
}

/** The spec of any value that YAML can express, such as the body of a request. The value is not changed. */
export interface AnySpec {
  readonly kind: "any";
}

export interface ListSpec {
  readonly kind: "list";
  readonly of: Spec;
}

/** The spec of a map from names that the user chooses to values of one spec. */
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
  /** One sentence about the key, for the JSON Schema, the example file and the documentation. */
  readonly description: string;
  /** The default value, as the user would write it in the file. Not set if there is no default. */
  readonly default?: unknown;
  /**
   * `true` if the section exists with its defaults even if the file does not contain the section. Other sections, such as `target`, exist only if the
   * user writes them.
   */
  readonly always?: boolean;
  readonly required?: boolean;
  /** The value that the example file shows for a key without a default. */
  readonly example?: unknown;
}
