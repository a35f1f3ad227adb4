import type { RaceVerdict } from "../../model/results/result.ts";

const VERDICTS: readonly RaceVerdict[] = ["invariant", "state", "responses", "server_error"];

/** Returns the rank of a verdict: 0 for the worst verdict. */
export function verdictRank(verdict: RaceVerdict): number {
  return VERDICTS.indexOf(verdict);
}
