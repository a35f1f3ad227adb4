/** Races, in the order in which they come about: what is worth probing, probing it on lanes, judging it there, and confirming what was seen. */
export { planRaces, type PlannedRace, type RacePlan } from "./plan/plan-races.ts";
export { probeRaces, raceOn, type ProbeOptions, type SeenRace } from "./plan/probe-races.ts";
export { RaceLane } from "./lane/race-lane.ts";
export { judge } from "./oracle/judge.ts";
export { confirmRaces, type ConfirmedRace } from "./plan/confirm-races.ts";
export { shareInterval } from "./plan/rate.ts";
