import type { Clock } from "./clock.ts";
import { isWellFormed } from "./hasher.ts";
import type { Piece } from "./pieces.ts";
import { scan, SHORTEST_CANDIDATE, type Placeholders } from "./scan.ts";
import type { Token, Tokens } from "./tokens.ts";

/** The canonical text of a string that holds ids: each is an `@` and its form in the text, in the order of `tokens`. */
export interface Holed {
  readonly text: string;
  readonly tokens: readonly Token[];
}

const LIMIT = 1 << 16;
/** Longer strings are not kept: they seldom recur, and a full table of them would be large. */
const LONGEST_KEPT = 256;

/** The canonical text of strings, remembered: the same ones recur in state after state. */
export class Strings {
  readonly #known = new Map<string, string | Holed>();
  readonly #clock: Clock;
  readonly #placeholders: Placeholders;
  readonly #shortest: number;
  readonly tokens: Tokens;

  constructor(clock: Clock, placeholders: Placeholders, tokens: Tokens) {
    this.#clock = clock;
    this.#placeholders = placeholders;
    this.#shortest = Math.min(SHORTEST_CANDIDATE, ...placeholders.map(([value]) => Math.max(1, value.length)));
    this.tokens = tokens;
  }

  /** To be called between fingerprints only: within one, an id must stay one object. */
  trim(): void {
    if (this.#known.size > LIMIT || this.tokens.full) this.clear();
  }

  clear(): void {
    this.#known.clear();
    this.tokens.clear();
  }

  encode(value: string): string | Holed {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const encoded = this.#classify(value);
    if (value.length <= LONGEST_KEPT) this.#known.set(value, encoded);
    return encoded;
  }

  #classify(value: string): string | Holed {
    const pieces = value.length < this.#shortest ? null : scan(value, this.#clock, this.#placeholders);
    if (pieces === null) return plainText(value);
    const tokens: Token[] = [];
    let text = pieces.length === 1 ? "" : `E${pieces.length}:`;
    for (const piece of pieces) text += this.#pieceText(piece, tokens);
    return tokens.length === 0 ? text : { text, tokens };
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

/** With its length in front, so that no string can pass for the end of another. */
export function plainText(value: string): string {
  if (isWellFormed(value)) return `"${value.length}:${value}`;
  const escaped = JSON.stringify(value);
  return `w${escaped.length}:${escaped}`;
}
