import type { Committer } from "../../engine/commit/committer.ts";
import { hasWorked } from "../../engine/commit/inconclusive-log.ts";
import { STORE_CLOCK } from "../../messages/lane-messages.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { ActionCoverage, StopReason } from "../../model/results/result.ts";
import { plural } from "../../reports/console/text/numbers.ts";
import { ENOUGH, hasEndedEarly } from "./idle-actions.ts";

type Searched = Pick<Committer, "unjudged" | "edges">;

/** The number of committed steps of an action: all steps, and the steps in which the action worked. */
interface Steps {
  readonly all: number;
  readonly worked: number;
}

/** Counts the committed steps by the index of the action. */
export function stepsByAction({ edges }: Pick<Committer, "edges">): ReadonlyMap<number, Steps> {
  const steps = new Map<number, Steps>();
  for (let index = 0; index < edges.size; index++) {
    const edge = edges.at(index);
    const { all, worked } = steps.get(edge.action) ?? { all: 0, worked: 0 };
    steps.set(edge.action, { all: all + 1, worked: worked + (hasWorked(edge) ? 1 : 0) });
  }
  return steps;
}

/**
 * Returns the names of the rules that do not count as held because of inconclusive steps. These are the rules that
 * - were inconclusive in every step in which some action worked,
 * - were inconclusive in every step in which some action did not work, for example each refused step, or
 * - were inconclusive for a reason that was found after the search.
 *
 * A rule that was inconclusive only in some of these steps counts as held where it could be checked.
 */
export function inconclusiveRules(searched: Searched): readonly string[] {
  const { late, steps } = searched.unjudged;
  if (steps.size === 0) return [...late];
  const total = stepsByAction(searched);
  const unchecked = [...steps].filter(([, byAction]) =>
    [...byAction].some(([action, { all, worked }]) => {
      const of = total.get(action);
      if (of === undefined) return false;
      const refused = of.all - of.worked;
      return (of.worked > 0 && worked === of.worked) || (refused > 0 && all - worked === refused);
    }),
  );
  return [...new Set([...late, ...unchecked.map(([rule]) => rule)])].filter((rule) => rule !== STORE_CLOCK);
}

/** The names of the actions after which a rule is checked. Rules that are checked after every action are absent. */
export type RuleActions = ReadonlyMap<string, readonly string[]>;

export interface UncheckedOptions {
  readonly actions: readonly string[];
  readonly subjects: AgentDefinition["subjects"];
  readonly ruleActions: RuleActions;
  readonly coverage: Readonly<Record<string, ActionCoverage>>;
  readonly stopReason: StopReason;
  /** `true` if every reachable state was explored, including the states behind violations. */
  readonly isExhaustive: boolean;
}

/**
 * Returns sentences about rules that judged nothing and therefore make the result unverified, each with a remedy. A rule that names actions as its
 * subjects must judge at least a part of one step of each subject that worked. Any other rule must judge at least a part of one step of the actions
 * after which it is checked. In a search that is not exhaustive, only actions that worked at least 20 times are considered.
 */
export function uncheckedSteps(
  searched: Searched,
  { actions, subjects, ruleActions, coverage, stopReason, isExhaustive }: UncheckedOptions,
): readonly string[] {
  const { steps, reasons } = searched.unjudged;
  if (steps.size === 0 || hasEndedEarly(stopReason)) return [];
  const total = stepsByAction(searched);
  const count = (rule: string, group: readonly number[]): { readonly worked: number; readonly whole: number } => ({
    worked: group.reduce((sum, action) => sum + (total.get(action)?.worked ?? 0), 0),
    whole: group.reduce((sum, action) => sum + (steps.get(rule)!.get(action)?.whole ?? 0), 0),
  });
  const isUnchecked = (rule: string, group: readonly number[]): boolean => {
    const { worked, whole } = count(rule, group);
    return worked > 0 && whole === worked && (isExhaustive || worked >= ENOUGH);
  };
  const indexes = [...actions.keys()].filter((index) => coverage[actions[index]!]?.brought !== true);
  return [...steps.keys()].flatMap((rule) => {
    if (rule === STORE_CLOCK) return [];
    const named = subjects.get(rule) ?? [];
    const judged = named.length > 0 ? named : ruleActions.get(rule);
    const own = judged === undefined ? indexes : indexes.filter((index) => judged.includes(actions[index]!));
    const unchecked = named.length > 0 ? own.filter((index) => isUnchecked(rule, [index])) : isUnchecked(rule, own) ? own : [];
    if (unchecked.length === 0) return [];
    const [first] = reasons
      .filter(({ invariant, partly, actions: met }) => invariant === rule && partly !== true && unchecked.some((action) => met.has(action)))
      .toSorted((a, b) => b.count - a.count);
    const which = judged !== undefined ? OR.format(unchecked.map((index) => actions[index]!)) : "an action";
    const why = first === undefined ? "" : `: ${first.what}`;
    return [
      `The rule ${rule} could not be checked in any of the ${plural(count(rule, unchecked).worked, "step")} in which ${which} worked${why}. ` +
        "Correct the rule or the actions that it names, or set exploration.require_all_actions to false.",
    ];
  });
}

const OR = new Intl.ListFormat("en", { type: "disjunction" });
