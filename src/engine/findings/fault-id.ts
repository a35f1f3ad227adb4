import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a finding of fault tests. A finding has the same id in every run. Only these ids begin with `w`, so a list of known findings
 * shows which findings need a run with faults.
 */
export function faultId(exploration: string, invariant: string): string {
  return `w${hashOf(JSON.stringify([exploration, "fault", invariant]))}`;
}

export const isFaultId = (id: string): boolean => id.startsWith("w");
