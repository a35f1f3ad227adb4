import { sameRow, type ExactRow } from "./exact-row.ts";

/** The identity of a row in its table: SQLite's rowid, or the key of the row as text. */
export type RowKey = bigint | string;

/** A row that was changed at least once since the root state. The row may have its original values again. */
export interface Slot {
  readonly table: number;
  readonly key: RowKey;
  /** The row in the root state; `null` if the root state does not contain the row. */
  readonly base: ExactRow | null;
  /** The row at the last read of the undo log; `null` if the row did not exist then. */
  now: ExactRow | null;
}

/** A row that was changed between two reads of the undo log. */
export interface Touch {
  readonly table: number;
  readonly key: RowKey;
  readonly before: ExactRow | null;
  readonly now: ExactRow | null;
}

/** A change of one row that restores a state: writes the values `wanted`, or deletes the row if `wanted` is `null`. */
export interface Fix {
  readonly slot: Slot;
  readonly wanted: ExactRow | null;
}

interface Change {
  readonly slot: Slot;
  readonly before: ExactRow | null;
  /** `true` if this is the first change of the row since the root state. If the change is undone, the mirror no longer needs an entry for the row. */
  readonly fresh: boolean;
}

/** The changes between two reads of the undo log. The object also identifies the state after these changes. */
export interface Segment {
  readonly depth: number;
  readonly changes: readonly Change[];
  readonly countersBefore: readonly ExactRow[];
}

/**
 * A copy of the undo log in memory: the segments since the root state and, for each changed row, its original and current values. The undo log in the
 * database must therefore contain only the changes since it was last read.
 */
export class NetMirror {
  #slots: Map<RowKey, Slot>[];
  #segments: Segment[];
  #counters: readonly ExactRow[];
  #rootCounters: readonly ExactRow[];

  constructor(tables: number, counters: readonly ExactRow[]) {
    this.#slots = Array.from({ length: tables }, () => new Map<RowKey, Slot>());
    this.#segments = [{ depth: 0, changes: [], countersBefore: counters }];
    this.#counters = counters;
    this.#rootCounters = counters;
  }

  /** The changes that the last read of the undo log found. This object identifies the current state. */
  get top(): Segment {
    return this.#segments[this.#segments.length - 1] as Segment;
  }

  get bottom(): Segment {
    return this.#segments[0] as Segment;
  }

  get counters(): readonly ExactRow[] {
    return this.#counters;
  }

  get rootCounters(): readonly ExactRow[] {
    return this.#rootCounters;
  }

  /** Returns `true` if the state that `segment` identifies is the current state, or an earlier state that can still be restored. */
  holds(segment: Segment): boolean {
    return this.#segments[segment.depth] === segment;
  }

  slot(table: number, key: RowKey): Slot | undefined {
    return this.#slots[table]?.get(key);
  }

  slotsOf(table: number): Iterable<Slot> {
    return this.#slots[table]?.values() ?? [];
  }

  /** Adds a segment with the changes since the last read of the undo log. Changes that cancel each other out are left out. */
  push(touches: readonly Touch[], counters: readonly ExactRow[]): void {
    const changes: Change[] = [];
    for (const touch of touches) {
      if (sameRow(touch.before, touch.now)) continue;
      const slots = this.#slots[touch.table] as Map<RowKey, Slot>;
      let slot = slots.get(touch.key);
      const fresh = slot === undefined;
      if (slot === undefined) {
        slot = { table: touch.table, key: touch.key, base: touch.before, now: touch.before };
        slots.set(touch.key, slot);
      }
      changes.push({ slot, before: touch.before, fresh });
      slot.now = touch.now;
    }
    if (changes.length === 0 && sameCounters(counters, this.#counters)) return;
    this.#segments.push({ depth: this.#segments.length, changes, countersBefore: this.#counters });
    this.#counters = counters;
  }

  /** Returns the rows to write or delete in order to restore the state that `segment` identifies. */
  fixesTo(segment: Segment): Fix[] {
    const wanted = new Map<Slot, ExactRow | null>();
    for (let i = this.#segments.length - 1; i > segment.depth; i--) {
      for (const change of (this.#segments[i] as Segment).changes) wanted.set(change.slot, change.before);
    }
    const fixes: Fix[] = [];
    for (const [slot, row] of wanted) if (!sameRow(slot.now, row)) fixes.push({ slot, wanted: row });
    return fixes;
  }

  /** Returns the counters in the state that `segment` identifies. */
  countersAt(segment: Segment): readonly ExactRow[] {
    return this.#segments[segment.depth + 1]?.countersBefore ?? this.#counters;
  }

  popTo(segment: Segment): void {
    this.#counters = this.countersAt(segment);
    while (this.#segments.length > segment.depth + 1) {
      for (const { slot, before, fresh } of (this.#segments.pop() as Segment).changes) {
        slot.now = before;
        if (fresh) (this.#slots[slot.table] as Map<RowKey, Slot>).delete(slot.key);
      }
    }
  }
}

export function sameCounters(a: readonly ExactRow[], b: readonly ExactRow[]): boolean {
  return a === b || (a.length === b.length && a.every((row, i) => sameRow(row, b[i] as ExactRow)));
}
