/** A row that was added or removed between two readings of the log. `by` is how many more copies of it there are than before; below zero, fewer. */
export interface Delta {
  /** Index of the table. */
  readonly table: number;
  readonly row: string;
  readonly by: number;
}

/** The changes between two readings of the log. The identity of a segment is the identity of the state at its end. */
export interface Segment {
  readonly depth: number;
  readonly deltas: readonly Delta[];
  readonly countersBefore: string;
}

/** Returns the part of a row that distinguishes it from others; `undefined` means the whole row. */
export type Telling = (table: number, row: string) => string | undefined;

/**
 * A sum of changes to one multiset of rows per table. Rows that a {@link Telling} does not distinguish count as one row: the first of them represents
 * all.
 */
export class RowSums {
  readonly #tables = new Map<number, Map<string, number>>();
  readonly #telling: Telling | undefined;
  /** The representing row, by the index of the table and the part that distinguishes rows. */
  readonly #standing = new Map<string, string>();

  constructor(telling?: Telling) {
    this.#telling = telling;
  }

  add(table: number, row: string, by: number): void {
    let rows = this.#tables.get(table);
    if (rows === undefined) this.#tables.set(table, (rows = new Map()));
    const part = this.#telling?.(table, row);
    if (part === undefined) {
      addTo(rows, row, by);
      return;
    }
    const place = `${table} ${part}`;
    const standing = this.#standing.get(place) ?? row;
    if (addTo(rows, standing, by)) this.#standing.set(place, standing);
    else this.#standing.delete(place);
  }

  of(table: number): ReadonlyMap<string, number> {
    return this.#tables.get(table) ?? NO_ROWS;
  }

  deltas(): Delta[] {
    const all: Delta[] = [];
    for (const [table, rows] of this.#tables) for (const [row, by] of rows) all.push({ table, row, by });
    return all;
  }
}

/** Returns `false` if the sum is 0 now. */
function addTo(rows: Map<string, number>, row: string, by: number): boolean {
  const sum = (rows.get(row) ?? 0) + by;
  if (sum === 0) rows.delete(row);
  else rows.set(row, sum);
  return sum !== 0;
}

const NO_ROWS: ReadonlyMap<string, number> = new Map();

/**
 * The undo log as this process knows it: a stack of segments, and the difference between the present state and the root. A state is a multiset of
 * rows per table, so changes are a sum: their order does not matter, and tables without a key need no special case.
 */
export class MultisetMirror {
  readonly #net: RowSums;
  readonly #telling: Telling | undefined;
  #segments: Segment[];
  #counters: string;
  readonly rootCounters: string;

  constructor(counters: string, telling?: Telling) {
    this.#telling = telling;
    this.#net = new RowSums(telling);
    this.#segments = [{ depth: 0, deltas: [], countersBefore: counters }];
    this.#counters = counters;
    this.rootCounters = counters;
  }

  /** The state that the store was in when the log was last read. */
  get top(): Segment {
    return this.#segments[this.#segments.length - 1] as Segment;
  }

  /** The root state. */
  get bottom(): Segment {
    return this.#segments[0] as Segment;
  }

  get counters(): string {
    return this.#counters;
  }

  /** The difference between the present state and the root. */
  get net(): RowSums {
    return this.#net;
  }

  /** Returns `true` if a state is the present one or one of its ancestors. */
  holds(segment: Segment): boolean {
    return this.#segments[segment.depth] === segment;
  }

  /** Adds the changes since the last reading. Changes that cancel out leave no trace. */
  push(changes: RowSums, counters: string): void {
    const deltas = changes.deltas();
    if (deltas.length === 0 && counters === this.#counters) return;
    for (const { table, row, by } of deltas) this.#net.add(table, row, by);
    this.#segments.push({ depth: this.#segments.length, deltas, countersBefore: this.#counters });
    this.#counters = counters;
  }

  /** Returns the changes that lead back to a state that {@link holds}. */
  changesTo(segment: Segment): RowSums {
    const sums = new RowSums(this.#telling);
    for (let i = this.#segments.length - 1; i > segment.depth; i--) {
      for (const { table, row, by } of (this.#segments[i] as Segment).deltas) sums.add(table, row, -by);
    }
    return sums;
  }

  /** Returns the counters in a state that {@link holds}. */
  countersAt(segment: Segment): string {
    return this.#segments[segment.depth + 1]?.countersBefore ?? this.#counters;
  }

  /** Records that the store was restored to a state that {@link holds}. */
  popTo(segment: Segment): void {
    this.#counters = this.countersAt(segment);
    while (this.#segments.length > segment.depth + 1) {
      for (const { table, row, by } of (this.#segments.pop() as Segment).deltas) this.#net.add(table, row, -by);
    }
  }
}
