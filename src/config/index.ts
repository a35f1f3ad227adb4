export type { Config, ReportFormat, ServiceConfig } from "./config.ts";
export type { Environment } from "./environment.ts";
export { loadConfig, sourceOf, type LoadOptions } from "./load-config.ts";
export { allowedStores } from "./store-consent.ts";
export { nearest } from "../model/nearest.ts";
export type { FlagValue } from "./overrides.ts";
export { withoutPasswords } from "./problem.ts";
export { resolveExploration, type ResolvedExploration } from "./resolve-exploration.ts";
