/** Races, in the order in which they come about: probing what is worth it, on lanes, where it is judged, and confirming what was seen. */
export { planRaces } from "./plan/plan-races.ts";
export { probeRaces, raceOn } from "./plan/probe-races.ts";
export { RaceLane } from "./lane/race-lane.ts";
export { confirmRaces, type ConfirmedRace } from "./plan/confirm-races.ts";
export type { DismissedHit } from "./plan/race-tally.ts";
export { RacesEnd } from "./plan/races-end.ts";
export { shareInterval } from "./plan/rate.ts";
