import { isUnjudged, NOT_CHECKED, raceName, type ExplorationEntry } from "../../reports/index.ts";
import type { Change } from "../run-diff.ts";
import type { Side } from "./compare-actions.ts";
import { isComplete } from "./graph-reader.ts";

type Violation = ExplorationEntry["violations"][number];

/** Returns the changes of rules (added, removed, broken, or no longer broken), with the calls that break them, and the races that are new or gone. */
export function compareRules(before: Side, after: Side): readonly Change[] {
  const [old, now] = [brokenRules(before, after), brokenRules(after, before)];
  const [declared, declaredNow] = [before.entry.invariants, after.entry.invariants];
  const names = new Set([...now.keys(), ...declaredNow, ...old.keys(), ...declared]);
  const changes = [...names].flatMap((rule): readonly Change[] => {
    const [was, is] = [old.get(rule) ?? [], now.get(rule) ?? []];
    if (declared.includes(rule) && !declaredNow.includes(rule)) return [{ about: "rule", kind: "removed", subject: rule, text: "removed" }];
    if (declaredNow.includes(rule) && !declared.includes(rule)) {
      if (is.length > 0) return [worse(rule, is[0]!, "added, and it does not hold")];
      const text = isUnjudged(rule, after.entry) ? `added, ${NOT_CHECKED}` : "added, and it holds";
      return [{ about: "rule", kind: "added", subject: rule, text }];
    }
    if (was.length === 0) return is.length === 0 ? [] : [worse(rule, is[0]!, "no longer holds")];
    if (is.length === 0) return isGone(was[0]!, after) ? [gone(was[0]!, after, "holds now", "no longer seen broken")] : [];
    const [ids, idsNow] = [new Set(was.flatMap(idsOf)), new Set(is.flatMap(idsOf))];
    return [
      ...is.filter((one) => !idsOf(one).some((id) => ids.has(id))).map((one) => worse(rule, one, `is also broken by ${lastOf(one)}`)),
      ...was
        .filter((one) => !idsOf(one).some((id) => idsNow.has(id)) && isGone(one, after))
        .map((one) => gone(one, after, `is no longer broken by ${lastOf(one)}`, `no longer seen broken by ${lastOf(one)}`)),
    ];
  });
  return [...changes, ...compareRaces(before, after)];
}

/**
 * Returns the findings by the name of the broken rule, findings with short paths first. Findings caused by injected faults count only if both runs
 * injected faults.
 */
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

/** Returns all ids of a finding: its own id, and the ids for further actions with the same cause. */
const idsOf = ({ id, operations = [] }: Violation): readonly string[] => [id, ...operations.map((one) => one.id)];

const lastOf = ({ reproductionPath, response }: Violation): string => {
  const action = reproductionPath.at(-1) ?? "the initial state";
  return response === undefined ? action : `${action} (${response.status})`;
};

/**
 * Returns `true` if a finding of one run is really gone in the other run, because the other run executed its path without the finding. Returns
 * `false` if the other run may not have executed the path.
 */
function isGone({ reproductionPath }: Violation, { entry, graph }: Side): boolean {
  return isComplete(entry) || graph?.hasPath(reproductionPath) === true;
}

function worse(subject: string, { severity, message, reproductionPath, confirmed }: Violation, text: string): Change {
  const doubt = confirmed ? "" : ", not confirmed";
  return { about: "rule", kind: "worse", subject, text: `${text} (${severity}${doubt}): ${message}`, path: reproductionPath };
}

/** Returns the change for a finding that the other run does not have: the text `unseen` if that run did not check the rule everywhere, else `held`. */
function gone({ invariant: subject, reproductionPath: path }: Violation, { entry }: Side, held: string, unseen: string): Change {
  if (!isUnjudged(subject, entry)) return { about: "rule", kind: "better", subject, text: held, path };
  return { about: "rule", kind: "changed", subject, text: `${unseen}, but ${NOT_CHECKED}`, path };
}

/** Returns the races that are new or gone, if both runs searched for races. */
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
