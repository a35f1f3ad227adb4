/** A row that came or went between two readings of the log: how often it is there more (or, below zero, less) than before. */
export interface Delta {
  /** Index of the table. */
  readonly table: number;
  readonly row: string;
  readonly by: number;
}

/** What happened between two readings of the log. The identity of a segment is the identity of the state at its end. */
export interface Segment {
  readonly depth: number;
  readonly deltas: readonly Delta[];
  readonly countersBefore: string;
}

/** Returns the part of a row that tells it from others; `undefined`: all of it. */
export type Telling = (table: number, row: string) => string | undefined;

/** A sum of changes to one multiset of rows per table. Rows that a {@link Telling} does not tell apart are one: that which came first stands for it. */
export class RowSums {
  readonly #tables = new Map<number, Map<string, number>>();
  readonly #telling: Telling | undefined;
  /** By the index of the table and the part that tells rows apart, the row that stands for them. */
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

/** Returns `false` where the sum is 0 now. */
function addTo(rows: Map<string, number>, row: string, by: number): boolean {
  const sum = (rows.get(row) ?? 0) + by;
  if (sum === 0) rows.delete(row);
  else rows.set(row, sum);
  return sum !== 0;
}

const NO_ROWS: ReadonlyMap<string, number> = new Map();

/**
 * The undo log as this process knows it: a stack of segments, and what the present state differs in from the root. A state is a multiset of
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

  /** What the present state differs in from the root. */
  get net(): RowSums {
    return this.#net;
  }

  /** Whether a state is the present one or one that it grew from. */
  holds(segment: Segment): boolean {
    return this.#segments[segment.depth] === segment;
  }

  /** Takes in what happened since the last reading; what cancelled out leaves no trace. */
  push(changes: RowSums, counters: string): void {
    const deltas = changes.deltas();
    if (deltas.length === 0 && counters === this.#counters) return;
    for (const { table, row, by } of deltas) this.#net.add(table, row, by);
    this.#segments.push({ depth: this.#segments.length, deltas, countersBefore: this.#counters });
    this.#counters = counters;
  }

  /** What has to be changed to get back to a state that {@link holds}. */
  changesTo(segment: Segment): RowSums {
    const sums = new RowSums(this.#telling);
    for (let i = this.#segments.length - 1; i > segment.depth; i--) {
      for (const { table, row, by } of (this.#segments[i] as Segment).deltas) sums.add(table, row, -by);
    }
    return sums;
  }

  /** The counters in a state that {@link holds}. */
  countersAt(segment: Segment): string {
    return this.#segments[segment.depth + 1]?.countersBefore ?? this.#counters;
  }

  /** The store was put back to a state that {@link holds}. */
  popTo(segment: Segment): void {
    this.#counters = this.countersAt(segment);
    while (this.#segments.length > segment.depth + 1) {
      for (const { table, row, by } of (this.#segments.pop() as Segment).deltas) this.#net.add(table, row, -by);
    }
  }
}
