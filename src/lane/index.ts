export { bringUp, type LaneBase, type LaneOptions, type LaneSeat } from "./bring-up.ts";
export { LaneControl } from "./control.ts";
export { LaneRuntime } from "./lane-runtime.ts";
export type { LaneWork } from "./lane-work.ts";
export type { BeforeStep } from "./record-path.ts";
export type { TargetControl } from "./target-restart.ts";
export { workOf } from "./work-of.ts";
