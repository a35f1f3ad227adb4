/**
 * The target's clock as a store: `systems: { clock: { url: clock://libfaketime } }` and the action {@link advanceClock}. Read `clock-adapter.ts`
 * first.
 *
 * @module
 */
export { advanceClock, type AdvanceClockOptions } from "./advance-clock.ts";
export { ClockAdapter, type ClockAdapterOptions } from "./clock-adapter.ts";
export { openClock, stores } from "./provider.ts";
