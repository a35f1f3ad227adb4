import type { LaneReport } from "../../messages/lane-messages.ts";
import type { ActionCoverage, StopReason, VerdictException } from "../../model/results/result.ts";
import { NOT_VISIBLE } from "../../reports/console/verdict.ts";
import { plural } from "../../reports/console/numbers.ts";

/** The number of writes without a visible change from which on an action is judged. */
const ENOUGH = 3;

type Coverage = Readonly<Record<string, ActionCoverage>>;

/**
 * Returns the actions whose writes are answered with 2xx and never change anything visible, with the number of writes. An interrupted search is not
 * judged.
 */
function unseen(coverage: Coverage, stopReason: StopReason): readonly (readonly [string, number])[] {
  if (stopReason === "first_violation" || stopReason === "interrupted") return [];
  return Object.entries(coverage).flatMap(([name, { unseenWrites = 0, brought, changesNothing }]) =>
    unseenWrites < ENOUGH || brought === true || changesNothing === true ? [] : [[name, unseenWrites] as const],
  );
}

/** Removes the counts of {@link ActionCoverage.unseenWrites}. */
export function withoutUnseen(coverage: Coverage): Coverage {
  return Object.fromEntries(Object.entries(coverage).map(([name, { unseenWrites: _unseen, ...rest }]) => [name, rest]));
}

/** Returns an exception for the part of the target's state that the search cannot see, or nothing. */
export function beyondSight(visibility: LaneReport["visibility"]): readonly VerdictException[] {
  if (visibility === "nothing")
    return [{ kind: "invisible_state", count: 1, text: `${NOT_VISIBLE} (no store, probe or stateFromContext shows it)` }];
  if (visibility === "context") return [{ kind: "invisible_state", count: 1, text: "what stateFromContext does not name" }];
  return [];
}

/** Returns exceptions for writes whose changes seqqa may not see: states that differ in them were merged. */
export function unseenChanges(coverage: Coverage, stopReason: StopReason): readonly VerdictException[] {
  const actions = unseen(coverage, stopReason);
  if (actions.length === 0) return [];
  const text = actions.map(([name, count]) => `what ${name} changes (${count} x 2xx, nothing visible)`).join(", ");
  return [{ kind: "invisible_state", count: actions.length, text }];
}

/** Returns the reasons why such a result is unverified, with remedies. */
export function unseenWrites(coverage: Coverage, stopReason: StopReason): readonly string[] {
  return unseen(coverage, stopReason).map(
    ([name, count]) =>
      `${plural(count, "write")} of ${name} got a 2xx, but nothing that seqqa can see changed: states that differ only in what it changes count as one. ` +
      "Declare the store that it writes to, give the World a `probe` that reads it, or mark the action with `changesNothing: true`.",
  );
}
