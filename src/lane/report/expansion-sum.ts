import type { Expansion, LaneFailure } from "../../messages/lane-messages.ts";

const LINES = 20;

/** Combines the answers to the parts of a chunk into one answer to the whole chunk. */
export class ExpansionSum {
  readonly #begun = performance.now();
  readonly #parts: { readonly part: Expansion; readonly unit: number }[] = [];

  /** Adds the answer to one part. @param unit Index of the part's unit in the whole chunk. */
  add(part: Expansion, unit: number): void {
    this.#parts.push({ part, unit });
  }

  /** Returns the answer to the whole chunk. @param executedAgain Number of steps that were executed again to reach nodes and for cross-checks. */
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
      stepEvents: parts.flatMap(({ part, unit }) => part.stepEvents.map((one) => ({ ...one, unit }))),
      snapshots: parts.flatMap(({ part, unit }) => part.snapshots.map((one) => ({ ...one, unit }))),
      details: parts.flatMap(({ part, unit }) => part.details?.map((one) => ({ ...one, unit })) ?? []),
      occurrences: parts.flatMap(({ part, unit }) => part.occurrences?.map((one) => ({ ...one, unit })) ?? []),
      calls: parts.flatMap(({ part, unit }) => part.calls?.map((one) => ({ ...one, unit })) ?? []),
      divergences: joined(parts.flatMap(({ part }) => part.divergences)),
      replayed: executedAgain - checked,
      checked,
      busyMs: performance.now() - this.#begun,
      failure,
      ...(parts.some(({ part }) => part.twoPackets === true) && { twoPackets: true }),
      ...(parts.some(({ part }) => part.waited !== undefined) && { waited: parts.flatMap(({ part }) => part.waited ?? []) }),
      ...(parts.some(({ part }) => part.rejectedCookies !== undefined) && {
        rejectedCookies: [...new Set(parts.flatMap(({ part }) => part.rejectedCookies ?? []))],
      }),
      ...(parts.some(({ part }) => part.stubs !== undefined) && { stubs: parts.flatMap(({ part }) => part.stubs ?? []) }),
    };
  }
}

/** Combines divergences that different actions of one node reported. */
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
