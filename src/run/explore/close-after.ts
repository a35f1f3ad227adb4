import { SeqqaError } from "../../model/errors.ts";

/**
 * Does `work` and closes what it used. Where both fail, the first failure is told, and after it what could not be closed: a store that keeps rows of others
 * must not hide why the run ended. @throws what `work` threw, what `close` threw, or both in one
 */
export async function closeAfter<T>(work: () => Promise<T>, close: () => Promise<void>): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (first) {
    await close().catch((second: unknown) => {
      throw bothOf(first, second);
    });
    throw first;
  }
  await close();
  return result;
}

function bothOf(first: unknown, second: unknown): unknown {
  // An interruption is no failure to tell of.
  if (!(first instanceof SeqqaError) || !(second instanceof SeqqaError)) return second;
  if (first.code === second.code) return first;
  const hints = [first.hint, second.hint].filter((hint) => hint !== undefined);
  return new SeqqaError(first.code, `${first.message} ${second.message}`, {
    ...(hints.length === 0 ? {} : { hint: hints.join(" ") }),
    exitStatus: 3,
    cause: first,
  });
}
