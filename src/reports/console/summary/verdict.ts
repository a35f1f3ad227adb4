import type { ExplorationFacts, Reduction, Verdict, VerdictException } from "../../../model/results/result.ts";
import { grouped, plural } from "../text/numbers.ts";

type Counts = Pick<ExplorationFacts, "stopReason" | "open" | "statesVisited" | "completeToDepth">;

/** The beginning of the verdict's exception for a target whose state cannot be observed. An exploration with this exception is never exhaustive. */
export const NOT_VISIBLE = "state not visible";

export function verdictOf(counts: Counts, exceptions: readonly VerdictException[] = [], reductions: readonly Reduction[] = []): Verdict {
  const assuming = reductions.map(
    ({ reason, merges, audited, refuted }) =>
      `, assuming that ${reason} does not matter (${plural(merges, "merge")}, ${grouped(audited)} audited, ${grouped(refuted)} refuted)`,
  );
  const { stopReason, open, statesVisited, completeToDepth } = counts;
  const left = exceptions.map(({ text }) => text).join("; ");
  const isBlind = exceptions.some(({ text }) => text.startsWith(NOT_VISIBLE));
  if (stopReason !== "exhausted" || open > 0 || isBlind) {
    const text = `complete to depth ${grouped(completeToDepth)}, ${grouped(open)} open (${plural(statesVisited, "state")})`;
    return { complete: false, text: left === "" ? text : `${text}, except ${left}`, exceptions };
  }
  const size = `${plural(statesVisited, "state")}, 0 open`;
  if (left === "") return { complete: true, text: `exhaustive${assuming.join("")}: ${size}`, exceptions };
  return { complete: false, text: `exhaustive except ${left}${assuming.join("")} (${size})`, exceptions };
}
