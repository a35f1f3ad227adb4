import type { Divergence } from "../model/result.ts";

type Reported = Omit<Divergence, "path"> & { readonly path: readonly number[] };

/** Divergences of one kind with one message are one; at most this many are kept. */
const MOST = 50;

/** What came out otherwise than before, in words for people. */
export class DivergenceLog {
  readonly #actions: readonly string[];
  readonly #found: Map<string, Divergence> = new Map();

  constructor(actions: readonly string[]) {
    this.#actions = actions;
  }

  /** Returns whether it is a new one. */
  add(reported: Reported): boolean {
    const key = `${reported.kind}\n${reported.message}`;
    if (this.#found.has(key) || this.#found.size >= MOST) return false;
    this.#found.set(key, { ...reported, path: reported.path.map((action) => this.#actions[action]!) });
    return true;
  }

  get all(): readonly Divergence[] {
    return [...this.#found.values()];
  }
}
