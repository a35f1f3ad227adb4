import type { ExplorationEntry } from "../../document/document-types.ts";
import type { DismissedRace } from "../../../model/results/result.ts";
import { duration, grouped, plural } from "../../console/text/numbers.ts";
import { deliveryText, outcomeText, raceName, verdictText } from "../../console/findings/race-text.ts";
import { shortText, text } from "../text/safe-text.ts";

/** Explanations for the reasons why pairs of calls were not probed or races were dismissed. A reason without an explanation is shown unchanged. */
const REASONS: Readonly<Record<string, string>> = {
  read_only: "neither of the two actions changes anything",
  same_class: "a pair with the same actions, answers and effects was already probed in another state",
  brought: "one of the two actions was added by a rule",
  finding: "one of the two actions alone leads to a finding of high or critical severity, or to no state",
  too_many_states: "there were too many states, so the pairs of these states were not examined",
  max_time: "the time for races (exploration.races.max_time) ran out",
  interrupted: "the run was interrupted",
  lane_lost: "the target or its lane was lost",
  not_there: "the path did not lead to the state again",
  order_fails: "one order of the calls could not be executed: a call failed or got no answer",
  one_connection: "the target serves one connection at a time",
  no_overlap: "the calls never overlapped",
  no_write: "the calls made no write that seqqa could hold",
  idempotent: "the repeated DELETE was answered like the first DELETE",
  control: "calls sent 50 ms apart showed the same result, too",
  control_overlaps: "calls sent with a delay between them showed the same result, but still overlapped",
  noise: "the result also differs when one order of the calls is repeated",
  no_trial: "the calls did not overlap again on a rebuilt lane, or no longer made the write that seqqa held",
  not_repeated: "the rule did not break again on a rebuilt lane, and no order of the calls breaks it",
  unconfirmed: "the race was not seen again on a rebuilt lane",
};

export function raceCoveragePart({ raceCoverage }: ExplorationEntry): string {
  if (raceCoverage === undefined) return "";
  const { pairs, probed, trials, misses, skipped, dismissed, dismissedRaces = [], deliveries, durationMs } = raceCoverage;
  const numbers: readonly (readonly [string, string])[] = [
    ["Pairs in all states", grouped(pairs)],
    ["Kinds of pairs probed", grouped(probed)],
    ["Trials", grouped(trials)],
    ["Trials without overlap", grouped(misses)],
    ["Time", duration(durationMs)],
  ];
  return [
    '<section class="race-coverage"><h3>Races</h3>',
    "<p>seqqa sent pairs of actions at the same time. It reports a race if the result differs from the results of both orders of the two actions.</p>",
    `<dl class="numbers">${numbers.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("")}</dl>`,
    counts("Sent together", "Delivery", deliveries, (name) => deliveryText(name)),
    counts("Pairs that were not probed", "Why", skipped, reason),
    counts("Seen and not reported", "Why", dismissed, reason),
    ...(dismissedRaces.length === 0 ? [] : [dismissedPart(dismissedRaces)]),
    "</section>",
  ].join("\n");
}

/** The largest number of dismissed races that are shown. results.json contains all dismissed races. */
const MOST_DISMISSED = 200;
const MESSAGE = 1_000;

function dismissedPart(races: readonly DismissedRace[]): string {
  const items = races.slice(0, MOST_DISMISSED).map((race) => {
    const { prefix, observed, message, reason: why, count } = race;
    const where = prefix.length === 0 ? "in the root state" : `after ${prefix.join(", ")}`;
    const said = `${raceName(race)} ${where}: ${verdictText(race)}. ${message} (${outcomeText(race, observed)})`;
    const times = count > 1 ? ` (${plural(count, "probe")})` : "";
    return `<li>${shortText(said, MESSAGE)} <span class="quiet">Dismissed${times}: ${text(reason(why))}</span></li>`;
  });
  const left = races.length - items.length;
  const more = left > 0 ? `<p>${plural(left, "more dismissed race")} in results.json.</p>` : "";
  return `<details class="dismissed"><summary>${plural(races.length, "dismissed race")}</summary><ul>${items.join("")}</ul>${more}</details>`;
}

const reason = (name: string): string =>
  Object.hasOwn(REASONS, name) ? `${name.replaceAll("_", " ")}: ${REASONS[name]}` : name.replaceAll("_", " ");

function counts(title: string, head: string, values: Readonly<Record<string, number>>, name: (key: string) => string): string {
  const rows = Object.entries(values)
    .filter(([, count]) => count > 0)
    .toSorted((a, b) => b[1] - a[1])
    .map(([key, count]) => `<tr><td>${text(name(key))}</td><td class="number">${grouped(count)}</td></tr>`);
  if (rows.length === 0) return "";
  return `<h4>${title}</h4><table><thead><tr><th scope="col">${head}</th><th scope="col" class="number">Count</th></tr></thead><tbody>${rows.join("")}</tbody></table>`;
}
