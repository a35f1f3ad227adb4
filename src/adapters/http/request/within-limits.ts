import type { SeqqaError } from "../../../model/errors.ts";
import { waitedMs } from "../transport/attempt.ts";
import { requestCancelled, requestTimeout, type FailedRequest } from "../transport/failures.ts";
import { MAX_TIMER_MS, type WireRequest } from "../transport/transport.ts";

/**
 * Runs work and rejects at the request's timeout or when its signal is aborted, even if the transport does not react to the signal.
 *
 * @param abort This controller is aborted if the request ends before `work` does.
 * @param live While `work` runs, this set contains a function that ends the request in the same way as its timeout.
 */
export async function withinLimits<T>(
  { timeoutMs, signal }: Pick<WireRequest, "timeoutMs" | "signal">,
  failed: FailedRequest,
  abort: AbortController,
  live: Set<() => void>,
  work: () => Promise<T>,
): Promise<T> {
  const begun = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let cancel: (() => void) | undefined;
  let expire = (): void => undefined;
  const over = new Promise<never>((_resolve, reject) => {
    const end = (error: SeqqaError): void => {
      reject(error);
      abort.abort();
    };
    expire = () => end(requestTimeout(failed, waitedMs(timeoutMs, begun)));
    live.add(expire);
    if (timeoutMs <= MAX_TIMER_MS) timer = setTimeout(() => end(requestTimeout(failed, timeoutMs)), timeoutMs);
    if (signal === undefined) return;
    cancel = () => end(requestCancelled(failed, signal, true));
    signal.addEventListener("abort", cancel);
  });
  try {
    return await Promise.race([work(), over]);
  } finally {
    clearTimeout(timer);
    live.delete(expire);
    if (cancel !== undefined) signal?.removeEventListener("abort", cancel);
  }
}
