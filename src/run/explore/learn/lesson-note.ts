import { isDeepStrictEqual } from "node:util";
import type { Explorer } from "../../../engine/search/explorer.ts";
import type { CounterColumn } from "../../../messages/lane-messages.ts";
import { plural } from "../../../reports/console/text/numbers.ts";
import {
  contentOf,
  counterIn,
  fieldOf,
  FULL_ORDER,
  NEXT_SECOND,
  ROOT_TIMES,
  storeOfEntries,
  tableOfRows,
  type Knowledge,
} from "../../../state/index.ts";
import type { LearnedValues } from "./learn-values.ts";
import { learnedSince, SETUP_TIMES, shownFields } from "./learned-fields.ts";

/** Returns a note that says that the search starts again, and why. `before`: the knowledge with which the search had begun. */
export function lessonNote(
  { committer }: Pick<Explorer, "committer">,
  { isExplained, divergences, knowledge }: Omit<LearnedValues, "reports"> & { readonly isExplained: boolean },
  before: Knowledge,
): string {
  const after = `after ${plural(committer.steps, "step")}`;
  if (!isExplained || divergences.length > 0) {
    const note = `seqqa restarted the search ${after}, because equal states had different outcomes. From now on, seqqa repeats the calls of a path to reach a state, and does not copy states between lanes.`;
    const dropped = [
      ...newEntries(before, knowledge, counterIn),
      ...newEntries(before, knowledge, tableOfRows).map((table) => `rows of ${table}`),
      ...newEntries(before, knowledge, storeOfEntries).map((store) => `entries of ${store}`),
      ...orderedFields(before, knowledge),
    ];
    return dropped.length === 0
      ? note
      : `${note} The order in which these values were generated does not explain the difference, so states no longer differ by it: ${shownFields(dropped)}.`;
  }
  return `seqqa restarted the search ${after}, because states that it considered equal had different outcomes. ${lessonOf(knowledge, before)}`;
}

/** Returns a note that says that the search starts again, because a counter made it endless. */
export function endlessNote({ committer }: Pick<Explorer, "committer">, { field }: CounterColumn): string {
  return `seqqa restarted the search after ${plural(committer.steps, "step")}: the counter of ${field} grows without end (calls use up its numbers), so there are always new states. From now on, restores leave this counter as it is, and its ids count as generated values.`;
}

/** Returns a note that says that a counter is restored again, because its numbers decide results. */
export function neededNote({ field }: CounterColumn): string {
  return `${growing(field)}. Results depend on its numbers, so seqqa restores it, and the search may be endless. To limit it, ${LIMIT}.`;
}

/** Returns a note that says that the search starts again and restores counters, because violations depended on their numbers. */
export function againNote({ committer }: Pick<Explorer, "committer">, columns: readonly CounterColumn[]): string {
  const fields = columns.map(({ field }) => field).join(", ");
  return `seqqa restarted the search after ${plural(committer.steps, "step")}: a broken rule did not break again from a clean start, where the counter of ${fields} begins as in the initial state. Results seem to depend on its numbers, so seqqa restores it from now on.`;
}

/** Returns a note for a counter that makes the search endless and that the store can only restore. */
export function restoredNote({ field }: CounterColumn): string {
  return `${growing(field)}, so the search may be endless. To leave the counter out of states, add \`symmetric: [${field}]\` to the store, or ${LIMIT}.`;
}

function growing(field: string): string {
  return `The counter of ${field} grows without end (calls use up its numbers)`;
}

const LIMIT = "add preconditions that limit how many of its numbers the actions use up";

/** Returns a sentence that names the difference between `knowledge` and the earlier knowledge `before`. */
function lessonOf(knowledge: Knowledge, before: Knowledge): string {
  const added = learnedSince(knowledge, before);
  if (added !== "") return `seqqa now knows that these values differ when calls are repeated: ${added}.`;
  if (knowledge.ordered.includes(NEXT_SECOND) && !before.ordered.includes(NEXT_SECOND))
    return "The target compares times in whole seconds, so calls within one second have another result than calls in different seconds. seqqa now waits for the next second between such calls.";
  const counters = newEntries(knowledge, before, counterIn);
  const tables = newEntries(knowledge, before, tableOfRows);
  const stores = newEntries(knowledge, before, storeOfEntries);
  if (counters.length + tables.length + stores.length > 0)
    return [
      ...(counters.length > 0 ? [`States now also differ by the values of these counters: ${shownFields(counters)}.`] : []),
      ...(tables.length > 0 ? [`States now also differ by the order of the rows of these tables: ${shownFields(tables)}.`] : []),
      ...(stores.length > 0 ? [`States now also differ by the order of the entries of these stores: ${shownFields(stores)}.`] : []),
    ].join(" ");
  const fields = orderedFields(knowledge, before);
  const refined = refinedFields(knowledge, before);
  if (fields.length === 0) return `seqqa now knows more about values that differ when calls are repeated: ${shownFields(refined)}.`;
  return `States now also differ by the order in which these values were generated: ${shownFields(fields)}.`;
}

/** Returns the counters, or tables, that belong to states according to the first knowledge, but not according to `other`. `nameIn`: reads an entry. */
function newEntries({ ordered }: Knowledge, other: Knowledge, nameIn: (entry: string) => string | undefined): readonly string[] {
  return ordered.filter((entry) => !other.ordered.includes(entry)).flatMap((entry) => nameIn(entry) ?? []);
}

/**
 * Returns the fields whose order of generation distinguishes states according to the first knowledge, but not (or less strictly) according to
 * `other`.
 */
function orderedFields({ generated, times, ordered }: Knowledge, other: Knowledge): readonly string[] {
  const isOrdered = (key: string): boolean =>
    [key, contentOf(key), FULL_ORDER].some((one) => ordered.includes(one) && !other.ordered.includes(one));
  const some = [...generated.filter(({ place, domain }) => isOrdered(domain ?? place)), ...times.filter(({ place }) => isOrdered(place))];
  const fields = some.map(({ place }) => fieldOf(place));
  if (ordered.includes(ROOT_TIMES) && !other.ordered.includes(ROOT_TIMES)) fields.push(SETUP_TIMES);
  return fields;
}

/**
 * Returns the fields about whose values `knowledge` contains data that `before` does not contain, and the actions whose requests turned out to
 * differ.
 */
function refinedFields(knowledge: Knowledge, before: Knowledge): readonly string[] {
  const known = [...before.generated, ...before.times];
  const refined = [...knowledge.generated, ...knowledge.times].filter((one) => !known.some((other) => isDeepStrictEqual(one, other)));
  const actions = knowledge.noisyActions.filter((action) => !before.noisyActions.includes(action));
  return [...refined.map(({ place }) => fieldOf(place)), ...actions.map((action) => `requests of ${action}`)];
}
