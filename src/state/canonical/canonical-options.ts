import type { RenamedCounter } from "./fresh-counters.ts";

export interface CanonicalOptions {
  /**
   * The run's clock, in milliseconds since 1970. With {@link CanonicalOptions.byAppearance}, times within a day of this clock become one placeholder.
   */
  readonly clockMs: number;
  /** The clocks of a resumed run: at its first start and at each earlier resumption. Times near one of these clocks count as times of the run. */
  readonly earlierClocksMs?: readonly number[] | undefined;
  /**
   * Literals in the user's code that look like ids ({@link opaqueTokens}). Literals are not renamed in states, because they are the same in every
   * run.
   */
  readonly literals: ReadonlySet<string>;
  /** Columns (`table.column`, `system.table.column`), context keys, and paths such as `context.user.seen` that are not part of the state. */
  readonly ignore: readonly string[];
  /** Columns (`table.column`) with integer keys that are renamed like generated ids. Foreign keys that refer to these columns are renamed, too. */
  readonly symmetric: readonly string[];
  /**
   * The counters of columns in `symmetric`. The value of such a counter is left out of the state as long as it shows only that the next id is a new
   * id; see {@link FreshCounters}. Default: none.
   */
  readonly counters?: readonly RenamedCounter[] | undefined;
  /** Values that only this lane has (URL, port, paths), each with a placeholder. The placeholders replace the values before the state is analysed. */
  readonly placeholders: readonly (readonly [string, string])[];
  /**
   * Fields that differ between two executions of one path, in the form of {@link differingFields}. All their values except NULL are replaced by one
   * placeholder.
   */
  readonly masked: readonly string[];
  /**
   * `true` if ids and times are recognized by their appearance, for comparing executions when no experiment has shown which values are generated.
   * Default `false`: experiments show which values are generated, and {@link Generated} and {@link Time} objects replace these values before the
   * state is written as text.
   */
  readonly byAppearance?: boolean | undefined;
  /** `true` if generated values are written without their origin. Default `false`. */
  readonly isAnonymous?: boolean | undefined;
  /** The domains of generated values whose order of generation is part of the state. */
  readonly ordered?: readonly string[] | undefined;
}
