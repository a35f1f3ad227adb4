/** The longest chain of causes that is looked at. */
const CAUSES = 10;

/** The stacks of an error and its causes one after another, and where the step is declared: the first line of the user's own code is the one to show. */
export function stackOf(error: unknown, declared: string | undefined): string {
  const stacks: string[] = [];
  for (let cause = error; cause instanceof Error && stacks.length < CAUSES; cause = cause.cause) stacks.push(cause.stack ?? "");
  return [...stacks, declared ?? ""].join("\n");
}
