import { withRoom } from "./growable.ts";

type Typed = Int32Array | Uint16Array | Uint8Array;

const BITS = 16;
/** Number of values in a page. */
export const PAGE: number = 1 << BITS;
const MASK = PAGE - 1;
/** Initial size of the first page, as a number of values. The page doubles until it is full. */
const LEAST = 1 << 10;

/** A list of integers that is stored in pages. The list grows without copying full pages. */
export class Paged<T extends Typed> {
  readonly #pages: T[];
  readonly #kind: new (length: number) => T;

  /** @param least Initial size of the first page, as a number of values. */
  constructor(kind: new (length: number) => T, least: number = LEAST) {
    this.#kind = kind;
    this.#pages = [new kind(least)];
  }

  get bytes(): number {
    return this.#pages.reduce((sum, page) => sum + page.byteLength, 0);
  }

  /** Returns the value at an index. The index must not be above the highest index that was passed to {@link set}. */
  at(index: number): number {
    return this.#pages[index >>> BITS]![index & MASK]!;
  }

  /** Returns the value at an index, or 0 for an index beyond the end of the list. */
  atOr0(index: number): number {
    return this.#pages[index >>> BITS]?.[index & MASK] ?? 0;
  }

  /** Sets the value at an index. If the list grows, the new places before the index get zeros. */
  set(index: number, value: number): void {
    const page = this.#pages[index >>> BITS];
    if (page === undefined || (index & MASK) >= page.length) this.#grow(index);
    this.#pages[index >>> BITS]![index & MASK] = value;
  }

  /** Copies the first `count` values of the list into one array. */
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
