import type { IdPiece } from "./pieces.ts";

/** An id that is not a constant: the canonical form has a hole for it. */
export interface Token {
  /** `null` for the anonymous tokens that tie the entries of an unordered collection to it. */
  readonly key: string | null;
  readonly rank: string;
  readonly order: string;
  /** The step that generated it; 0 if it is recognised by its appearance alone. */
  readonly step: number;
  /** The place where it was generated. */
  readonly domain: string;
  /** The number of the fingerprint that last contained it, and its place there; saves a map per fingerprint. */
  stamp: number;
  index: number;
}

const LIMIT = 1 << 16;

/** All known ids. Each is represented by one object for the duration of a fingerprint. */
export class Tokens {
  readonly #byKey = new Map<string, Token>();
  /** Ids of the root and of the user's code, with their names. */
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
