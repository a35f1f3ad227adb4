import { withRoom } from "./growable.ts";

type Typed = Int32Array | Uint16Array | Uint8Array;

const BITS = 16;
/** Number of values in a page. */
export const PAGE: number = 1 << BITS;
const MASK = PAGE - 1;
/** Initial size of the first page, in values. It doubles until it is full. */
const LEAST = 1 << 10;

/** A list of integers in pages. Growing adds a page and does not copy full pages. */
export class Paged<T extends Typed> {
  readonly #pages: T[];
  readonly #kind: new (length: number) => T;

  /** `least`: the initial size of the first page, in values. */
  constructor(kind: new (length: number) => T, least: number = LEAST) {
    this.#kind = kind;
    this.#pages = [new kind(least)];
  }

  get bytes(): number {
    return this.#pages.reduce((sum, page) => sum + page.byteLength, 0);
  }

  /** Returns a value. The index must be one that {@link set} made room for. */
  at(index: number): number {
    return this.#pages[index >>> BITS]![index & MASK]!;
  }

  /** Returns a value, or 0 beyond the end of the list. */
  atOr0(index: number): number {
    return this.#pages[index >>> BITS]?.[index & MASK] ?? 0;
  }

  /** Sets a value. Values between the end of the list and the index become 0. */
  set(index: number, value: number): void {
    const page = this.#pages[index >>> BITS];
    if (page === undefined || (index & MASK) >= page.length) this.#grow(index);
    this.#pages[index >>> BITS]![index & MASK] = value;
  }

  /** Copies the first `count` values into one array. */
  slice(count: number): T {
    const whole = new this.#kind(count);
    for (let page = 0; page * PAGE < count; page++)
      whole.set(this.#pages[page]!.subarray(0, Math.min(PAGE, count - page * PAGE)), page * PAGE);
    return whole;
  }

  #grow(index: number): void {
    this.#pages[0] = withRoom(this.#pages[0]!, Math.min(index, MASK));
    while (this.#pages.length <= index >>> BITS) this.#pages.push(new this.#kind(PAGE));
  }
}
