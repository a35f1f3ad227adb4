import type { ExplorationDetails, RecordedExchange } from "../../model/results/result.ts";
import { EXCHANGES, STATES } from "../../messages/lane-messages.ts";

export interface DetailLimits {
  /** Largest number of edges whose requests and responses are kept. The first edges in the order of commits are kept. */
  readonly edges: number;
  /** Largest number of states whose text lines are kept. The first states in the order of commits are kept. */
  readonly states: number;
  /** Largest number of characters of all kept details together. Further details are dropped. */
  readonly characters: number;
}

/**
 * Keeps the details of the first edges and states for reports, in the order of commits. The run log removes details from the maps when it writes
 * these details.
 *
 * Lanes send details with each outcome as long as {@link wanted} requests details. A step is executed before it is committed, and the number of kept
 * details never decreases. If an edge or state is below the limit at its commit, its lane was therefore asked for its details. This holds for any
 * number of lanes.
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

  /** Adds the number of characters that earlier sessions of a resumed run have kept. The limits then apply to all sessions together. */
  resume(characters: number): void {
    this.states.clear();
    this.exchanges.clear();
    this.#characters = characters;
  }

  /** Returns the kinds of details that lanes must still send, as bits of `Chunk.details`. */
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

/**
 * Returns the number of characters of a request and its response. Headers are not counted, because their length differs between runs of one
 * exploration.
 */
function lengthOf({ request, response, error }: RecordedExchange): number {
  return 200 + (request.body?.length ?? 0) + (response?.body.length ?? 0) + (error?.length ?? 0);
}
