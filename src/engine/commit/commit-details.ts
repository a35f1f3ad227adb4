import type { ExplorationDetails, RecordedExchange } from "../../model/results/result.ts";
import { EXCHANGES, STATES } from "../../messages/lane-messages.ts";

/** Limits of the details that are kept for single edges and states. */
export interface DetailLimits {
  /** Edges below this number, in the order of commits, keep their exchanges. */
  readonly edges: number;
  /** States below this number keep their lines. */
  readonly states: number;
  /** Characters in all. Details that come after the limit is reached are not kept. */
  readonly characters: number;
}

/**
 * The details of the first edges and states that reports show, in the order of commits. The run log removes them from the maps when it writes them.
 * Lanes send details with every row while {@link wanted} asks for them at dispatch. A row that is committed below a limit was dispatched below it, so
 * every edge and state below a limit has its details for any number of lanes.
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

  /** Continues after details of `characters` characters were written by the recommitted part of the run. */
  resume(characters: number): void {
    this.states.clear();
    this.exchanges.clear();
    this.#characters = characters;
  }

  /** Returns the details that lanes have to send, as {@link Chunk.details}. */
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

/** Headers are not counted: their length differs from run to run, and the limit must not. */
function lengthOf({ request, response, error }: RecordedExchange): number {
  return 200 + (request.body?.length ?? 0) + (response?.body.length ?? 0) + (error?.length ?? 0);
}
