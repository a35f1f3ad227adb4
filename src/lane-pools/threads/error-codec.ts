import { SeqqaError } from "../../model/errors.ts";
import type { EncodedError } from "./protocol.ts";

/** Largest number of an error's nested causes that are sent with the error. */
const CAUSES = 5;

/** Converts an error, or any other thrown value, to plain data that can be sent to another thread. */
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

/** Converts plain data back to an error. The stack of the error is the stack in the thread where it was thrown. */
export function decodeError(encoded: EncodedError): SeqqaError {
  const error = new SeqqaError(encoded.code ?? "LANE_FAILED", encoded.message, {
    hint: encoded.hint,
    exitStatus: encoded.exitStatus,
    cause: encoded.cause === undefined ? undefined : decodeError(encoded.cause),
  });
  if (encoded.stack !== undefined) error.stack = encoded.stack;
  return error;
}
