import type { IdPiece } from "./pieces.ts";

/** An id that is not a constant. The canonical form has a gap for its name. */
export interface Token {
  /** The key of the id; `null` for a token that only connects an unordered collection to its entries. */
  readonly key: string | null;
  readonly rank: string;
  readonly order: string;
  /** The number of the step that generated the id; 0 if the id is recognized only by its appearance. */
  readonly step: number;
  readonly domain: string;
  /**
   * The number of the last fingerprint that contained the id, and the id's `index` in that fingerprint. Storing them here avoids a map for each
   * fingerprint.
   */
  stamp: number;
  index: number;
}

const LIMIT = 1 << 16;

/** All known ids. During a fingerprint, each id is represented by a single object. */
export class Tokens {
  readonly #byKey = new Map<string, Token>();
  /** The ids of the root state and of the user's code, with their names. */
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
