import { SeqqaError } from "../model/errors.ts";

/** Hints for tests, by error code. They replace the usual hints, which mention lanes and runs. */
const HINTS: Readonly<Record<string, string>> = {
  STORE_MISSING: "Check the URL; create the store and migrate it before the world is opened.",
  STORE_LEFT:
    "Set SEQQA_DB_URL to the store's URL (or name it in seqqa.yaml), and run `seqqa clean`: it shows these rows, asks, and restores them.",
  STORE_IN_USE: "With inPlace one world at a time can use a store: run the files one after another, or leave out inPlace.",
};

/** Returns the error for a world that could not be opened, with a hint for tests. */
export function openingError(error: unknown): unknown {
  const hint = error instanceof SeqqaError ? HINTS[error.code] : undefined;
  if (hint === undefined) return error;
  const { code, message, exitStatus } = error as SeqqaError;
  return new SeqqaError(code, `The world cannot be opened: ${message}`, { hint, exitStatus, cause: error });
}
