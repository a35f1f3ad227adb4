/** A row by its columns, or a key of Redis, in a form that JSON can hold. */
export type RowImage = Readonly<Record<string, unknown>>;

/** One row of a user's own store that a run changed, or that changed beside the run. `null`: the row did not, or does not, exist. */
export interface RowImages {
  readonly table: string;
  /** The identifying values, for people: `id 7`. */
  readonly key: string;
  /** The row when the run began. */
  readonly root: RowImage | null;
  /** The row as the run last recorded it. */
  readonly recorded: RowImage | null;
  /** The present row. */
  readonly now: RowImage | null;
}

/** The changes that a run left in a user's own store when it ended. */
export interface Leftover {
  /** The store, without secrets. */
  readonly store: string;
  /** When the run began, and when it last recorded its changes: milliseconds since 1970, 0 if unknown. */
  readonly sinceMs: number;
  readonly recordedMs: number;
  /** Rows that are as the run recorded them: they are restored to their values before the run. */
  readonly undo: readonly RowImages[];
  /** Rows that were changed after the run's last record, or that these rows need: they stay. */
  readonly keep: readonly RowImages[];
}
