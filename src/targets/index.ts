export { TargetHost } from "./target-host.ts";
export type { TargetConfig, TargetHostOptions } from "./target-config.ts";
