import type { ExplorationDetails, RecordedExchange } from "../../model/results/result.ts";
import { EXCHANGES, STATES } from "../../messages/lane-messages.ts";

export interface DetailLimits {
  /** Number of first edges, in the order of commits, that keep their exchanges. */
  readonly edges: number;
  /** Number of first states that keep their lines. */
  readonly states: number;
  /** Number of characters of all details. Details that come after the limit is reached are not kept. */
  readonly characters: number;
}

/**
 * The details of the first edges and states for reports, in the order of commits. The run log removes details from the maps when it writes them.
 * Lanes send details with every row that is dispatched while {@link wanted} asks for details. A row is dispatched before it is committed. Every edge
 * and state below a limit therefore has its details, for any number of lanes.
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

  /** Continues after the recommitted part of a run, whose details have `characters` characters. */
  resume(characters: number): void {
    this.states.clear();
    this.exchanges.clear();
    this.#characters = characters;
  }

  /** Returns the details that lanes have to send, in the format of `Chunk.details`. */
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

/** Returns the length of an exchange. Headers are not counted, since their length differs between runs and the limit must not. */
function lengthOf({ request, response, error }: RecordedExchange): number {
  return 200 + (request.body?.length ?? 0) + (response?.body.length ?? 0) + (error?.length ?? 0);
}
