/**
 * A row that was added or removed between two reads of the undo log. `by` is the number of added copies, or the negative number of removed copies.
 */
export interface Delta {
  readonly table: number;
  readonly row: string;
  readonly by: number;
}

/** The changes between two reads of the undo log. The object also identifies the state after these changes. */
export interface Segment {
  readonly depth: number;
  readonly deltas: readonly Delta[];
  readonly countersBefore: string;
}

/** Returns the part of a row that is compared with other rows of its table. Returns `undefined` if the whole row is compared. */
export type Telling = (table: number, row: string) => string | undefined;

/**
 * Counts how many copies of each row were added to or removed from each table. Rows with equal compared parts (see {@link Telling}) count as copies
 * of one row.
 */
export class RowSums {
  readonly #tables = new Map<number, Map<string, number>>();
  readonly #telling: Telling | undefined;
  /**
   * For each compared part: the row that was counted first, under which all rows with the same compared part are counted. The key of the map contains
   * the index of the table and the compared part.
   */
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

/** Adds `by` to the count of a row. Returns `false` if the count is now 0. */
function addTo(rows: Map<string, number>, row: string, by: number): boolean {
  const sum = (rows.get(row) ?? 0) + by;
  if (sum === 0) rows.delete(row);
  else rows.set(row, sum);
  return sum !== 0;
}

const NO_ROWS: ReadonlyMap<string, number> = new Map();

/**
 * A copy of the undo log in memory: the segments since the root state, and the number of added or removed copies of each row. The mirror only adds up
 * numbers of copies, so it can also restore tables without a key.
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

  /** The changes that the last read of the undo log found. This object identifies the current state. */
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

  /** Returns `true` if the state that `segment` identifies is the current state, or an earlier state that can still be restored. */
  holds(segment: Segment): boolean {
    return this.#segments[segment.depth] === segment;
  }

  /** Adds a segment with the changes since the last read of the undo log. Changes that cancel each other out are left out. */
  push(changes: RowSums, counters: string): void {
    const deltas = changes.deltas();
    if (deltas.length === 0 && counters === this.#counters) return;
    for (const { table, row, by } of deltas) this.#net.add(table, row, by);
    this.#segments.push({ depth: this.#segments.length, deltas, countersBefore: this.#counters });
    this.#counters = counters;
  }

  /** Returns the changes that turn the current state into the state that `segment` identifies. */
  changesTo(segment: Segment): RowSums {
    const sums = new RowSums(this.#telling);
    for (let i = this.#segments.length - 1; i > segment.depth; i--) {
      for (const { table, row, by } of (this.#segments[i] as Segment).deltas) sums.add(table, row, -by);
    }
    return sums;
  }

  /** Returns the counters in the state that `segment` identifies. */
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

/** The maximum number of rows in a snapshot that contains all rows of a store. */
export const MOST_ROWS = 20_000;
