import { SeqqaError } from "../model/errors.ts";

/** Hints for tests, by error code. These hints replace the usual hints, which mention lanes and runs. */
const HINTS: Readonly<Record<string, string>> = {
  STORE_MISSING: "Check the URL of the store. If the URL is right, create the database and run its migrations before openWorld().",
  STORE_LEFT:
    "Set SEQQA_DB_URL to the store's URL, or name the store in seqqa.yaml. Then run `seqqa clean`, which shows these rows, asks you, and restores them.",
  STORE_IN_USE: "With inPlace, only one world at a time can use a store. Run the test files one after another, or remove inPlace.",
};

/** Returns the error for a world that could not be opened, with a hint for tests. */
export function openingError(error: unknown): unknown {
  const hint = error instanceof SeqqaError ? HINTS[error.code] : undefined;
  if (hint === undefined) return error;
  const { code, message, exitStatus } = error as SeqqaError;
  return new SeqqaError(code, `openWorld() failed: ${message}`, { hint, exitStatus, cause: error });
}
