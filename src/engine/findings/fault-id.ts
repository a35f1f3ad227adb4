import { hashOf } from "../graph/digest.ts";

/**
 * Returns the id of a finding of faults: the same in every run. Only these ids begin with `w`, so a list of known findings shows whether a run
 * without faults could have found one.
 */
export function faultId(exploration: string, invariant: string): string {
  return `w${hashOf(JSON.stringify([exploration, "fault", invariant]))}`;
}

export const isFaultId = (id: string): boolean => id.startsWith("w");
