export { defaultBase as runBase } from "./run-directory.ts";
export { spareCount } from "./spares.ts";
export { TargetHost } from "./target-host.ts";
export type { TargetConfig, TargetHostOptions } from "./target-config.ts";
export { sweepDeadRuns } from "./sweep.ts";
