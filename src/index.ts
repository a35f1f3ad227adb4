export { Action } from "./model/action.ts";
export type { ActionOptions, ExpectedStatus } from "./model/action.ts";
export { Agent } from "./run/agent.ts";
export type { AgentOptions } from "./model/agent.ts";
export type { ApiClient, RequestOptions } from "./model/client.ts";
export { Context } from "./model/context.ts";
export type { Values } from "./model/context.ts";
export { KeyError, SeqqaError } from "./model/errors.ts";
export { Invariant } from "./model/invariant.ts";
export type { InvariantOptions } from "./model/invariant.ts";
export type { Lane } from "./model/lane.ts";
export type { ApiRequest, ApiResponse } from "./model/response.ts";
export type {
  ActionCoverage,
  Divergence,
  ExplorationGraph,
  ExplorationResult,
  RecordedExchange,
  RecordedResponse,
  RecordedStep,
  RunError,
  StopReason,
  Violation,
} from "./model/result.ts";
export { Severity } from "./model/severity.ts";
export { BFS, CoverageGuided, DFS, Random } from "./model/strategy.ts";
export type { Strategy } from "./model/strategy.ts";
export type {
  Awaitable,
  CheckpointChoice,
  Mark,
  Observed,
  ObservedColumn,
  ObservedTable,
  StoredValue,
  System,
  SystemScope,
  SystemTraits,
} from "./model/system.ts";
export { World } from "./model/world.ts";
export type { WorldCheckpoint, WorldObservation, WorldOptions } from "./model/world.ts";
export type { ExplorationEvent, Progress } from "./engine/events.ts";
export type { ExploreOptions } from "./run/options.ts";
