/** The bundle of the user's module, for lanes in other threads. */
export interface UserModule {
  readonly bundle: string;
  readonly exportName: string;
  /** String literals of the user's own code. */
  readonly literals: readonly string[];
  readonly hash: string;
}
