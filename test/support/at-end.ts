/** Clean-ups of the running test file, in the order in which they were asked for. */
const cleanUps: (() => unknown)[] = [];

/** Runs `cleanUp` after the last test of the file; the latest one first. Usable in tests that run concurrently, which have no hook of their own. */
export function atEnd(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

/** Clean-ups after every test, of helpers that several test files share. */
const afterTests = new Set<() => unknown>();

/**
 * Runs `cleanUp` after every test from now on, of every file in this worker. For the top level of a helper, whose own hooks would hold for one file only.
 * Such a clean-up touches only what its own module made: the running test may be one that does not use the module.
 */
export function afterEveryTest(cleanUp: () => unknown): void {
  afterTests.add(cleanUp);
}

/** Runs the clean-ups of {@link afterEveryTest}, in the order in which they were asked for. Called by the set-up file of every project. */
export function cleanUpTest(): Promise<void> {
  return runAll([...afterTests]);
}

/** Runs all clean-ups of {@link atEnd}. Called by the set-up file of every project, because a module that several test files share is evaluated only once. */
export function cleanUpFile(): Promise<void> {
  return runAll(cleanUps.splice(0).reverse());
}

/** Each of them, whatever becomes of the others: what one leaves would be left to the next files of this worker. */
async function runAll(all: readonly (() => unknown)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const cleanUp of all) {
    try {
      await cleanUp();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors.length === 1 ? errors[0] : new AggregateError(errors, "Clean-ups failed");
}
