import type { LaneReport } from "../../messages/lane-messages.ts";
import type { ActionCoverage, ExplorationFacts, VerdictException } from "../../model/results/result.ts";
import { NOT_VISIBLE } from "../../reports/console/summary/verdict.ts";
import { plural } from "../../reports/console/text/numbers.ts";
import { hasEndedEarly } from "./idle-actions.ts";

/**
 * An action is reported if at least this number of its writes (2xx or a redirect) changed nothing visible, and none changed something visible. One
 * write is enough if the complete search found only the root state, because then no step changed anything visible.
 */
const ENOUGH = 3;

type Searched = Pick<ExplorationFacts, "stopReason" | "statesVisited">;
type Coverage = Readonly<Record<string, ActionCoverage>>;

/**
 * Returns the actions whose successful writes never changed anything that seqqa can see, with the number of writes. Empty if the search was
 * interrupted or stopped at the first violation.
 */
function unseen(coverage: Coverage, { stopReason, statesVisited }: Searched): readonly Unseen[] {
  if (hasEndedEarly(stopReason)) return [];
  const enough = stopReason === "exhausted" && statesVisited === 1 ? 1 : ENOUGH;
  return Object.entries(coverage).flatMap(([name, { unseenWrites: count = 0, brought, changesNothing, statuses }]) =>
    count < enough || brought === true || changesNothing === true ? [] : [{ name, count, answers: answersIn(statuses) }],
  );
}

interface Unseen {
  readonly name: string;
  readonly count: number;
  /** The classes of the action's answers, e.g. `2xx`. */
  readonly answers: string;
}

function answersIn(statuses: ActionCoverage["statuses"]): string {
  const classes = new Set(Object.keys(statuses).map((status) => Math.trunc(Number(status) / 100)));
  if (!classes.has(3)) return "2xx";
  return classes.has(2) ? "2xx or 3xx" : "3xx";
}

/** Returns the coverage without the numbers of writes that changed nothing visible. */
export function withoutUnseen(coverage: Coverage): Coverage {
  return Object.fromEntries(Object.entries(coverage).map(([name, { unseenWrites: _unseen, ...rest }]) => [name, rest]));
}

/** Returns the verdict's exception that names the part of the target's state that seqqa cannot see; empty if everything is visible. */
export function beyondSight(visibility: LaneReport["visibility"]): readonly VerdictException[] {
  if (visibility === "nothing")
    return [{ kind: "invisible_state", count: 1, text: `${NOT_VISIBLE} (no store, probe or stateFromContext shows it)` }];
  if (visibility === "context") return [{ kind: "invisible_state", count: 1, text: "what stateFromContext does not name" }];
  return [];
}

/** Returns the verdict's exceptions for writes that changed nothing visible. States that differ only in such a write were merged. */
export function unseenChanges(coverage: Coverage, searched: Searched): readonly VerdictException[] {
  const actions = unseen(coverage, searched);
  if (actions.length === 0) return [];
  const text = actions.map(({ name, count, answers }) => `changes made by ${name} (${count} x ${answers}, nothing visible)`).join(", ");
  return [{ kind: "invisible_state", count: actions.length, text }];
}

/**
 * Returns sentences about writes that changed nothing visible and make the result unverified, each with a remedy. `leftOut`: the fields that are left
 * out of states. Such a write may have changed only these fields.
 */
export function unseenWrites(coverage: Coverage, searched: Searched, leftOut: readonly string[] = []): readonly string[] {
  const besides = leftOut.length === 0 ? "" : `, except in fields that are left out of the states (${leftOut.join(", ")})`;
  return unseen(coverage, searched).map(
    ({ name, count, answers }) =>
      `${plural(count, "write")} of ${name} got a ${answers} answer, but changed nothing that seqqa can see${besides}. States that differ only in such changes count as one state. ` +
      "Declare the store that the action writes to, give the World a `probe` that reads the data, or mark the action with `changesNothing: true`.",
  );
}
