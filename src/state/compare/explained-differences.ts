import { sameFingerprint, type Fingerprint } from "../canonical/facts.ts";
import { markedDifferences, sameNames, type Marked } from "../canonical/same-names.ts";
import { differingFields } from "./differing-fields.ts";

/** A state as a fingerprint and as lines for people. */
export interface ShownState extends Fingerprint {
  readonly marked: Marked;
  /** The lines of the state with the origins of generated values, and with the keys of JSON in their order. */
  readonly exact: readonly string[];
}

/**
 * Returns lines that say how two states with different fingerprints differ: at most `limit` lines, and one line with the number of further
 * differences. If the lines for people are equal, names the fields whose values have different origins or a different order. Returns an empty list
 * for equal states.
 */
export function explainedDifferences(expected: ShownState, actual: ShownState, limit: number): readonly string[] {
  const lines = markedDifferences(expected.marked, sameNames(expected.marked, actual.marked), limit);
  if (lines.length > 0 || sameFingerprint(expected, actual)) return lines;
  const fields = differingFields(expected.exact, actual.exact);
  return fields.length === 0
    ? ["All shown values are equal, but the order in which they were written, or the requests that wrote them, differ."]
    : [`All shown values are equal, but the order or the request differs in: ${fields.join(", ")}`];
}
