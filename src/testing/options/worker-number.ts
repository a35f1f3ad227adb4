import { SeqqaError } from "../../model/errors.ts";

/** The environment variables in which Vitest, Playwright and Jest number their workers. */
const VARIABLES = ["VITEST_POOL_ID", "TEST_PARALLEL_INDEX", "JEST_WORKER_ID"] as const;

/** Worker numbers must be below this limit, because lane numbers in database names have at most three digits. */
const LIMIT = 1000;

/**
 * Returns the number of this worker, 0 to 999: `given`, else the number in the environment. @throws SeqqaError `WORLD_OPTION_INVALID`, exit status 2
 */
export function workerNumber(given: number | undefined, env: Readonly<Record<string, string | undefined>>): number {
  if (given !== undefined && !(Number.isSafeInteger(given) && given >= 0)) {
    throw new SeqqaError("WORLD_OPTION_INVALID", "The option worker of openWorld() must be an integer of at least 0.", {
      hint: "With Vitest, Playwright and Jest, remove the option: seqqa then reads the worker's number from the environment.",
      exitStatus: 2,
    });
  }
  const named = VARIABLES.map((name) => env[name]).find((value) => value !== undefined && /^\d{1,9}$/.test(value));
  return (given ?? Number(named ?? 0)) % LIMIT;
}
