import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a finding of fault tests. A finding has the same id in every run. The id begins with `w`. Ids of other findings do not, so a list
 * of known findings shows which findings need a run with faults.
 */
export function faultId(exploration: string, invariant: string): string {
  return `w${hashOf(JSON.stringify([exploration, "fault", invariant]))}`;
}

export const isFaultId = (id: string): boolean => id.startsWith("w");
