/** Clean-ups of the running test file, in the order in which they were added. */
const cleanUps: (() => unknown)[] = [];

/**
 * Runs `cleanUp` after the last test of the file. Clean-ups run in the reverse order of their addition. Concurrent tests can use it, although they
 * have no hook of their own.
 */
export function atEnd(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

/** Clean-ups that run after every test. They belong to helpers that several test files share. */
const afterTests = new Set<() => unknown>();

/**
 * Runs `cleanUp` after every later test of every file in this worker. A helper calls it at its top level, because a hook there would apply to one
 * file only. A clean-up must affect only things that its own module created, because the running test may not use the module at all.
 */
export function afterEveryTest(cleanUp: () => unknown): void {
  afterTests.add(cleanUp);
}

/** Runs the clean-ups of {@link afterEveryTest}, in the order in which they were added. Called by the set-up file of every project. */
export function cleanUpTest(): Promise<void> {
  return runAll([...afterTests]);
}

/**
 * Runs the clean-ups of {@link atEnd}. The set-up file of every project calls it: this module is evaluated only once for several test files, so it
 * cannot register a hook for each file.
 */
export function cleanUpFile(): Promise<void> {
  return runAll(cleanUps.splice(0).reverse());
}

/** Runs all clean-ups even if some fail, because a skipped one would affect the next files of this worker. @throws the errors */
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
