import type { Divergence } from "../../model/results/result.ts";
import type { LaneDivergence } from "../../messages/lane-messages.ts";

/** Divergences of one kind with one message are one; at most this many are kept. */
const MOST = 50;

/** What came out otherwise than before, in words for people. */
export class DivergenceLog {
  readonly #actions: readonly string[];
  readonly #found: Map<string, LaneDivergence> = new Map();

  constructor(actions: readonly string[]) {
    this.#actions = actions;
  }

  /** Returns whether it is a new one. Of several with one message the one with the shortest, then least path stays, whichever lane was first. */
  add(reported: LaneDivergence): boolean {
    const key = `${reported.kind}\n${reported.message}`;
    const known = this.#found.get(key);
    if (known === undefined && this.#found.size >= MOST) return false;
    if (known === undefined || comesBefore(reported.path, known.path)) this.#found.set(key, reported);
    return known === undefined;
  }

  /** What was found before the run went on. What names an action that there is not is left out. */
  restore(found: readonly Divergence[]): void {
    for (const one of found) {
      const path = one.path.map((name) => this.#actions.indexOf(name));
      if (!path.includes(-1)) this.add({ ...one, path });
    }
  }

  /** In an order that does not depend on which came first. */
  get all(): readonly Divergence[] {
    return [...this.#found]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { calls: _calls, reduced: _reduced, ...reported }]) => ({
        ...reported,
        path: reported.path.map((action) => this.#actions[action]!),
      }));
  }
}

function comesBefore(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return a.length < b.length;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return a[i]! < b[i]!;
  return false;
}
