import type { LaneBase } from "./lane-base.ts";
import type { LaneControl } from "./control.ts";
import { LaneRuntime } from "./lane-runtime.ts";
import type { LaneWork } from "./lane-work.ts";
import { SpareRuntime } from "../spare-runtime.ts";

/**
 * Creates the object that executes the work of a lane. `spares`: copies of the lane that are prepared for the next actions, for `target.rollback:
 * restart`.
 */
export function workOf(base: LaneBase, spares: readonly LaneBase[], control: LaneControl): LaneWork {
  return spares.length === 0 ? new LaneRuntime(base, control) : new SpareRuntime([base, ...spares], control);
}
