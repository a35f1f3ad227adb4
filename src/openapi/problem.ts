import { SeqqaError } from "../model/errors.ts";

export type DescriptionCode =
  | "DESCRIPTION_NOT_FOUND"
  | "DESCRIPTION_UNREADABLE"
  | "DESCRIPTION_TOO_LARGE"
  | "DESCRIPTION_SYNTAX"
  | "DESCRIPTION_NOT_OPENAPI"
  | "DESCRIPTION_NOT_GRAPHQL"
  | "INTROSPECTION_REFUSED"
  | "DESCRIPTION_EMPTY"
  | "DESCRIPTION_REF_REFUSED"
  | "DESCRIPTION_REF";

/** Creates the error for a problem with a description. The exit status is 2, because no work has started yet. */
export function problem(code: DescriptionCode, message: string, hint?: string, cause?: unknown): SeqqaError {
  return new SeqqaError(code, message, { hint, exitStatus: 2, cause });
}

const LONGEST = 120;

/** Returns a text of the description for a message: quoted, on one line, and shortened. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text);
}
