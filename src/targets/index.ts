export { defaultBase as runBase, RunDirectory } from "./run-directory.ts";
export { spareCount } from "./spares.ts";
export { endedInUse } from "./target-errors.ts";
export { TargetHost } from "./target-host.ts";
export type { TargetConfig, TargetHostOptions } from "./target-config.ts";
export { checkServices } from "./services/check-services.ts";
export { ServiceHost } from "./services/service-host.ts";
export { sweepCompose } from "./services/compose-record.ts";
export { sweepDeadRuns } from "./sweep.ts";
