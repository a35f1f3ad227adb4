/** Clean-ups of the running test file, in the order in which they were asked for. */
const cleanUps: (() => unknown)[] = [];

/** Runs `cleanUp` after the last test of the file; the latest one first. Usable in tests that run concurrently, which have no hook of their own. */
export function atEnd(cleanUp: () => unknown): void {
  cleanUps.push(cleanUp);
}

/** Runs all clean-ups. Called by the set-up file of every project, because a module that several test files share is evaluated only once. */
export async function cleanUpFile(): Promise<void> {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
}
