import type { ExplorationFacts } from "../../../model/results/result.ts";
import { duration, grouped, plural } from "../text/numbers.ts";
import { deliveryText } from "../findings/race-text.ts";

/** Returns the coverage of the search for races as table rows of a label and a text; empty if no races were searched for and none was found. */
export function raceRows({
  races,
  raceCoverage,
}: Pick<ExplorationFacts, "races" | "raceCoverage">): readonly (readonly [string, string])[] {
  if (raceCoverage === undefined) return races.length === 0 ? [] : [["races", grouped(races.length)]];
  const { pairs, probed, trials, misses, skipped, dismissed, deliveries, durationMs } = raceCoverage;
  const missed = misses === 0 ? "" : `; ${grouped(misses)} more did not overlap`;
  const probing = `${plural(probed, "kind")} of pairs (${plural(pairs, "pair")} in all states); ${plural(trials, "trial")} in ${duration(durationMs)}${missed}`;
  const rows: readonly (readonly [string, string])[] = [
    ["races", grouped(races.length)],
    ["probed", probing],
    ["delivered", counted(deliveries, deliveryText)],
    ["not probed", counted(skipped)],
    ["dismissed", dismissedText(dismissed)],
  ];
  return rows.filter(([, value]) => value !== "");
}

/** Returns how many suspected races were dismissed, in total and by reason: `3: control 2, unconfirmed 1`. */
function dismissedText(dismissed: Readonly<Record<string, number>>): string {
  const total = Object.values(dismissed).reduce((sum, count) => sum + count, 0);
  return total === 0 ? "" : `${grouped(total)}: ${counted(dismissed)}`;
}

/** Returns counts as text, the largest count first: `read only 30, same class 16`. */
export function counted(counts: Readonly<Record<string, number>>, name: (word: string) => string = words): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .toSorted((a, b) => b[1] - a[1])
    .map(([word, count]) => `${name(word)} ${grouped(count)}`)
    .join(", ");
}

const words = (reason: string): string => reason.replaceAll("_", " ");
