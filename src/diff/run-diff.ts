/** One difference in behaviour between two runs. */
export interface Change {
  /** The kind of thing that differs. */
  readonly about: "rule" | "race" | "action" | "answer" | "states" | "journey" | "exploration";
  /** `worse` and `better` are for rules, races and journeys; the others say only what differs. */
  readonly kind: "added" | "removed" | "changed" | "worse" | "better";
  /** The name of the rule, action or journey; for a race the names of its calls. */
  readonly subject: string;
  /** The difference in a phrase, e.g. `answers 409 instead of 200 in 3 states`. */
  readonly text: string;
  /** Action names of the shortest path that shows it; absent if there is none. */
  readonly path?: readonly string[] | undefined;
}

/** The differences of one exploration, or of one journey. */
export interface DiffPart {
  readonly kind: "exploration" | "journey";
  readonly name: string;
  /** At least one. */
  readonly changes: readonly Change[];
}

/** How the behaviour of an API differs between two runs. Texts come from the target and are not escaped. */
export interface RunDiff {
  /** The names of the two runs, as a person would say them. */
  readonly before: string;
  readonly after: string;
  /** The parts that differ; empty if the behaviour is equal. */
  readonly parts: readonly DiffPart[];
  /** Sentences about what could not be compared. */
  readonly notes: readonly string[];
}
