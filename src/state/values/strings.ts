import type { Clock } from "./clock.ts";
import { hashText, hashText32, isWellFormed } from "../hash/hasher.ts";
import type { Piece } from "../canonical/pieces.ts";
import { scan, scanMarks, SHORTEST_CANDIDATE, type Placeholders } from "./scan.ts";
import type { Token, Tokens } from "../canonical/tokens.ts";

export interface KnownString {
  /** The canonical text, with an `@` and the id's notation in place of each id. `tokens` has the ids in the same order. */
  readonly text: string;
  readonly tokens: readonly Token[];
  readonly lo: number;
  readonly hi: number;
  /** The xxHash32 of the text. Texts with the same xxHash64 rarely share this hash, because it is independent. */
  readonly check: number;
}

const NO_TOKENS: readonly Token[] = [];
const LIMIT = 1 << 16;
/** The length of the longest string that is cached. Longer strings seldom recur and would use much memory. */
const LONGEST_KEPT = 256;

/** Caches the canonical texts of strings, because the same strings recur in many states. */
export class Strings {
  readonly #known = new Map<string, KnownString>();
  /** The clock with which times in strings are recognised; `undefined` if strings are not searched for ids and times. */
  readonly #clock: Clock | undefined;
  readonly #placeholders: Placeholders;
  readonly #shortest: number;
  readonly tokens: Tokens;

  constructor(clock: Clock | undefined, placeholders: Placeholders, tokens: Tokens) {
    this.#clock = clock;
    this.#placeholders = placeholders;
    this.#shortest = Math.min(
      clock === undefined ? Infinity : SHORTEST_CANDIDATE,
      ...placeholders.map(([value]) => Math.max(1, value.length)),
    );
    this.tokens = tokens;
  }

  /**
   * Clears the cache if it is too large. Must not be called while a fingerprint is computed, because the same id must be the same object during the
   * whole computation.
   */
  trim(): void {
    if (this.#known.size > LIMIT || this.tokens.full) this.clear();
  }

  clear(): void {
    this.#known.clear();
    this.tokens.clear();
  }

  pieces(value: string): readonly Piece[] | null {
    if (value.length < this.#shortest) return null;
    return this.#clock === undefined ? scanMarks(value, this.#placeholders) : scan(value, this.#clock, this.#placeholders);
  }

  of(value: string): KnownString {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const fresh = this.#classify(value);
    if (value.length <= LONGEST_KEPT) this.#known.set(value, fresh);
    return fresh;
  }

  #classify(value: string): KnownString {
    const pieces = this.pieces(value);
    if (pieces === null) return hashed(plainText(value));
    const tokens: Token[] = [];
    let text = pieces.length === 1 ? "" : `E${pieces.length}:`;
    for (const piece of pieces) text += this.#pieceText(piece, tokens);
    return tokens.length === 0 ? hashed(text) : { text, tokens, lo: 0, hi: 0, check: 0 };
  }

  #pieceText(piece: Piece, tokens: Token[]): string {
    switch (piece.kind) {
      case "text":
        return plainText(piece.text);
      case "time":
        return "T";
      case "mark":
        return `P${piece.name.length}:${piece.name}`;
      case "id": {
        const name = this.tokens.constants.get(piece.key);
        if (name !== undefined) return `K${piece.form}${name};`;
        tokens.push(this.tokens.of(piece));
        return `@${piece.form}`;
      }
    }
  }
}

/** Returns a string prefixed with its length, so that concatenated strings are unambiguous. */
export function plainText(value: string): string {
  if (isWellFormed(value)) return `"${value.length}:${value}`;
  const escaped = JSON.stringify(value);
  return `w${escaped.length}:${escaped}`;
}

function hashed(text: string): KnownString {
  const fresh = { text, tokens: NO_TOKENS, lo: 0, hi: 0, check: hashText32(text) };
  hashText(text, fresh);
  return fresh;
}
