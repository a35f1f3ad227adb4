import type { Expansion, LaneFailure } from "../../messages/lane-messages.ts";

/** Number of lines that describe a difference. */
const LINES = 20;

/** Joins the answers to parts of a chunk, in their order. */
export class ExpansionSum {
  readonly #begun = performance.now();
  readonly #parts: { readonly part: Expansion; readonly unit: number }[] = [];

  /** @param unit Index of the unit in the whole chunk. */
  add(part: Expansion, unit: number): void {
    this.#parts.push({ part, unit });
  }

  /** @param executedAgain All steps executed again, for checks or on the way. */
  finish(finished: number, executedAgain: number, failure: LaneFailure | undefined): Expansion {
    const parts = this.#parts;
    const rows = new Int32Array(parts.reduce((length, { part }) => length + part.rows.length, 0));
    let at = 0;
    for (const { part } of parts) {
      rows.set(part.rows, at);
      at += part.rows.length;
    }
    const checked = parts.reduce((steps, { part }) => steps + part.checked, 0);
    return {
      finished,
      rows,
      news: parts.flatMap(({ part, unit }) => part.news.map((one) => ({ ...one, unit }))),
      images: parts.flatMap(({ part, unit }) => part.images.map((one) => ({ ...one, unit }))),
      details: parts.flatMap(({ part, unit }) => part.details?.map((one) => ({ ...one, unit })) ?? []),
      occurrences: parts.flatMap(({ part, unit }) => part.occurrences?.map((one) => ({ ...one, unit })) ?? []),
      calls: parts.flatMap(({ part, unit }) => part.calls?.map((one) => ({ ...one, unit })) ?? []),
      divergences: joined(parts.flatMap(({ part }) => part.divergences)),
      replayed: executedAgain - checked,
      checked,
      busyMs: performance.now() - this.#begun,
      failure,
      ...(parts.some(({ part }) => part.twoPackets === true) && { twoPackets: true }),
    };
  }
}

/** Joins the divergences of one node's actions, reported one by one, into one. */
function joined(divergences: Expansion["divergences"]): Expansion["divergences"] {
  const all: Expansion["divergences"][number][] = [];
  for (const one of divergences) {
    const at = all.findIndex(({ kind, message, path }) => kind === one.kind && message === one.message && path.join() === one.path.join());
    const before = all[at];
    if (before === undefined) all.push(one);
    else all[at] = { ...before, differences: [...before.differences, ...one.differences].slice(0, LINES) };
  }
  return all;
}
