import type { RaceVerdict } from "../model/result.ts";
import { hashOf } from "./digest.ts";

/** What a race is told apart by. */
export interface RaceName {
  readonly first: string;
  readonly second: string;
  readonly verdict: RaceVerdict;
  readonly invariant?: string | undefined;
}

/**
 * The id of a race: the same in every run. It begins with `r`, which no other finding's does, so that a list of known findings can tell whether a run without
 * races could have found it.
 */
export function raceId(exploration: string, { first, second, verdict, invariant }: RaceName): string {
  return `r${hashOf(JSON.stringify([exploration, first, second, verdict, invariant ?? null]))}`;
}

export const isRaceId = (id: string): boolean => id.startsWith("r");
