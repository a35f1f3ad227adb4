import type { LaneReport } from "../../messages/lane-messages.ts";
import type { ActionCoverage, StopReason, VerdictException } from "../../model/results/result.ts";
import { NOT_VISIBLE } from "../../reports/console/verdict.ts";
import { plural } from "../../reports/console/numbers.ts";

/** Number of writes without a visible change after which an action is reported. */
const ENOUGH = 3;

type Coverage = Readonly<Record<string, ActionCoverage>>;

/**
 * Returns the actions whose writes are answered 2xx and never change anything visible, with the number of writes. Empty if the search was interrupted
 * or stopped at the first violation.
 */
function unseen(coverage: Coverage, stopReason: StopReason): readonly (readonly [string, number])[] {
  if (stopReason === "first_violation" || stopReason === "interrupted") return [];
  return Object.entries(coverage).flatMap(([name, { unseenWrites = 0, brought, changesNothing }]) =>
    unseenWrites < ENOUGH || brought === true || changesNothing === true ? [] : [[name, unseenWrites] as const],
  );
}

/** Returns the coverage without {@link ActionCoverage.unseenWrites}. */
export function withoutUnseen(coverage: Coverage): Coverage {
  return Object.fromEntries(Object.entries(coverage).map(([name, { unseenWrites: _unseen, ...rest }]) => [name, rest]));
}

/** Returns the verdict's exception for the part of the target's state that seqqa cannot see; empty if everything is visible. */
export function beyondSight(visibility: LaneReport["visibility"]): readonly VerdictException[] {
  if (visibility === "nothing")
    return [{ kind: "invisible_state", count: 1, text: `${NOT_VISIBLE} (no store, probe or stateFromContext shows it)` }];
  if (visibility === "context") return [{ kind: "invisible_state", count: 1, text: "what stateFromContext does not name" }];
  return [];
}

/** Returns the verdict's exceptions for writes without a visible change. States that differ only in such a change were merged. */
export function unseenChanges(coverage: Coverage, stopReason: StopReason): readonly VerdictException[] {
  const actions = unseen(coverage, stopReason);
  if (actions.length === 0) return [];
  const text = actions.map(([name, count]) => `what ${name} changes (${count} x 2xx, nothing visible)`).join(", ");
  return [{ kind: "invisible_state", count: actions.length, text }];
}

/** Returns the reasons why a result with unseen writes is unverified, with remedies. */
export function unseenWrites(coverage: Coverage, stopReason: StopReason): readonly string[] {
  return unseen(coverage, stopReason).map(
    ([name, count]) =>
      `${plural(count, "write")} of ${name} got a 2xx, but nothing that seqqa can see changed: states that differ only in what it changes count as one. ` +
      "Declare the store that it writes to, give the World a `probe` that reads it, or mark the action with `changesNothing: true`.",
  );
}
