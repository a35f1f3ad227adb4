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

/** Creates an error about an OpenAPI description. Its exit status is 2, as for every error that seqqa finds before it sends a request. */
export function problem(code: DescriptionCode, message: string, hint?: string, cause?: unknown): SeqqaError {
  return new SeqqaError(code, message, { hint, exitStatus: 2, cause });
}

const LONGEST = 120;

/** Prepares a text from the OpenAPI description for a message: quotes it, puts it on one line, and shortens it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text);
}
