import type { ExpectedStatus } from "../../model/declare/action.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ActionCoverage, StopReason } from "../../model/results/result.ts";
import { works } from "../../reports/console/summary/rules-text.ts";
import { grouped, plural } from "../../reports/console/text/numbers.ts";
import { answeredEachTime } from "./waste.ts";

type Coverage = Readonly<Record<string, ActionCoverage>>;

/** In a search that is not exhaustive, an action is reported only if it was tried at least this number of times. */
export const ENOUGH: number = 20;
/** Maximum number of actions that a message names. */
const SHOWN = 10;

interface IdleOptions {
  readonly stopReason: StopReason;
  /** The number of steps that the search committed. */
  readonly steps: number;
  /** `true` if every reachable state was explored, including the states behind violations. */
  readonly isExhaustive: boolean;
}

/**
 * Adds the role of each action to the coverage, and marks the actions that may be idle in a verified result. Redirects of an action that may never
 * succeed do not count as its writes, because web pages also refuse a form by a redirect.
 * @param requireAll `false` marks every action in this way.
 */
export function withExemptions(coverage: Coverage, { actions }: AgentDefinition<never, never>, requireAll: boolean): Coverage {
  const marked: Record<string, ActionCoverage> = { ...coverage };
  for (const { name, as: role, expectedStatus, mayNeverApply, mayNeverSucceed, changesNothing } of actions) {
    const known = marked[name];
    if (known === undefined) continue;
    const { unseenWrites, ...rest } = known;
    const isRefused = mayNeverSucceed && (!works(known) || Object.keys(known.statuses).every((status) => Number(status) >= 300));
    const own = {
      ...rest,
      ...(unseenWrites !== undefined && !isRefused && { unseenWrites }),
      ...(role !== undefined && { role }),
    };
    marked[name] = own;
    if (own.brought === true) continue;
    const isExempt = !requireAll || expectedStatus !== undefined;
    marked[name] = {
      ...own,
      ...((isExempt || mayNeverApply) && { mayNeverApply: true as const }),
      ...(changesNothing && { changesNothing: true as const }),
      ...((isExempt || mayNeverSucceed) && { mayNeverSucceed: true as const }),
      ...(expectedStatus?.every(isRefusal) === true && { mustBeRefused: true as const }),
    };
  }
  return marked;
}

function isRefusal(status: ExpectedStatus): boolean {
  return typeof status === "number" ? status >= 400 : status >= "4xx";
}

/**
 * Returns `true` if the search was ended by its first violation or by the user. Such a search need not have tried every action, so nothing follows
 * from actions that never worked.
 */
export function hasEndedEarly(stopReason: StopReason | undefined): boolean {
  return stopReason === "first_violation" || stopReason === "interrupted";
}

/**
 * Returns a list with one sentence that names the idle actions; empty if there are none. An action is idle if it never applied, or if every answer
 * had a status of 400 or more, or a body that refuses the request. In a search that is not exhaustive, only actions with at least 20 tries are judged.
 */
export function idleActions(coverage: Coverage, { stopReason, steps, isExhaustive }: IdleOptions): readonly string[] {
  if (hasEndedEarly(stopReason)) return [];
  const never = neverBegan(stopReason, steps);
  if (never.length > 0) return never;
  const all = Object.entries(coverage).filter(([, { brought }]) => brought !== true);
  // The finding may be a known one, so that the exit status would be 0.
  if (stopReason === "exhausted" && steps === 0 && all.some(([, { skipped, mayNeverApply }]) => skipped === 0 && mayNeverApply !== true))
    return ["No action was executed, because the root state breaks a rule. Correct the data of setup, or use --continue-after-violation."];
  const idle = all.flatMap(([name, action]) => {
    const why = whyIdle(action, isExhaustive);
    return why === undefined ? [] : [`${name} ${why}`];
  });
  if (idle.length === 0) return [];
  const worked = all.filter(([, action]) => works(action)).length;
  const more = idle.length > SHOWN ? `, and ${plural(idle.length - SHOWN, "more action")}` : "";
  return [
    `${grouped(worked)} of ${plural(all.length, "action")} worked. These actions never worked: ${idle.slice(0, SHOWN).join(", ")}${more}. ` +
      "Correct these actions, set mayNeverApply or mayNeverSucceed for single actions, or set exploration.require_all_actions to false.",
  ];
}

/** Returns a sentence if the time was over before the first step; empty otherwise. */
export function neverBegan(stopReason: StopReason, steps: number): readonly string[] {
  return stopReason === "max_time" && steps === 0 ? ["The time limit was reached before the first step. Raise exploration.max_time."] : [];
}

function whyIdle(action: ActionCoverage, isExhaustive: boolean): string | undefined {
  const { applied, skipped, mayNeverApply, mayNeverSucceed } = action;
  if (applied === 0) {
    if (mayNeverApply === true || skipped === 0 || (!isExhaustive && skipped < ENOUGH)) return undefined;
    return `never applied in ${plural(skipped, "state")}`;
  }
  if (mayNeverSucceed === true || works(action) || (!isExhaustive && applied < ENOUGH)) return undefined;
  return answeredEachTime(action);
}
