import { setTimeout as delay } from "node:timers/promises";
import { isUntrusted } from "../network/untrusted.ts";
import { probe } from "./probe.ts";

const SHORTEST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 100;
/** A pause is this share of what was waited already: no start is noticed later than by so much. */
const PAUSE_SHARE = 1 / 8;
const ATTEMPT_MS = 5_000;
/** Something may answer garbage while it starts; so often in a row it is not going to be HTTP. */
const GARBAGE_LIMIT = 5;

export type Readiness =
  | { readonly kind: "ready"; readonly origin: string }
  | { readonly kind: "ended" }
  | { readonly kind: "garbage"; readonly url: string }
  /** Polling on would not change it. */
  | { readonly kind: "untrusted"; readonly url: string; readonly error: NodeJS.ErrnoException }
  | { readonly kind: "late" };

/** Polls the URLs in turn until one gives any HTTP answer, the process ends, or time is up. */
export async function waitUntilReady(
  urls: readonly URL[],
  timeoutMs: number,
  ended: Promise<unknown>,
  signal: AbortSignal,
  ca: readonly string[] = [],
): Promise<Readiness> {
  const over = new AbortController();
  const stop = AbortSignal.any([over.signal, signal]);
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
    over.abort();
  });
  const begun = performance.now();
  const until = begun + timeoutMs;
  let garbage = 0;
  for (;;) {
    for (const url of urls) {
      const left = until - performance.now();
      const result = await probe(url, Math.max(1, Math.min(ATTEMPT_MS, left)), stop, ca);
      signal.throwIfAborted();
      if (hasEnded) return { kind: "ended" };
      if (result.kind === "answer") return { kind: "ready", origin: url.origin };
      if (result.kind === "silent" && isUntrusted(result.error.code ?? ""))
        return { kind: "untrusted", url: url.href, error: result.error };
      if (result.kind === "garbage" && ++garbage >= GARBAGE_LIMIT) return { kind: "garbage", url: url.href };
    }
    const pause = Math.min(Math.max((performance.now() - begun) * PAUSE_SHARE, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    if (performance.now() + pause >= until) return { kind: "late" };
    await delay(pause, undefined, { signal: stop }).catch(() => {});
  }
}
