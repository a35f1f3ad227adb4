/**
 * Faults, in the order of their stages: planning one call of each kind, making its writes fail on lanes one at a time, judging the results, and
 * confirming the hits.
 */
export { probeFaults, faultsOn } from "./plan/probe-faults.ts";
export { tryFaults } from "./lane/fault-prober.ts";
export { confirmFaults, type ConfirmedFault } from "./plan/confirm-faults.ts";
