import { SeqqaError } from "../model/errors.ts";

/** The codes of configuration errors. Every configuration error has the exit status 2, and is found before the first request is sent. */
export type ProblemCode =
  | "CONFIG_FILE"
  | "CONFIG_YAML"
  | "CONFIG_DUPLICATE_KEY"
  | "CONFIG_UNKNOWN_KEY"
  | "CONFIG_MISSING_KEY"
  | "CONFIG_TYPE"
  | "CONFIG_RANGE"
  | "CONFIG_UNSET_VARIABLE"
  | "CONFIG_COMBINATION"
  | "CONFIG_NOT_SUPPORTED_YET"
  | "STORE_NOT_ALLOWED";

/**
 * Creates a configuration error.
 * @param where The place of the error: `file:line:column`, a flag, or the name of an environment variable.
 */
export function problem(code: ProblemCode, where: string | undefined, what: string, hint?: string): SeqqaError {
  return new SeqqaError(code, where === undefined ? shortened(what) : `${where}: ${shortened(what)}`, { hint, exitStatus: 2 });
}

/** Creates the error for one wrong value, with its place and key: `seqqa.yaml:3:5: timeout is ...`, or `--timeout is ...` for a flag. */
export function valueProblem(
  code: ProblemCode,
  place: { readonly where: string; readonly source: string },
  key: string,
  is: string,
  hint?: string,
): SeqqaError {
  const inFile = place.source.startsWith("file ");
  return problem(code, inFile ? place.where : undefined, `${inFile ? (key === "" ? "the file" : key) : place.where} ${is}`, hint);
}

const QUOTED = 60;

/** Hides user names and passwords in all URLs of a text. A user name and password end at the last `@` before the path, as in URL parsers. */
export function withoutPasswords(text: string): string {
  return text.replace(/:\/\/[^\s/?#"']*@/g, "://***@");
}

/**
 * Hides the user name and password in a single value that is, or should be, a URL. The password ends at the last `@` of the value, because the
 * password in an invalid URL may contain any character.
 */
export function withoutUserPart(value: string): string {
  return /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value.replace(/:\/\/.*@/s, "://***@") : withoutPasswords(value);
}

export function shown(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  const all = typeof value === "string" ? JSON.stringify(withoutUserPart(value)) : withoutPasswords(String(value));
  return all.length > QUOTED ? `${all.slice(0, QUOTED - 4)}...${typeof value === "string" ? '"' : ""}` : all;
}

/** Shortens very long words of a message, such as a key of thousands of letters. */
function shortened(text: string): string {
  return text.replaceAll(/\S{300,}/g, (word) => `${word.slice(0, 100)}...`);
}
