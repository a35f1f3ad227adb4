import {
  absenceOf,
  isUnjudged,
  NOT_CHECKED,
  raceName,
  ruleStates,
  sawEveryCall,
  type Absence,
  type ExplorationEntry,
} from "../../reports/index.ts";
import type { Change } from "../run-diff.ts";
import type { Side } from "./compare-actions.ts";

type Violation = ExplorationEntry["violations"][number];
type Race = ExplorationEntry["races"][number];

/** Returns the changes of rules (added, removed, broken, or no longer broken), with the calls that break them, and the changes of races. */
export function compareRules(before: Side, after: Side): readonly Change[] {
  const [old, now] = [brokenRules(before, after), brokenRules(after, before)];
  const [declared, declaredNow] = [before.entry.invariants, after.entry.invariants];
  const names = new Set([...now.keys(), ...declaredNow, ...old.keys(), ...declared]);
  const changes = [...names].flatMap((rule): readonly Change[] => {
    const [was, is] = [old.get(rule) ?? [], now.get(rule) ?? []];
    if (declared.includes(rule) && !declaredNow.includes(rule)) return [{ about: "rule", kind: "removed", subject: rule, text: "removed" }];
    if (declaredNow.includes(rule) && !declared.includes(rule)) return [added(rule, is, after)];
    if (was.length === 0) return is.length === 0 ? [] : [brokenNow(is, before, "no longer holds", "does not hold")];
    if (is.length === 0) return isGone(was[0]!, after) ? [gone(was[0]!, after, "holds now", "no longer seen broken")] : [];
    const [ids, idsNow] = [new Set(was.flatMap(idsOf)), new Set(is.flatMap(idsOf))];
    return [
      ...is
        .filter((one) => !idsOf(one).some((id) => ids.has(id)))
        .map((one) => brokenNow([one], before, `is also broken by ${lastOf(one)}`, `is broken by ${lastOf(one)}`)),
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
  const action = reproductionPath.at(-1) ?? "the root state";
  return response === undefined ? action : `${action} (${response.status})`;
};

/**
 * Returns `true` if the other run executed the path of a finding without finding it. Returns `false` if it is possible that the other run did not
 * execute the path.
 */
function isGone({ id, invariant, reproductionPath: path, fault }: Violation, { entry, graph }: Side): boolean {
  const hasPath = (walked: readonly string[]): boolean => graph?.hasPath(walked) === true;
  if (fault !== undefined) return absenceOf(entry, { id, isRace: false, rule: invariant, path }, hasPath) === "gone";
  return sawEveryCall(entry) || hasPath(path);
}

/** Returns the change for an added rule. */
function added(rule: string, [first]: readonly Violation[], { entry }: Side): Change {
  const text = "added, and it does not hold";
  if (first !== undefined) return broken(first, "worse", text);
  const race = entry.races.find(({ invariant }) => invariant === rule);
  if (race !== undefined)
    return { ...raceChange(race, "worse", `${text} (${race.severity}): ${race.message}`), about: "rule", subject: rule };
  const isHeld = ruleStates(entry).get(rule) === "held";
  return { about: "rule", kind: "added", subject: rule, text: isHeld ? "added, and it holds" : `added, ${NOT_CHECKED}` };
}

/**
 * Returns the change for the findings of one rule that only the second run has. The text is `worse` if the first run executed the path of a finding
 * without this finding. Otherwise the text is `now`, because the API may have had the error in the first run, too.
 */
function brokenNow(found: readonly Violation[], before: Side, worse: string, now: string): Change {
  const first = found[0]!;
  if (isUnjudged(first.invariant, before.entry)) return broken(first, "changed", `${now}, but in the first run ${NOT_CHECKED}`);
  const seen = found.find((one) => isGone(one, before));
  return seen === undefined
    ? broken(first, "changed", `${now}, but the first run did not execute these calls`)
    : broken(seen, "worse", worse);
}

function broken(found: Violation, kind: "worse" | "changed", text: string): Change {
  const { invariant: subject, severity, message, reproductionPath: path, confirmed } = found;
  const doubt = confirmed ? "" : ", not confirmed";
  return { about: "rule", kind, subject, text: `${text} (${severity}${doubt}): ${message}`, path };
}

/**
 * Returns the change for a finding that the other run does not have. The text is `unseen` if the other run did not check the rule everywhere, else
 * `held`.
 */
function gone({ invariant: subject, reproductionPath: path }: Violation, { entry }: Side, held: string, unseen: string): Change {
  if (!isUnjudged(subject, entry)) return { about: "rule", kind: "better", subject, text: held, path };
  return { about: "rule", kind: "changed", subject, text: `${unseen}, but ${NOT_CHECKED}`, path };
}

/**
 * Returns a change for each race that only one of the two runs found; empty unless both runs searched for races. A race of the first run is left out
 * if the second run may only have missed it.
 */
function compareRaces(before: Side, after: Side): readonly Change[] {
  if (before.entry.raceCoverage === undefined || after.entry.raceCoverage === undefined) return [];
  return [
    ...onlyIn(after, before).map((race) => {
      const text = `(${race.severity}): ${race.message}`;
      return absenceIn(before, race) === "unseen"
        ? raceChange(race, "changed", `race seen, but the first run may have missed it ${text}`)
        : raceChange(race, "worse", `race seen ${text}`);
    }),
    ...onlyIn(before, after)
      .filter((race) => absenceIn(after, race) === "gone")
      .map((race) => raceChange(race, "better", "race no longer seen")),
  ];
}

const onlyIn = ({ entry }: Side, other: Side): readonly Race[] =>
  entry.races.filter(({ id }) => !other.entry.races.some((one) => one.id === id));

function absenceIn({ entry, graph }: Side, race: Race): Absence {
  const missed = { id: race.id, isRace: true, rule: raceName(race), path: race.prefix };
  return absenceOf(entry, missed, (path) => graph?.hasPath(path) === true);
}

function raceChange(race: Race, kind: Change["kind"], text: string): Change {
  return { about: "race", kind, subject: raceName(race), text, path: [...race.prefix, raceName(race)] };
}
