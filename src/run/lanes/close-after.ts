import { SeqqaError } from "../../model/errors.ts";

/**
 * Calls `work`, and then `close`, which closes the resources of `work`. If both fail, the error contains both messages, because a store that could
 * not be restored must not hide the reason why the run ended.
 * @throws the error of `work`, of `close`, or both as one error
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
  // If one of the errors is not a SeqqaError, throw only the error of `close`. The error of `work` is then usually an interruption, which is not
  // reported.
  if (!(first instanceof SeqqaError) || !(second instanceof SeqqaError)) return second;
  if (first.code === second.code) return first;
  const hints = [first.hint, second.hint].filter((hint) => hint !== undefined);
  return new SeqqaError(first.code, `${first.message} ${second.message}`, {
    ...(hints.length === 0 ? {} : { hint: hints.join(" ") }),
    exitStatus: 3,
    cause: first,
  });
}
