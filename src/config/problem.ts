import { SeqqaError } from "../model/errors.ts";

/** Everything that can be wrong with a configuration; nothing was sent yet, so the exit status is 2. */
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

/** `where` is `file:line:column`, a flag or the name of an environment variable. */
export function problem(code: ProblemCode, where: string | undefined, what: string, hint?: string): SeqqaError {
  return new SeqqaError(code, where === undefined ? what : `${where}: ${what}`, { hint, exitStatus: 2 });
}

/** About one value: `seqqa.yaml:3:5: timeout is ...`, and `--timeout is ...` for a flag, which is its own name. */
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

/** Longest part of a value that a message quotes. */
const QUOTED = 60;

/** Hides the user part of URLs: it may hold a password. Everything up to the last `@` before the path counts, as in URL parsers. */
export function withoutPasswords(text: string): string {
  return text.replace(/:\/\/[^\s/?#"']*@/g, "://***@");
}

/** The same of one value that is a URL, or is meant to be one: whatever its password is made of, it ends at the last `@`. */
export function withoutUserPart(value: string): string {
  return /^\s*[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value.replace(/:\/\/.*@/s, "://***@") : withoutPasswords(value);
}

/** A value as a message may show it. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  const all = typeof value === "string" ? JSON.stringify(withoutUserPart(value)) : withoutPasswords(String(value));
  return all.length > QUOTED ? `${all.slice(0, QUOTED - 4)}...${typeof value === "string" ? '"' : ""}` : all;
}
