import { markedDifferences, sameNames, shownNames, type Marked } from "../canonical/same-names.ts";
import type { Origins } from "../values/origins.ts";
import { fieldOf } from "../values/places.ts";
import { eachDifference } from "./differing-fields.ts";
import { onlyIn } from "./differences.ts";

/** A state as messages compare it. Plain data, so that it can be sent to another lane. */
export interface StateView {
  readonly lines: Marked;
  /** The fields of generated values and of times, each with the name of the request or step that made the value. */
  readonly made: readonly string[];
}

/** The maximum number of fields that a sentence names. */
const MOST_NAMED = 5;
const PATH = /^[-+] ((?:"(?:[^"\\]|\\.)*"|[^\s"])+)/;

export function stateView(lines: Marked, { ids, times }: Pick<Origins, "ids" | "times">): StateView {
  const made = [...ids.values()].map(({ domain, label }) => [domain, label]);
  const written = [...times.values()].map(({ domain, name, source = "" }) => [domain, `${name} ${source}`]);
  return {
    lines,
    made: [...made, ...written].flatMap(([domain = "", name]) => (domain[0] === "[" ? [`${name}\n${placeOf(domain)}`] : [])),
  };
}

/** Returns a sentence that names the fields in which two different states differ, without their values. */
export function whatDiffers(first: StateView, second: StateView): string {
  const fields = new Set<string>();
  const note: Parameters<typeof eachDifference>[2] = ({ kind, name }) =>
    fields.add(kind === "field" ? name : `the number of ${kind}s in ${name}`);
  const [a, b] = [shownNames(first.lines), shownNames(second.lines)];
  eachDifference(a, b, note);
  eachDifference(b, a, note);
  if (fields.size === 0)
    for (const line of markedDifferences(first.lines, sameNames(first.lines, second.lines), 2 * MOST_NAMED))
      for (const path of PATH.exec(line)?.slice(1) ?? []) fields.add(path);
  if (fields.size > 0) return `The two states differ in ${listOf(fields)}.`;
  const { onlyA, onlyB } = onlyIn(first.made, second.made);
  const made = new Set([...onlyA, ...onlyB].map((one) => one.slice(one.lastIndexOf("\n") + 1)));
  if (made.size === 0) return "The two states differ only in the order in which their values were generated.";
  return `The two states look the same, but requests with different contents generated the values of ${listOf(made)}.`;
}

/** Returns the field of a place, or of a counter that is named after a place. */
function placeOf(domain: string): string {
  return fieldOf(domain.slice(0, domain.lastIndexOf("]") + 1));
}

function listOf(names: ReadonlySet<string>): string {
  const sorted = [...names].toSorted();
  const others = sorted.length - MOST_NAMED;
  return `${sorted.slice(0, MOST_NAMED).join(", ")}${others > 0 ? ` and ${others} more` : ""}`;
}
