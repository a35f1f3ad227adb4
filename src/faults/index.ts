/** Faults: plan one call of each kind, make its writes fail one at a time, judge the results, and confirm the problems on rebuilt lanes. */
export { probeFaults, faultsOn } from "./plan/probe-faults.ts";
export { tryFaults } from "./lane/fault-prober.ts";
export { confirmFaults, type ConfirmedFault } from "./plan/confirm-faults.ts";
