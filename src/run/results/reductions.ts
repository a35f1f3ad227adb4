import type { LaneDivergence, LaneReport } from "../../messages/lane-messages.ts";
import type { Explorer } from "../../engine/search/explorer.ts";
import type { Reduction, VerdictException } from "../../model/results/result.ts";
import { plural } from "../../reports/console/text/numbers.ts";
import { fieldOf, FULL_ORDER, NEXT_SECOND, type Knowledge } from "../../state/index.ts";
import type { LearnedValues } from "../explore/learn/learn-values.ts";
import { SETUP_TIMES, shownFields } from "../explore/learn/learned-fields.ts";

/**
 * Returns the reductions of the exploration: merges of states that differ only in the order in which values were generated, or in which values of one
 * step belong together. `leftOut`: the parts of the stores that are left out of states, unless `ordered` has their entries.
 */
export function reductionsOf(
  { committer, audited, divergences }: Explorer,
  { generated, times, ordered }: Knowledge,
  leftOut: LaneReport["leftOut"] = [],
): readonly Reduction[] {
  if (committer.reductions === 0) return [];
  const unordered = [
    ...generated.filter(({ place, domain }) => !ordered.includes(domain ?? place)),
    ...times.filter(({ place }) => !ordered.includes(place)),
  ];
  const parts = leftOut.filter(({ entry }) => !ordered.includes(entry)).map(({ field }) => field);
  // If the order of generation is part of all states, merged states differ only in the content of the states in which their values were generated.
  const isOrdered = ordered.includes(FULL_ORDER);
  const what = unordered.length + parts.length > 0 || !isOrdered ? "order" : "content";
  const all = isOrdered ? (parts.length > 0 ? [] : generated) : [...generated, ...times];
  const forgotten = unordered.length > 0 ? unordered : all;
  const hasLinks = committer.unlinkedReductions > 0;
  const onlyLinks = committer.unlinkedReductions === committer.reductions;
  const places = [...(onlyLinks ? [] : forgotten), ...(hasLinks ? generated : [])].map(({ place }) => fieldOf(place));
  const fields = [...places, ...(onlyLinks ? [] : parts)];
  const shown = shownFields(fields.length > 0 ? fields : [SETUP_TIMES]);
  const kinds = [...(onlyLinks ? [] : [what]), ...(hasLinks ? ["connection"] : [])].join(" and ");
  const refuted = divergences.all.filter(({ kind }) => kind === "merge").length;
  return [{ reason: `the ${kinds} of ${shown}`, merges: committer.reductions, audited, refuted }];
}

/**
 * Returns the reductions that a divergence refuted, because it showed that the order of generation matters. Each reduction has the count 1, because
 * the number of merges and audits before the divergence depends on the number of lanes.
 */
export function refutedBy(
  { reduced }: LaneDivergence,
  { knowledge }: LearnedValues,
  before: { readonly explorer: Explorer; readonly knowledge: Knowledge; readonly leftOut: LaneReport["leftOut"] },
): readonly Reduction[] {
  if (reduced !== true || !knowledge.ordered.some((one) => one !== NEXT_SECOND && !before.knowledge.ordered.includes(one))) return [];
  return reductionsOf(before.explorer, before.knowledge, before.leftOut).map(({ reason }) => ({
    reason,
    merges: 1,
    audited: 1,
    refuted: 1,
  }));
}

/**
 * Returns the verdict's exceptions for reductions that no cross-check confirmed. `left`: the number of cross-checks that were selected, but for which
 * there was no time.
 */
export function unaudited(reductions: readonly Reduction[], left = 0): readonly VerdictException[] {
  return reductions.flatMap(({ reason, merges, audited }) => {
    const count = audited > 0 ? left : merges;
    return count === 0
      ? []
      : [
          {
            kind: "unaudited_reduction",
            count,
            text: `${plural(count, "pair")} of states that count as equal without a test (they differ only in ${reason})`,
          },
        ];
  });
}
