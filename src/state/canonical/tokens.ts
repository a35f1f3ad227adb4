import type { IdPiece } from "./pieces.ts";

/** A generated id. The encoded text contains `@` in place of the id, because the id's name is not known yet. */
export interface Token {
  /** The lookup key of the id. It is `null` for an artificial id that only connects an unordered collection with its entries. */
  readonly key: string | null;
  readonly rank: string;
  /**
   * The text by which ids are sorted: the sort key of an id that contains a time, or the position of a generated value among the values of its step.
   * Empty if the id has no order.
   */
  readonly order: string;
  /** The number of the step that generated the id; 0 if the id is recognized only by its appearance. */
  readonly step: number;
  readonly domain: string;
  /**
   * The number of the last fingerprint computation in which the id occurred, and the `index` of the id in that computation. Storing both numbers in
   * the id avoids a map for each computation.
   */
  stamp: number;
  index: number;
}

const LIMIT = 1 << 16;

/** All known ids. While a fingerprint is computed, the same id is always the same object. */
export class Tokens {
  readonly #byKey = new Map<string, Token>();
  /** The names of the ids in the root state and in the user's code. These names are the same in all states. */
  readonly constants: Map<string, string> = new Map();

  constructor(literals: Iterable<string>) {
    for (const key of literals) this.constants.set(key, `=${key.length}:${key}`);
  }

  get full(): boolean {
    return this.#byKey.size > LIMIT;
  }

  clear(): void {
    this.#byKey.clear();
  }

  of(piece: Pick<IdPiece, "key" | "rank" | "order">, step: number = 0, domain: string = ""): Token {
    let token = this.#byKey.get(piece.key);
    if (token === undefined || token.step !== step || token.domain !== domain) {
      token = { key: piece.key, rank: piece.rank, order: piece.order, step, domain, stamp: 0, index: 0 };
      this.#byKey.set(piece.key, token);
    }
    return token;
  }
}

export const anonymousToken = (): Token => ({ key: null, rank: "", order: "", step: 0, domain: "", stamp: 0, index: 0 });
