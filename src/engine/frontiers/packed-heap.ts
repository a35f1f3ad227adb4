import { Paged } from "../graph/paged.ts";
import { pop, push, type Before, type Heap } from "./leftist-heap.ts";

/** Converts the values of a heap to 32-bit integers and back. */
export interface Packing<T> {
  /** Number of integers that encode one value. */
  readonly width: number;
  put(numbers: Paged<Int32Array>, at: number, value: T): void;
  get(numbers: Paged<Int32Array>, at: number): T;
  before(numbers: Paged<Int32Array>, a: number, b: number): boolean;
}

/** Initial size of a heap, as a number of integers. */
const LEAST = 16;

/** A binary heap that stores its values as integers in pages, without an object for each value. */
export class PackedHeap<T> {
  readonly #packing: Packing<T>;
  readonly #numbers: Paged<Int32Array> = new Paged(Int32Array, LEAST);
  #size = 0;

  constructor(packing: Packing<T>) {
    this.#packing = packing;
  }

  /**
   * Returns the value at an index of the heap, or `undefined` for an index beyond the end. The root of the heap is at index 0. The parent of a value
   * is at index `(place - 1) >>> 1`.
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

/** A value of a {@link HeapAhead}, with its index in the underlying heap. The index is -1 for a value that was pushed onto the {@link HeapAhead}. */
interface Ahead<T> {
  readonly value: T;
  readonly place: number;
}

/**
 * A view of a heap. Pushing to the view and popping from the view do not change the heap. The heap itself must not change while the view is used. The
 * view only holds the values of the heap that may be next: the root of the heap, and the children of popped values. Creation takes constant time.
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
