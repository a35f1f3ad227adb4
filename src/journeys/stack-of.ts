/** The greatest length of a chain of causes that is followed. */
const CAUSES = 10;

/**
 * Returns the stacks of an error and its causes one after another, and the stack of the step's declaration. The first line of the user's own code is
 * the one to show.
 */
export function stackOf(error: unknown, declared: string | undefined): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < CAUSES; cause = cause.cause) stacks.push(cause.stack ?? "");
  return [...stacks, declared ?? ""].join("\n");
}
