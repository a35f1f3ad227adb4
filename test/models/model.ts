/** What an action does in a state, by the rules of the fixture. */
export interface Outcome<S> {
  /** The HTTP status of the answer. */
  readonly status: number;
  readonly state: S;
  /** The step itself is a finding (a 5xx answer), whatever state it leads to. */
  readonly finding?: string;
}

/**
 * The rules of a fixture, written a second time: no code is shared with the fixture or with the engine, so that equal
 * numbers mean something. States are plain JSON and are never changed in place.
 */
export interface Model<S> {
  readonly initial: S;
  readonly actions: readonly string[];
  /** `null`: skipped, its precondition is not met. */
  step(state: S, action: string): Outcome<S> | null;
  /** The names of the invariants that do not hold in a state. */
  broken(state: S): readonly string[];
}
