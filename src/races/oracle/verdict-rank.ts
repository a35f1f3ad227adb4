import type { RaceVerdict } from "../../model/results/result.ts";

const VERDICTS: readonly RaceVerdict[] = ["invariant", "state", "responses", "server_error"];

/** 0 for the worst. */
export function verdictRank(verdict: RaceVerdict): number {
  return VERDICTS.indexOf(verdict);
}
