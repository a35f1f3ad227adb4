/**
 * Makes writes of the target fail: chooses one call of each kind, makes its writes fail one at a time, judges the results, and confirms the problems
 * on rebuilt lanes.
 */
export { probeFaults, faultsOn } from "./plan/probe-faults.ts";
export { tryFaults } from "./lane/fault-prober.ts";
export type { UntriedFault } from "./plan/fault-tally.ts";
export { confirmFaults, type ConfirmedFault } from "./plan/confirm-faults.ts";
