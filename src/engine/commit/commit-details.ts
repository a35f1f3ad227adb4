import type { ExplorationDetails, RecordedExchange } from "../../model/results/result.ts";
import { EXCHANGES, STATES } from "../../messages/lane-messages.ts";

/** How much is kept of single edges and states. */
export interface DetailLimits {
  /** Edges below this place in the order of commits have their exchanges. */
  readonly edges: number;
  /** States below this number have their lines. */
  readonly states: number;
  /** Characters in all; what comes when they are used up is not kept. */
  readonly characters: number;
}

/**
 * What reports show of the first edges and states, in the order of commits. Whoever writes it down may take it out of the maps. Lanes send it along
 * with every row while {@link wanted} says so at dispatch: what is committed below a limit was dispatched below it, so that every edge and state
 * below a limit has its details, however many lanes there are and however far they run ahead.
 */
export class DetailLog implements ExplorationDetails {
  readonly states: Map<number, readonly string[]> = new Map();
  readonly exchanges: Map<number, readonly RecordedExchange[]> = new Map();
  readonly #limits: DetailLimits;
  #characters = 0;

  constructor(limits: DetailLimits) {
    this.#limits = limits;
  }

  get characters(): number {
    return this.#characters;
  }

  /** What was kept before was written down, and had so many characters. */
  resume(characters: number): void {
    this.states.clear();
    this.exchanges.clear();
    this.#characters = characters;
  }

  /** What lanes are to send, as {@link Chunk.details}. */
  wanted(edges: number, states: number): number {
    if (this.#characters >= this.#limits.characters) return 0;
    return (edges < this.#limits.edges ? EXCHANGES : 0) | (states < this.#limits.states ? STATES : 0);
  }

  addExchanges(edge: number, exchanges: readonly RecordedExchange[]): void {
    if (edge >= this.#limits.edges || this.#characters >= this.#limits.characters) return;
    for (const one of exchanges) this.#characters += lengthOf(one);
    this.exchanges.set(edge, exchanges);
  }

  addState(node: number, lines: readonly string[]): void {
    if (node >= this.#limits.states || this.#characters >= this.#limits.characters) return;
    for (const line of lines) this.#characters += line.length;
    this.states.set(node, lines);
  }
}

/** Headers are left out: they differ in length from run to run, and the limit must not. */
function lengthOf({ request, response, error }: RecordedExchange): number {
  return 200 + (request.body?.length ?? 0) + (response?.body.length ?? 0) + (error?.length ?? 0);
}
