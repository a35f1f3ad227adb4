import type { RaceReplay, ReplayResult } from "../../model/results/replay.ts";
import type { Race } from "../../model/results/result.ts";
import { strayedBefore, type Verdict } from "./replay-verdict.ts";

type Finding = Omit<Race, "toString">;

/**
 * Returns the simultaneous calls that a replay of a race sends, with the delivery that the finding used. A trial counts as showing the race if its
 * verdict is at least as bad as the verdict of the finding.
 */
export function callsOf({ first, second, copies, delivery, schedule, verdict, invariant }: Finding): RaceReplay {
  return { actions: Array.from({ length: copies }, (_, side) => (side === 1 ? second : first)), delivery, schedule, verdict, invariant };
}

/**
 * Returns the verdict after the replay of a race. The finding still fails if a trial showed the race. Otherwise the verdict depends on whether the
 * calls were sent in the state of the finding.
 */
export function raceVerdict({ prefix, steps, hits, trials, schedule }: Finding, replayed: ReplayResult): Verdict {
  const { race } = replayed;
  if (race !== undefined && race.hits > 0) {
    return { kind: "fails", exitStatus: 1, sentence: `Still fails: ${count(race)} showed the race.` };
  }
  const strayed = strayedBefore(prefix.length, steps, replayed);
  if (strayed !== undefined || race === undefined) {
    const why = strayed ?? "a step of the path was not executed";
    return { kind: "diverged", exitStatus: 3, sentence: `Diverged: ${why}, so the calls were not sent in the state of the finding.` };
  }
  if (race.inconclusive !== undefined)
    return { kind: "diverged", exitStatus: 3, sentence: `The replay does not show whether the race still exists: ${race.inconclusive}.` };
  const then =
    schedule === undefined
      ? `. In the run, ${count({ hits, trials })} showed the race`
      : ", although seqqa delayed the same database write as in the run";
  return { kind: "gone", exitStatus: 0, sentence: `Gone: none of ${plural(race.trials)} showed the race${then}.` };
}

const plural = (trials: number): string => `${trials} trial${trials === 1 ? "" : "s"}`;
const count = ({ hits, trials }: { readonly hits: number; readonly trials: number }): string => `${hits} of ${plural(trials)}`;
