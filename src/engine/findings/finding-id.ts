import { hashOf } from "../graph/digest.ts";
import type { FoundViolation } from "./finding-log.ts";

/** Returns the id of a finding. A finding has the same id in every run, for every strategy, budget and number of lanes. */
export function findingId(
  exploration: string,
  { finding, lastAction, status }: Pick<FoundViolation, "lastAction" | "status"> & { readonly finding: { readonly invariant: string } },
): string {
  return hashOf(JSON.stringify([exploration, finding.invariant, lastAction, status]));
}
