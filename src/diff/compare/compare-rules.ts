import { raceName, type ExplorationEntry } from "../../reports/index.ts";
import type { Change } from "../run-diff.ts";
import type { Side } from "./compare-actions.ts";
import { isComplete } from "./graph-reader.ts";

type Violation = ExplorationEntry["violations"][number];

/** Returns the rules that were added, removed, broke or hold again, the calls that broke them, and the races that appeared or disappeared. */
export function compareRules(before: Side, after: Side): readonly Change[] {
  const [old, now] = [brokenRules(before, after), brokenRules(after, before)];
  const [declared, declaredNow] = [before.entry.invariants, after.entry.invariants];
  const names = new Set([...now.keys(), ...declaredNow, ...old.keys(), ...declared]);
  const changes = [...names].flatMap((rule): readonly Change[] => {
    const [was, is] = [old.get(rule) ?? [], now.get(rule) ?? []];
    if (declared.includes(rule) && !declaredNow.includes(rule)) return [{ about: "rule", kind: "removed", subject: rule, text: "removed" }];
    if (declaredNow.includes(rule) && !declared.includes(rule)) {
      if (is.length === 0) return [{ about: "rule", kind: "added", subject: rule, text: "added, and it holds" }];
      return [worse(rule, is[0]!, "added, and it does not hold")];
    }
    if (was.length === 0) return is.length === 0 ? [] : [worse(rule, is[0]!, "no longer holds")];
    if (is.length === 0) return isGone(was[0]!, after) ? [better(rule, was[0]!, "holds now")] : [];
    const [ids, idsNow] = [new Set(was.flatMap(idsOf)), new Set(is.flatMap(idsOf))];
    return [
      ...is.filter((one) => !idsOf(one).some((id) => ids.has(id))).map((one) => worse(rule, one, `is also broken by ${lastOf(one)}`)),
      ...was
        .filter((one) => !idsOf(one).some((id) => idsNow.has(id)) && isGone(one, after))
        .map((one) => better(rule, one, `is no longer broken by ${lastOf(one)}`)),
    ];
  });
  return [...changes, ...compareRaces(before, after)];
}

/** Returns the findings of each rule, those with the shortest paths first. Findings of faults count only if both runs made faults. */
function brokenRules({ entry }: Side, other: Side): ReadonlyMap<string, readonly Violation[]> {
  const rules = new Map<string, Violation[]>();
  const hasFaults = entry.faultCoverage !== undefined && other.entry.faultCoverage !== undefined;
  const found = entry.violations.filter(({ fault }) => fault === undefined || hasFaults);
  for (const one of found.toSorted((a, b) => a.reproductionPath.length - b.reproductionPath.length)) {
    const list = rules.get(one.invariant);
    if (list === undefined) rules.set(one.invariant, [one]);
    else list.push(one);
  }
  return rules;
}

/** Returns the id of a finding, and the ids for all actions that show it for the same cause. */
const idsOf = ({ id, operations = [] }: Violation): readonly string[] => [id, ...operations.map((one) => one.id)];

const lastOf = ({ reproductionPath, response }: Violation): string => {
  const action = reproductionPath.at(-1) ?? "the initial state";
  return response === undefined ? action : `${action} (${response.status})`;
};

/** Returns `true` if a finding disappeared because its calls no longer show it. Returns `false` if the other run may not have executed its calls. */
function isGone({ reproductionPath }: Violation, { entry, graph }: Side): boolean {
  return isComplete(entry) || graph?.hasPath(reproductionPath) === true;
}

function worse(subject: string, { severity, message, reproductionPath, confirmed }: Violation, text: string): Change {
  const doubt = confirmed ? "" : ", not confirmed";
  return { about: "rule", kind: "worse", subject, text: `${text} (${severity}${doubt}): ${message}`, path: reproductionPath };
}

function better(subject: string, { reproductionPath }: Violation, text: string): Change {
  return { about: "rule", kind: "better", subject, text, path: reproductionPath };
}

/** Compares the races, but only if both runs probed for races. */
function compareRaces({ entry: before }: Side, { entry: after }: Side): readonly Change[] {
  if (before.raceCoverage === undefined || after.raceCoverage === undefined) return [];
  const missing = (from: ExplorationEntry, other: ExplorationEntry): ExplorationEntry["races"] =>
    from.races.filter(({ id }) => !other.races.some((one) => one.id === id));
  const change = (race: ExplorationEntry["races"][number], kind: "worse" | "better", text: string): Change => ({
    about: "race",
    kind,
    subject: raceName(race),
    text,
    path: [...race.prefix, raceName(race)],
  });
  return [
    ...missing(after, before).map((race) => change(race, "worse", `race seen (${race.severity}): ${race.message}`)),
    ...missing(before, after).map((race) => change(race, "better", "race no longer seen")),
  ];
}
