import type { StatesOfRun } from "../../run-log/index.ts";
import type { Candidate, Place } from "../find/candidate.ts";
import type { Further } from "../explore-further.ts";
import type { Suggestions } from "../suggest.ts";

/** The limits for stored rows, which the code in `run/` and `engine/` sets, and docs/guides/rules.md explains. */
const STORED = "a run stores the rows of the first 5,000 states, with at most 300 lines each";
/** The maximum number of steps of a path that are shown. */
const MOST_STEPS = 8;

/**
 * Returns suggested rules as lines for a terminal.
 * @param most The maximum number of listed rules without exceptions
 * @param isForGaps `true` if the suggestions contain only rules that detect wrong data that no existing rule detects
 */
export function suggestionLines(
  of: StatesOfRun,
  { held, nearlyHeld, withheld, states, unread, violating, tables }: Suggestions,
  most: number,
  isForGaps = false,
): readonly string[] {
  const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;
  const shown = held.slice(0, most);
  const left = [
    ...(violating > 0 ? [`without ${many(violating, "state")} that ${violating === 1 ? "breaks" : "break"} your rules`] : []),
    ...(unread > 0 ? [`without some rows of ${many(unread, "state")}, which were not stored (${STORED})`] : []),
  ];
  const seen = [many(states, "state"), ...left, many(of.steps.length, "step"), many(tables.length, "table")].join(", ");
  return [
    `${of.name}: ${many(held.length, "rule")} ${isForGaps ? "for wrong data that your rules miss" : "held"} (${seen})`,
    ...shown.flatMap((one, index) => ["", ...lines(of, one, `${index + 1}`.padStart(2))]),
    ...(held.length > shown.length
      ? ["", `... and ${held.length - shown.length} more ${held.length - shown.length === 1 ? "rule" : "rules"}: add --most ${held.length}`]
      : []),
    ...(nearlyHeld.length === 0
      ? []
      : [
          "",
          "Rules that nearly held (either the API has a defect, or the rule is wrong)",
          ...bySameStates(nearlyHeld).flatMap(([first, ...others]) => [
            "",
            ...lines(of, first, " !"),
            ...others.map(({ code }) => `      broken in the same states: ${code}`),
          ]),
        ]),
    ...(withheld.length === 0
      ? []
      : [
          "",
          "Rules that seqqa does not suggest, because it cannot judge some steps",
          ...withheld.flatMap((one) => ["", ...lines(of, one, " ?")]),
        ]),
  ];
}

/**
 * Groups rules that are broken by the same states and steps, because these rules probably show the same defect. The order of the rules does not
 * change.
 */
function bySameStates(rules: readonly Candidate[]): readonly (readonly [Candidate, ...Candidate[]])[] {
  const groups = new Map<string, [Candidate, ...Candidate[]]>();
  for (const one of rules) {
    const places = one.broken.map(({ state, action }) => `${state} ${action ?? ""}`);
    const key = [...new Set(places)].sort().join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** Returns lines for a terminal about the additional steps and the rules that they refuted. */
export function furtherLines({ of, steps, states, refuted }: Further): readonly string[] {
  const many = (count: number, what: string): string => `${count} more ${what}${count === 1 ? "" : "s"}`;
  return [
    `${of.name}: explored ${many(steps, "step")} and ${many(states, "state")}, which refuted ${refuted.length} ${refuted.length === 1 ? "rule" : "rules"}`,
    ...refuted.flatMap(({ code, broken: [first] }) => [
      `  x  ${code}`,
      ...(first === undefined ? [] : [`      broken    ${place(of, first)}`]),
    ]),
  ];
}

function lines(
  of: StatesOfRun,
  { code, evidence, change, judged, broken, nearest, unclear = 0, doubts = [] }: Candidate,
  mark: string,
): readonly string[] {
  const [first] = broken;
  return [
    ` ${mark}  ${code}`,
    `      held      ${judged - broken.length} of ${judged} times; ${evidence}`,
    ...(unclear === 0
      ? []
      : [
          `      not judged in ${unclear} ${unclear === 1 ? "step: it" : "steps: they"} replaced several rows, and the generated keys do not show which row became which`,
        ]),
    ...(first === undefined ? [] : [`      broken    ${place(of, first)}`]),
    ...doubts.map((one) => `      check this: ${one}`),
    ...(nearest === undefined ? [] : [`      nearest to breaking the rule: ${place(of, nearest)}`]),
    ...(change === undefined ? [] : [`      ${change}`]),
  ];
}

/** Describes a state or step in words: the values in it, and the actions that lead to it. */
function place(of: StatesOfRun, { state, what, action }: Place): string {
  const path: string[] = [];
  const step = action === undefined ? "" : `${of.actions[action]!} in `;
  for (let at = state; at > 0; at = of.states[at]!.parent) path.unshift(of.actions[of.states[at]!.action]!);
  const cut = path.length > MOST_STEPS ? ["...", ...path.slice(-MOST_STEPS)] : path;
  const id = of.states[state]!.id;
  return `${what} (${step}state ${id === "" ? "without an id" : id}${cut.length === 0 ? ", the root state" : `: ${cut.join(" -> ")}`})`;
}
