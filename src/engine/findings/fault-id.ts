import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a finding of fault tests. A finding has the same id in every run. Only fault tests use ids that begin with `w`, so a list of
 * known findings shows which ones need a run with faults.
 */
export function faultId(exploration: string, invariant: string): string {
  return `w${hashOf(JSON.stringify([exploration, "fault", invariant]))}`;
}

export const isFaultId = (id: string): boolean => id.startsWith("w");
