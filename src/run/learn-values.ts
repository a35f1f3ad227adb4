import type { Expander } from "../engine/expander.ts";
import type { LaneReport } from "../engine/messages.ts";
import type { Explorer } from "../engine/explorer.ts";
import type { Divergence, Reduction, VerdictException } from "../model/result.ts";
import { plural } from "../reports/numbers.ts";
import { fieldOf, joined, knowsNothing, NOTHING_KNOWN, type DroppedField, type Knowledge } from "../state/index.ts";

/** Each one can teach what the one before it hid. */
const MOST_ROUNDS = 5;
/** Places that are named. */
const MOST_PLACES = 4;

/** What the first experiments showed. */
export interface LearnedValues {
  /** Of all lanes, which know it. */
  readonly reports: readonly LaneReport[];
  readonly knowledge: Knowledge;
  /** What differs between executions and is not the state's. */
  readonly divergences: readonly Divergence[];
}

/** Finds out by experiment which values of the target are generated and which are times, until two walks from the root lead to equal states. */
export async function learnValues(
  expander: Pick<Expander, "calibrate" | "learn" | "rebuild">,
  started: readonly LaneReport[],
): Promise<LearnedValues> {
  let reports = started;
  let knowledge = NOTHING_KNOWN;
  const learn = async (more: Knowledge): Promise<void> => {
    knowledge = joined(knowledge, more);
    reports = await expander.learn(knowledge);
  };
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const { learned, suspects, late, states } = await expander.calibrate();
    if (late.length > 0) return { reports, knowledge, divergences: late.map(lateWrite) };
    if (!knowsNothing(learned)) await learn(learned);
    else if (suspects.length === 0) break;
    else {
      await expander.rebuild(0);
      const fresh = await expander.calibrate(true);
      const isMemory = states.length === fresh.states.length && states.every((one, index) => one === fresh.states[index]);
      if (isMemory) return { reports, knowledge, divergences: [memory(suspects)] };
      await learn({ ...NOTHING_KNOWN, dropped: suspects });
    }
  }
  return { reports, knowledge, divergences: [] };
}

function lateWrite(action: string): Divergence {
  return {
    kind: "late_write",
    path: [action],
    message: `Late writes: action "${action}" was answered before its work was committed, so the state that it leads to is not known`,
    differences: [],
    hint: "Set `target.settle` to the seconds that it takes (for example 0.1), so that seqqa waits for it after every answer.",
  };
}

function memory(suspects: readonly DroppedField[]): Divergence {
  return {
    kind: "cross_check",
    path: [],
    message:
      "The same calls lead to other states when they are made again in the same process: the target remembers something that its stores do not say",
    differences: suspects.map(({ field, values: [first, second] }) => `${field}: ${first} the first time, ${second} the second time`),
    hint: "Keep such memory in a store, or set `target.rollback: restart`.",
  };
}

/** Merges of states with different orders of generation. */
export function reductionsOf({ committer, audited, divergences }: Explorer, { generated, times }: Knowledge): readonly Reduction[] {
  if (committer.reductions === 0) return [];
  const places = [...new Set([...generated, ...times].map(({ place }) => fieldOf(place)))];
  const shown = places.length > MOST_PLACES ? `${places.slice(0, MOST_PLACES).join(", ")} and others` : places.join(", ");
  const refuted = divergences.all.filter(({ kind }) => kind === "merge").length;
  return [{ reason: `the order of ${shown}`, merges: committer.reductions, audited, refuted }];
}

/** Reductions that no execution tested, for the verdict. */
export function unaudited(reductions: readonly Reduction[]): readonly VerdictException[] {
  return reductions.flatMap(({ reason, merges, audited }) =>
    audited > 0
      ? []
      : [{ kind: "unaudited_reduction", count: merges, text: `${plural(merges, "merge")} that no execution tested (${reason})` }],
  );
}

/** Fields that are left out of states, for the verdict. */
export function droppedFields({ dropped }: Knowledge): readonly VerdictException[] {
  if (dropped.length === 0) return [];
  const fields = dropped.map(({ field }) => field).join(", ");
  return [
    { kind: "dropped_field", count: dropped.length, text: `${fields} (${dropped.length === 1 ? "differs" : "differ"} between executions)` },
  ];
}

/** Why a result with dropped fields is unverified, and what to do about it. */
export function unverifiedFields({ dropped }: Knowledge): readonly string[] {
  return dropped.map(({ field, values: [first, second] }) => {
    const line =
      field.startsWith("context.") || field.startsWith("systems.")
        ? `ignore: ["${field}"] of the World`
        : `ignore: ["${field}"] in seqqa.yaml, under systems`;
    return `${field} differs between executions of one path (${first}, then ${second}) and was left out of the states. If it may be left out, list it: ${line}.`;
  });
}
