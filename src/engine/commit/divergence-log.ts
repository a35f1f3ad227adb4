import type { Divergence } from "../../model/results/result.ts";
import type { LaneDivergence } from "../../messages/lane-messages.ts";

/** Largest number of divergences that are kept. Divergences of the same kind and with the same message count as one. */
const MOST = 50;

export class DivergenceLog {
  readonly #actions: readonly string[];
  readonly #found: Map<string, LaneDivergence> = new Map();

  constructor(actions: readonly string[]) {
    this.#actions = actions;
  }

  /**
   * Adds a divergence. Returns `true` if the divergence is new: the list is not full and contains no divergence of the same kind with the same
   * message. If divergences have the same kind and message, the divergence with the shortest path is kept; if their paths are equally long, the
   * divergence with the lowest action indices. The result therefore does not depend on which lane reports first.
   */
  add(reported: LaneDivergence): boolean {
    const key = `${reported.kind}\n${reported.message}`;
    const known = this.#found.get(key);
    if (known === undefined && this.#found.size >= MOST) return false;
    if (known === undefined || comesBefore(reported.path, known.path)) this.#found.set(key, reported);
    return known === undefined;
  }

  /** Restores the divergences of an earlier session of the run. A divergence that names an unknown action is left out. */
  restore(found: readonly Divergence[]): void {
    for (const one of found) {
      const path = one.path.map((name) => this.#actions.indexOf(name));
      if (!path.includes(-1)) this.add({ ...one, path });
    }
  }

  /** Returns all divergences, in an order that does not depend on the order of the reports. */
  get all(): readonly Divergence[] {
    return [...this.#found]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { calls: _calls, reduced: _reduced, seconds: _seconds, unlinked: _unlinked, seen: _seen, ...reported }]) => ({
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
