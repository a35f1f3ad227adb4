export { Action } from "./model/action.ts";
export type { ActionOptions, ExpectedStatus } from "./model/action.ts";
export { Agent } from "./run/agent.ts";
export type { AgentOptions } from "./model/agent.ts";
export type { ApiClient, MultipartPart, MultipartValue, RequestOptions } from "./model/client.ts";
export { Context } from "./model/context.ts";
export type { Values } from "./model/context.ts";
export { KeyError, SeqqaError } from "./model/errors.ts";
export { Invariant } from "./model/invariant.ts";
export type { InvariantOptions } from "./model/invariant.ts";
export { Journey } from "./run/journey.ts";
export type { AnyStep, JourneyOptions } from "./model/journey.ts";
export type { JourneyResult, StepResult, StepStatus } from "./model/journey-result.ts";
export type { Lane } from "./model/lane.ts";
export type { ApiRequest, ApiResponse } from "./model/response.ts";
export type {
  ActionCoverage,
  Divergence,
  ExplorationFacts,
  ExplorationGraph,
  ExplorationResult,
  Minimality,
  NotReplayedReason,
  RecordedExchange,
  RecordedResponse,
  RecordedStep,
  RunError,
  StateGraphResult,
  StopReason,
  Violation,
} from "./model/result.ts";
export type { ExplorationEntry, GraphEntry, JourneyEntry, RunDocument } from "./reports/document-types.ts";
export type { ReportedFailure, ReportedKnown } from "./reports/run-report.ts";
export type { RaceReplay, ReplayedRace, ReplayOptions, ReplayResult } from "./model/replay.ts";
export { Severity } from "./model/severity.ts";
export { Step } from "./model/step.ts";
export type { ExpectedFailure, StepOptions } from "./model/step.ts";
export { BFS, CoverageGuided, DFS, Random } from "./model/strategy.ts";
export type { RacesOptions, RacesSetting } from "./model/races.ts";
export type { Strategy } from "./model/strategy.ts";
export type {
  Awaitable,
  CheckpointChoice,
  LastLook,
  Mark,
  Observed,
  ObservedColumn,
  ObservedTable,
  StoredValue,
  System,
  SystemScope,
  SystemTraits,
} from "./model/system.ts";
export { StateGraph } from "./run/state-graph.ts";
export type { EdgeOptions, NodeOptions, StateGraphOptions } from "./model/state-graph.ts";
export type { EdgeAnswer, EdgeFunction } from "./model/edge-action.ts";
export type { Address, DataRecords, Order, OrderItem, Payment, Product, TestData, User } from "./model/test-data.ts";
export type { TargetEnd } from "./model/target-end.ts";
export { World } from "./model/world.ts";
export type { WorldCheckpoint, WorldObservation, WorldOptions } from "./model/world.ts";
export type { ExplorationEvent, Progress } from "./engine/events.ts";
export type { ExploreOptions } from "./run/options.ts";
