/** The bundle of the user's module, for lanes in other threads. */
export interface UserModule {
  readonly bundle: string;
  readonly exportName: string;
  /** String literals of the user's own code. Equal values in states count as constants, not as generated values. */
  readonly literals: readonly string[];
  readonly hash: string;
}
