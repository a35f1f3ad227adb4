export interface Change {
  readonly about: "rule" | "race" | "action" | "answer" | "states" | "journey" | "exploration";
  /** `worse` and `better` are used for rules, races and journeys; the other values only state that something differs. */
  readonly kind: "added" | "removed" | "changed" | "worse" | "better";
  /** The name of the rule, action or journey that differs; for a race, the names of its calls. */
  readonly subject: string;
  /** A phrase that describes the difference, e.g. `answers 409 instead of 200 in 3 states`. */
  readonly text: string;
  /** The shortest path that shows the difference, as names of actions; absent if no path shows it. */
  readonly path?: readonly string[] | undefined;
}

export interface DiffPart {
  readonly kind: "exploration" | "journey";
  readonly name: string;
  /** The differences in this part; never empty. */
  readonly changes: readonly Change[];
}

/**
 * The differences in the behaviour of an API between two runs. The texts may contain values from the target, so the texts must be escaped before they
 * are shown.
 */
export interface RunDiff {
  /** The name of the first of the two runs, for the reader. */
  readonly before: string;
  readonly after: string;
  /** The explorations and journeys that differ; empty if the behaviour is equal. */
  readonly parts: readonly DiffPart[];
  /** Sentences that name what could not be compared, and why. */
  readonly notes: readonly string[];
}
