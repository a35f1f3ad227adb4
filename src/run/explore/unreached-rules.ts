import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import { pairOf } from "../../races/index.ts";
import type { FoundRaces } from "./races.ts";

const NOT_SENT = "did not send its calls at the same time, because";
const OTHER_STATE = `${NOT_SENT} the path`;

/** Returns `true` if the sentence says that the calls of the rule were not sent at the same time. */
export const isNotSent = (rule: string, text: string): boolean => text.startsWith(`${rule} ${NOT_SENT} `);

/** Returns `true` if the sentence says that calls of the rule were not sent at the same time, because their path led to another state. */
export const isUnreached = (rule: string, text: string): boolean => text.startsWith(`${rule} ${OTHER_STATE} `);

type Races = Pick<AgentDefinition, "ruleRaces">;

/**
 * Returns the names of rules that were not judged in at least one step: the rules that the lanes left out, the rules whose calls could not be
 * executed simultaneously in this world, and the rules in `others`.
 */
export function unjudgedRules(
  definition: Races,
  report: Pick<LaneReport, "leftOutRules" | "raceObstacle">,
  others: Iterable<string>,
): readonly string[] {
  return [...new Set([...(report.leftOutRules ?? []), ...notRacedRules(definition, report), ...others])];
}

/** Returns a note that names the rules whose calls could not be executed simultaneously, with the reason; empty if there are none. */
export function notRacedNote(definition: Races, report: Pick<LaneReport, "raceObstacle">): readonly string[] {
  const rules = notRacedRules(definition, report);
  if (rules.length === 0) return [];
  const { why, remedy } = report.raceObstacle!;
  return [`The rules ${rules.join(", ")} did not send the same call twice at the same time, because ${why}. ${remedy}`];
}

function notRacedRules({ ruleRaces }: Races, { raceObstacle }: Pick<LaneReport, "raceObstacle">): readonly string[] {
  return raceObstacle === undefined ? [] : [...new Set(ruleRaces.map(({ rule }) => rule))];
}

/** Returns a sentence for each rule whose calls were not sent at the same time, because their path led to another state. */
export function unreachedRules(
  { ruleRaces }: Races,
  { unreached }: Pick<FoundRaces, "unreached">,
  actions: readonly string[],
): ReadonlyMap<string, string> {
  const notes = new Map<string, string>();
  for (const { path, sides } of unreached) {
    for (const { rule, pair } of ruleRaces) {
      if (!sides.every((side) => pair.includes(side))) continue;
      const names = path.map((action) => actions[action]!).join(" -> ");
      notes.set(
        rule,
        `${rule} ${OTHER_STATE} ${names} led to another state than before. ` +
          "The target probably keeps data in memory. Switch off its caches, or set `target.rollback: restart`.",
      );
    }
  }
  return notes;
}

/** The reasons why calls were not sent at the same time, as clauses. */
const WHY: Readonly<Record<string, string>> = {
  finding: "each of them has a finding of high or critical severity",
  read_only: "no call of them changed the state",
  not_there: "their path led to another state than before",
  one_connection: "the target serves one connection at a time",
  no_overlap: "they never overlapped",
  no_write: "seqqa could hold none of their writes",
  lane_lost: "the target was lost",
  order_fails: "one of them got no answer when they were sent one after the other",
  max_time: "there was no time left",
  interrupted: "the run was interrupted",
};

/**
 * Returns a note for each rule without a finding whose calls were not sent at the same time in any state.
 * @param broken The rules with findings.
 */
export function unprobedRules(
  { ruleRaces }: Races,
  { unprobed }: Pick<FoundRaces, "unprobed">,
  broken: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const notes = new Map<string, string>();
  for (const { rule, pair } of ruleRaces) {
    const reason = unprobed.get(pairOf(pair));
    if (reason !== undefined && !broken.has(rule)) notes.set(rule, `${rule} ${NOT_SENT} ${WHY[reason] ?? reason}.`);
  }
  return notes;
}
