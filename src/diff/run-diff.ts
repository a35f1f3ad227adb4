export interface Change {
  readonly about: "rule" | "race" | "action" | "answer" | "states" | "journey" | "exploration";
  /** `worse` and `better` apply to rules, races and journeys. The other kinds are neutral. */
  readonly kind: "added" | "removed" | "changed" | "worse" | "better";
  /** The name of the rule, action or journey, or the names of a race's calls. */
  readonly subject: string;
  /** A phrase that describes the difference, e.g. `answers 409 instead of 200 in 3 states`. */
  readonly text: string;
  /** The names of the actions on the shortest path that shows the difference; absent if there is none. */
  readonly path?: readonly string[] | undefined;
}

export interface DiffPart {
  readonly kind: "exploration" | "journey";
  readonly name: string;
  /** The differences; never empty. */
  readonly changes: readonly Change[];
}

/** The differences in the behaviour of an API between two runs. Texts come from the target and are not escaped. */
export interface RunDiff {
  /** The names of the two runs, for people. */
  readonly before: string;
  readonly after: string;
  /** The parts that differ; empty if the behaviour is equal. */
  readonly parts: readonly DiffPart[];
  /** Sentences about parts that could not be compared. */
  readonly notes: readonly string[];
}
