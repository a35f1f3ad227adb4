import type { Clock } from "./clock.ts";
import { hashText, hashText32, isWellFormed } from "../hash/hasher.ts";
import type { Piece } from "../canonical/pieces.ts";
import { scan, scanMarks, SHORTEST_CANDIDATE, type Placeholders } from "./scan.ts";
import type { Token, Tokens } from "../canonical/tokens.ts";

/** The canonical form of a string, with its hashes. */
export interface KnownString {
  /** Its canonical text: each id is an `@` and its notation, in the order of `tokens`. */
  readonly text: string;
  readonly tokens: readonly Token[];
  /** xxHash64 of the text. */
  readonly lo: number;
  readonly hi: number;
  /** xxHash32 of the text. It is independent: texts that share the other hash rarely share this one. */
  readonly check: number;
}

const NO_TOKENS: readonly Token[] = [];
const LIMIT = 1 << 16;
/** Longer strings are not kept: they seldom recur, and a full table of them would be large. */
const LONGEST_KEPT = 256;

/** Remembers the canonical text of strings: the same strings recur in state after state. */
export class Strings {
  readonly #known = new Map<string, KnownString>();
  /** `undefined` if ids and times are not looked for. */
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

  /** Limits the memory. Call it only between fingerprints: within one, an id must stay one object. */
  trim(): void {
    if (this.#known.size > LIMIT || this.tokens.full) this.clear();
  }

  clear(): void {
    this.#known.clear();
    this.tokens.clear();
  }

  /** Splits a string into pieces; `null` if it is only text. */
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

/** Returns a string with its length before it, so that no string can be read as the end of another. */
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
