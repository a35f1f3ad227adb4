import { setTimeout as delay } from "node:timers/promises";
import { isUntrusted } from "../../network/untrusted.ts";
import { probe, type Probe } from "./probe.ts";

const SHORTEST_PAUSE_MS = 4;
const LONGEST_PAUSE_MS = 100;
/** The pause between two polls, as a share of the time waited so far. seqqa therefore notices a ready target with a delay of at most this share. */
const PAUSE_SHARE = 1 / 8;
const ATTEMPT_MS = 5_000;
/** Polling ends after this number of answers that are not HTTP. Some servers send a few such answers while they start. */
const GARBAGE_LIMIT = 5;

export type Readiness =
  | { readonly kind: "ready"; readonly origin: string }
  | { readonly kind: "ended" }
  | { readonly kind: "garbage"; readonly url: string }
  /** The server's certificate is not trusted. Polling ends, because further polls would get the same certificate. */
  | { readonly kind: "untrusted"; readonly url: string; readonly error: NodeJS.ErrnoException }
  | { readonly kind: "late" };

/**
 * Polls the URLs in turn until a URL answers in HTTP, the process ends, or the time limit is reached. If several URLs answer, returns the first of
 * them in the list, so that all lanes use the same kind of address, e.g. IPv4.
 */
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
  const ask = (url: URL): Promise<Probe> => probe(url, Math.max(1, Math.min(ATTEMPT_MS, until - performance.now())), stop, ca);
  let garbage = 0;
  for (;;) {
    for (const [index, url] of urls.entries()) {
      const result = await ask(url);
      signal.throwIfAborted();
      if (hasEnded) return { kind: "ended" };
      if (result.kind === "answer") return { kind: "ready", origin: await firstOf(urls.slice(0, index), url, ask) };
      if (result.kind === "silent" && isUntrusted(result.error.code ?? ""))
        return { kind: "untrusted", url: url.href, error: result.error };
      if (result.kind === "garbage" && ++garbage >= GARBAGE_LIMIT) return { kind: "garbage", url: url.href };
    }
    const pause = Math.min(Math.max((performance.now() - begun) * PAUSE_SHARE, SHORTEST_PAUSE_MS), LONGEST_PAUSE_MS);
    if (performance.now() + pause >= until) return { kind: "late" };
    await delay(pause, undefined, { signal: stop }).catch(() => {});
  }
}

/**
 * Returns the origin of the first URL in the list that answers. Polls the URLs before `answered` once more, because they may have become ready since
 * their last poll.
 */
async function firstOf(before: readonly URL[], answered: URL, ask: (url: URL) => Promise<Probe>): Promise<string> {
  for (const url of before) if ((await ask(url)).kind === "answer") return url.origin;
  return answered.origin;
}
