/** What a canonical form has to know of the run. */
export interface CanonicalOptions {
  /** The run's clock in ms since 1970. Times within a day of it become one mark. */
  readonly clockMs: number;
  /** Of a run that goes on: its clocks when it was begun and went on before. Times near any of them are times of the run. */
  readonly earlierClocksMs?: readonly number[] | undefined;
  /** Opaque-looking tokens that stand literally in the user's code ({@link opaqueTokens}): constants. */
  readonly literals: ReadonlySet<string>;
  /** `table.column`s (also `system.table.column`), context keys and paths (`context.user.seen`) that are no part of the state. */
  readonly ignore: readonly string[];
  /** `table.column`s with integer keys that are renamed in full, together with the columns that refer to them by a foreign key. */
  readonly symmetric: readonly string[];
  /** What is the lane's own (URL, port, paths), and what stands for it. Replaced before anything else is read. */
  readonly placeholders: readonly (readonly [string, string])[];
  /** Fields found to differ between two executions of one path, as {@link differingFields} names them: one mark, NULL stays NULL. */
  readonly masked: readonly string[];
  /**
   * Ids and times are recognised by how they look, for comparing executions of which nothing more is known. Default: they are what experiments showed, and
   * stand in the facts as {@link Generated} and {@link Time}.
   */
  readonly byAppearance?: boolean | undefined;
  /** Places whose order of generation is part of the state. */
  readonly ordered?: readonly string[] | undefined;
}
