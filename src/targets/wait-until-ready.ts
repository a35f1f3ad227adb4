import { setTimeout as delay } from "node:timers/promises";
import { probe } from "./probe.ts";

const FIRST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 100;
const ATTEMPT_MS = 5_000;
/** Something may answer garbage while it starts; so often in a row it is not going to be HTTP. */
const GARBAGE_LIMIT = 5;

export type Readiness =
  | { readonly kind: "ready"; readonly origin: string }
  | { readonly kind: "ended" }
  | { readonly kind: "garbage"; readonly url: string }
  | { readonly kind: "late" };

/** Polls the URLs in turn until one gives any HTTP answer, the process ends, or time is up. */
export async function waitUntilReady(
  urls: readonly URL[],
  timeoutMs: number,
  ended: Promise<unknown>,
  signal: AbortSignal,
): Promise<Readiness> {
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, signal]);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
    over.abort();
  });
  const until = performance.now() + timeoutMs;
  let garbage = 0;
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    for (const url of urls) {
      const left = until - performance.now();
      const result = await probe(url, Math.max(1, Math.min(ATTEMPT_MS, left)), stop);
      signal.throwIfAborted();
      if (hasEnded) return { kind: "ended" };
      if (result.kind === "answer") return { kind: "ready", origin: url.origin };
      if (result.kind === "garbage" && ++garbage >= GARBAGE_LIMIT) return { kind: "garbage", url: url.href };
    }
    if (performance.now() + pause >= until) return { kind: "late" };
    await delay(pause, undefined, { signal: stop }).catch(() => {});
  }
}
