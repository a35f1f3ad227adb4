/** A row that was added or removed between two reads of the log. `by`: the change in its number of copies, negative for removals. */
export interface Delta {
  readonly table: number;
  readonly row: string;
  readonly by: number;
}

/** The changes between two reads of the log. A segment object also identifies the state at its end. */
export interface Segment {
  readonly depth: number;
  readonly deltas: readonly Delta[];
  readonly countersBefore: string;
}

/** Returns the part of a row that distinguishes it from other rows; `undefined` for the whole row. */
export type Telling = (table: number, row: string) => string | undefined;

/**
 * A sum of changes to multisets of rows, one per table. Rows that a {@link Telling} does not distinguish count as equal: the first one represents all
 * of them.
 */
export class RowSums {
  readonly #tables = new Map<number, Map<string, number>>();
  readonly #telling: Telling | undefined;
  /** The representing rows. A key contains the index of the table and the distinguishing part. */
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

/** Adds to a row's count. Returns `false` if the sum is now 0. */
function addTo(rows: Map<string, number>, row: string, by: number): boolean {
  const sum = (rows.get(row) ?? 0) + by;
  if (sum === 0) rows.delete(row);
  else rows.set(row, sum);
  return sum !== 0;
}

const NO_ROWS: ReadonlyMap<string, number> = new Map();

/**
 * The undo log as this process knows it: a stack of segments, and the difference between the current state and the root state. A state is a multiset
 * of rows per table. Changes are sums, so their order does not matter, and tables without a key need no special case.
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

  /** The segment of the last read of the log, which identifies the current state. */
  get top(): Segment {
    return this.#segments[this.#segments.length - 1] as Segment;
  }

  get bottom(): Segment {
    return this.#segments[0] as Segment;
  }

  get counters(): string {
    return this.#counters;
  }

  get net(): RowSums {
    return this.#net;
  }

  /** Returns `true` if a segment identifies the current state or an earlier one on the stack. */
  holds(segment: Segment): boolean {
    return this.#segments[segment.depth] === segment;
  }

  /** Adds the changes since the last read. Changes that cancel out are dropped. */
  push(changes: RowSums, counters: string): void {
    const deltas = changes.deltas();
    if (deltas.length === 0 && counters === this.#counters) return;
    for (const { table, row, by } of deltas) this.#net.add(table, row, by);
    this.#segments.push({ depth: this.#segments.length, deltas, countersBefore: this.#counters });
    this.#counters = counters;
  }

  /** Returns the changes that lead back to a state on the stack of segments. */
  changesTo(segment: Segment): RowSums {
    const sums = new RowSums(this.#telling);
    for (let i = this.#segments.length - 1; i > segment.depth; i--) {
      for (const { table, row, by } of (this.#segments[i] as Segment).deltas) sums.add(table, row, -by);
    }
    return sums;
  }

  /** Returns the counters of a state on the stack of segments. */
  countersAt(segment: Segment): string {
    return this.#segments[segment.depth + 1]?.countersBefore ?? this.#counters;
  }

  popTo(segment: Segment): void {
    this.#counters = this.countersAt(segment);
    while (this.#segments.length > segment.depth + 1) {
      for (const { table, row, by } of (this.#segments.pop() as Segment).deltas) this.#net.add(table, row, -by);
    }
  }
}
