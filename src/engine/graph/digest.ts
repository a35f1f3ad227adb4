import xxhash from "xxhash-wasm";

const { create64, h64ToString } = await xxhash();

/** Computes a 64-bit xxHash of a sequence of values, while the values are added. */
export class Digest {
  readonly #hash: ReturnType<typeof create64> = create64();
  readonly #buffer: Int32Array = new Int32Array(1 << 10);
  readonly #bytes: Uint8Array = new Uint8Array(this.#buffer.buffer);
  #used = 0;

  add(a: number, b: number, c: number, d: number): void {
    if (this.#used === this.#buffer.length) this.#flush();
    this.#buffer[this.#used] = a;
    this.#buffer[this.#used + 1] = b;
    this.#buffer[this.#used + 2] = c;
    this.#buffer[this.#used + 3] = d;
    this.#used += 4;
  }

  addText(text: string): void {
    this.#flush();
    this.#hash.update(text);
  }

  /** Returns the hash of all values so far, as 16 hexadecimal digits. More values can be added afterwards. */
  value(): string {
    this.#flush();
    return this.#hash.digest().toString(16).padStart(16, "0");
  }

  #flush(): void {
    if (this.#used > 0) this.#hash.update(this.#bytes.subarray(0, this.#used * 4));
    this.#used = 0;
  }
}

/** Returns the 64-bit xxHash of a text as 16 hexadecimal digits. */
export function hashOf(text: string): string {
  return h64ToString(text);
}
