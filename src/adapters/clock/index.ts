/**
 * The target's clock as a store: `systems: { clock: { url: clock://libfaketime } }` or `clock://in-process`, and the action {@link advanceClock}.
 * Read `target-clock.ts` first.
 *
 * @module
 */
export { advanceClock, type AdvanceClockOptions } from "./advance-clock.ts";
export { ClockAdapter, type ClockAdapterOptions } from "./clock-adapter.ts";
export { InProcessClock, type InProcessClockOptions } from "./in-process-clock.ts";
export { openClock, stores } from "./provider.ts";
export { TargetClock, type TargetClockOptions } from "./target-clock.ts";
