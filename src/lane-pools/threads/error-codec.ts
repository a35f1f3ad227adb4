import { SeqqaError } from "../../model/errors.ts";
import type { EncodedError } from "./protocol.ts";

/** Length of the longest chain of causes that is kept. */
const CAUSES = 5;

/** Returns an error, or any other thrown value, as plain data. */
export function encodeError(error: unknown, depth = 0): EncodedError {
  const known = error instanceof Error ? error : new Error(typeof error === "string" ? error : `A ${typeof error} was thrown`);
  const cause = known.cause === undefined || depth >= CAUSES ? undefined : encodeError(known.cause, depth + 1);
  const code = (known as { readonly code?: unknown }).code;
  return {
    name: known.name,
    code: typeof code === "string" ? code : undefined,
    message: known.message,
    hint: known instanceof SeqqaError ? known.hint : undefined,
    exitStatus: known instanceof SeqqaError ? known.exitStatus : 3,
    stack: known.stack,
    cause,
  };
}

/** Returns the error as a SeqqaError, with the stack that it had in the lane. */
export function decodeError(encoded: EncodedError): SeqqaError {
  const error = new SeqqaError(encoded.code ?? "LANE_FAILED", encoded.message, {
    hint: encoded.hint,
    exitStatus: encoded.exitStatus,
    cause: encoded.cause === undefined ? undefined : decodeError(encoded.cause),
  });
  if (encoded.stack !== undefined) error.stack = encoded.stack;
  return error;
}
