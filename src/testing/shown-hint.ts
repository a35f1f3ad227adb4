import { SeqqaError } from "../model/errors.ts";

/** Adds the hint to the error with which a promise is rejected; see {@link withShownHint}. */
export function showingHint<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw withShownHint(error);
  });
}

/**
 * Adds the hint of an error to its stack, below the message. Mocha, Jest and Playwright show the stack of an error, but not its other properties.
 * Without this change, the user of a test runner would not see the hint.
 */
export function withShownHint(error: unknown): unknown {
  if (!(error instanceof SeqqaError) || error.hint === undefined || error.stack === undefined) return error;
  const { message, hint, stack } = error;
  const at = stack.indexOf(message);
  const end = at + message.length;
  if (at < 0 || stack.startsWith(`\n${hint}`, end)) return error;
  error.stack = `${stack.slice(0, end)}\n${hint}${stack.slice(end)}`;
  return error;
}
