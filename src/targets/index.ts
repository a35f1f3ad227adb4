export type { LaneSpec, SystemSpec } from "./lane-spec.ts";
export { TargetHost } from "./target-host.ts";
export type { TargetConfig, TargetHostOptions } from "./target-config.ts";
export type { TargetExit } from "./target-process.ts";
