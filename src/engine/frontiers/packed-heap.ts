import { Paged } from "../graph/paged.ts";
import { pop, push, type Before, type Heap } from "./leftist-heap.ts";

/** Encodes heap values as 32-bit integers. */
export interface Packing<T> {
  /** Number of integers in a value. */
  readonly width: number;
  put(numbers: Paged<Int32Array>, at: number, value: T): void;
  get(numbers: Paged<Int32Array>, at: number): T;
  before(numbers: Paged<Int32Array>, a: number, b: number): boolean;
}

/** Initial size of a heap, in integers. */
const LEAST = 16;

/** A binary heap that keeps its values in pages of integers, without an object for each value. */
export class PackedHeap<T> {
  readonly #packing: Packing<T>;
  readonly #numbers: Paged<Int32Array> = new Paged(Int32Array, LEAST);
  #size = 0;

  constructor(packing: Packing<T>) {
    this.#packing = packing;
  }

  /**
   * Returns the value at a place, or `undefined` beyond the end. The first value is at 0. The value at `(place - 1) >>> 1`, its parent, never comes
   * after it.
   */
  at(place: number): T | undefined {
    return place < this.#size ? this.#packing.get(this.#numbers, place * this.#packing.width) : undefined;
  }

  push(value: T): void {
    let place = this.#size++;
    this.#packing.put(this.#numbers, place * this.#packing.width, value);
    while (place > 0) {
      const above = (place - 1) >>> 1;
      if (!this.#isBefore(place, above)) return;
      this.#swap(place, above);
      place = above;
    }
  }

  pop(): T | undefined {
    const first = this.at(0);
    if (first === undefined) return undefined;
    const last = --this.#size;
    this.#swap(0, last);
    for (let place = 0; ;) {
      const left = 2 * place + 1;
      let least = left < last && this.#isBefore(left, place) ? left : place;
      if (left + 1 < last && this.#isBefore(left + 1, least)) least = left + 1;
      if (least === place) return first;
      this.#swap(place, least);
      place = least;
    }
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let place = 0; place < this.#size; place++) yield this.at(place)!;
  }

  #isBefore(a: number, b: number): boolean {
    const { width } = this.#packing;
    return this.#packing.before(this.#numbers, a * width, b * width);
  }

  #swap(a: number, b: number): void {
    const { width } = this.#packing;
    for (let i = 0; i < width; i++) {
      const number = this.#numbers.at(a * width + i);
      this.#numbers.set(a * width + i, this.#numbers.at(b * width + i));
      this.#numbers.set(b * width + i, number);
    }
  }
}

/** A value of a {@link HeapAhead}, with its place in the underlying heap, or -1 if the value was pushed. */
interface Ahead<T> {
  readonly value: T;
  readonly place: number;
}

/**
 * Shows how a heap would look after more pushes and pops. The underlying heap must not change meanwhile. Only the heap's values that may be next are
 * held: the first value, and the children of popped values. Creation takes constant time.
 */
export class HeapAhead<T> {
  readonly #below: PackedHeap<T> | undefined;
  readonly #before: Before<Ahead<T>>;
  #heap: Heap<Ahead<T>> | undefined;

  constructor(below: PackedHeap<T> | undefined, before: Before<T>) {
    this.#below = below;
    this.#before = (a, b) => before(a.value, b.value);
    this.#take(0);
  }

  get first(): T | undefined {
    return this.#heap?.value.value;
  }

  push(value: T): void {
    this.#heap = push(this.#heap, { value, place: -1 }, this.#before);
  }

  pop(): T | undefined {
    if (this.#heap === undefined) return undefined;
    const { value, place } = this.#heap.value;
    this.#heap = pop(this.#heap, this.#before);
    if (place >= 0) {
      this.#take(2 * place + 1);
      this.#take(2 * place + 2);
    }
    return value;
  }

  #take(place: number): void {
    const value = this.#below?.at(place);
    if (value !== undefined) this.#heap = push(this.#heap, { value, place }, this.#before);
  }
}
