/** Properties of the run that a canonical form depends on. */
export interface CanonicalOptions {
  /** The run's clock in ms since 1970. Times within a day of it become one placeholder. */
  readonly clockMs: number;
  /** The clocks of a resumed run: of its beginning and of its earlier resumptions. Times near any of them are times of the run. */
  readonly earlierClocksMs?: readonly number[] | undefined;
  /** Opaque-looking tokens that are literals in the user's code ({@link opaqueTokens}): constants. */
  readonly literals: ReadonlySet<string>;
  /** `table.column`s (also `system.table.column`), context keys and paths (`context.user.seen`) that are not part of the state. */
  readonly ignore: readonly string[];
  /** `table.column`s with integer keys that are renamed in full, together with the columns that refer to them by a foreign key. */
  readonly symmetric: readonly string[];
  /** Values that only this lane has (URL, port, paths), and the placeholders that replace them. They are replaced before anything else is read. */
  readonly placeholders: readonly (readonly [string, string])[];
  /**
   * Fields found to differ between two executions of one path, as {@link differingFields} names them. Their values become one placeholder; NULL stays
   * NULL.
   */
  readonly masked: readonly string[];
  /**
   * `true` if ids and times are recognised by their appearance, to compare executions about which nothing else is known. By default experiments show
   * which values they are, and the facts hold {@link Generated} and {@link Time} for them.
   */
  readonly byAppearance?: boolean | undefined;
  /** Places whose order of generation is part of the state. */
  readonly ordered?: readonly string[] | undefined;
}
