/**
 * Races, in the order of their stages: planning and probing pairs of calls, making and judging the calls on lanes, and confirming the races that were
 * seen.
 */
export { planRaces } from "./plan/plan-races.ts";
export { probeRaces, raceOn } from "./plan/probe-races.ts";
export { RaceLane } from "./lane/race-lane.ts";
export { confirmRaces, type ConfirmedRace } from "./plan/confirm-races.ts";
export type { DismissedHit } from "./plan/race-tally.ts";
export { RacesEnd } from "./plan/races-end.ts";
export { shareInterval } from "./plan/rate.ts";
