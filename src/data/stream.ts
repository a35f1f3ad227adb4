import { createHash } from "node:crypto";

/**
 * Generates a sequence of random numbers from a text: equal texts give equal sequences. The generator is xoshiro128** (Blackman, Vigna 2018). Its
 * initial state is the first 128 bits of the text's SHA-256.
 */
export class Stream {
  readonly #state: Uint32Array;

  constructor(key: string) {
    const hash = createHash("sha256").update(key).digest();
    this.#state = Uint32Array.from({ length: 4 }, (_, i) => hash.readUInt32LE(i * 4));
    // Avoid a state in which all words are zero, because xoshiro could never leave such a state.
    if (this.#state.every((word) => word === 0)) this.#state[0] = 1;
  }

  /** Returns the next random number, at least 0 and below 1, with 53 random bits. */
  next(): number {
    return ((this.#word() >>> 5) * 0x4000000 + (this.#word() >>> 6)) / 0x20000000000000;
  }

  #word(): number {
    const s = this.#state;
    const scrambled = Math.imul(rotated(Math.imul(s[1]!, 5), 7), 9) >>> 0;
    const shifted = s[1]! << 9;
    s[2]! ^= s[0]!;
    s[3]! ^= s[1]!;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= shifted;
    s[3] = rotated(s[3]!, 11);
    return scrambled;
  }
}

function rotated(word: number, by: number): number {
  return (word << by) | (word >>> (32 - by));
}
