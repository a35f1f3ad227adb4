import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a finding of fault tests. The id is the same in every run. Only these ids begin with `w`. A list of known findings therefore
 * shows which of them a run without faults cannot find.
 */
export function faultId(exploration: string, invariant: string): string {
  return `w${hashOf(JSON.stringify([exploration, "fault", invariant]))}`;
}

export const isFaultId = (id: string): boolean => id.startsWith("w");
