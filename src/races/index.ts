/**
 * Races: plan pairs of calls, probe the pairs on lanes, judge the results, and confirm the races that were seen. Faults reuse the parts that make and
 * compare calls.
 */
export { planRaces } from "./plan/plan-races.ts";
export { probeRaces, raceOn, unlessInterrupted } from "./plan/probe-races.ts";
export { Calls } from "./lane/calls.ts";
export { Oracle } from "./lane/oracle.ts";
export { stopFollowing } from "./lane/race-scope.ts";
export type { CallEnd, Execution } from "./oracle/execution.ts";
export { RaceLane } from "./lane/race-lane.ts";
export { confirmRaces, type ConfirmedRace } from "./plan/confirm-races.ts";
export type { DismissedHit } from "./plan/race-tally.ts";
export { RacesEnd } from "./plan/races-end.ts";
export { shareInterval } from "./plan/rate.ts";
