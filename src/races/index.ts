/**
 * Finds races: plans pairs of calls, executes them on lanes, judges the results and confirms the detected races. The folder `faults` reuses the code
 * that executes calls and compares their results.
 */
export { pairOf, planRaces } from "./plan/plan-races.ts";
export { probeRaces, raceOn, unlessInterrupted } from "./plan/probe-races.ts";
export { Calls } from "./lane/calls.ts";
export { Oracle } from "./lane/oracle.ts";
export { stopFollowing } from "./lane/race-scope.ts";
export { answerText, isSameAnswer, type Answer } from "./oracle/answers.ts";
export type { CallEnd, Execution } from "./oracle/execution.ts";
export { RaceLane } from "./lane/race-lane.ts";
export { confirmRaces, type ConfirmedRace } from "./plan/confirm-races.ts";
export type { DismissedHit } from "./plan/race-tally.ts";
export { RacesEnd } from "./plan/races-end.ts";
export { shareInterval } from "./plan/rate.ts";
