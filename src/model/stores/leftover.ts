/** A row by its columns, or a key of Redis, as JSON can say it. */
export type RowImage = Readonly<Record<string, unknown>>;

/** One row of a user's own store that a run changed, or that changed beside it. `null`: it was, or is, not there. */
export interface RowImages {
  readonly table: string;
  /** The identifying values, for people: `id 7`. */
  readonly key: string;
  /** As it was when the run began. */
  readonly root: RowImage | null;
  /** As the run last recorded it. */
  readonly recorded: RowImage | null;
  /** As it is. */
  readonly now: RowImage | null;
}

/** What a run that has ended left in a user's own store. */
export interface Leftover {
  /** The store, without secrets. */
  readonly store: string;
  /** When the run began, and when it last recorded what it did: milliseconds since 1970, 0 where it is not known. */
  readonly sinceMs: number;
  readonly recordedMs: number;
  /** Rows that are as the run recorded them: they go back to what they were before it. */
  readonly undo: readonly RowImages[];
  /** Rows that were changed after the run's last record, or that these need: they stay. */
  readonly keep: readonly RowImages[];
}
