export { Action } from "./model/declare/action.ts";
export type { CodeCount, CodeCoverage, FileCoverage, OperationCoverage } from "./model/results/coverage.ts";
export type { ActionOptions, ExpectedStatus } from "./model/declare/action.ts";
export { Agent } from "./run/agent.ts";
export type { AgentOptions } from "./model/declare/agent.ts";
export type { ApiClient, MultipartPart, MultipartValue, RequestOptions } from "./model/http/client.ts";
export { Context, storeOf } from "./model/context/context.ts";
export type { Values } from "./model/context/context.ts";
export { KeyError, SeqqaError } from "./model/errors.ts";
export { Invariant } from "./model/declare/invariant.ts";
export type { CheckAnswer, CheckResult, InvariantOptions } from "./model/declare/invariant.ts";
export { Journey } from "./run/journeys/journey.ts";
export type { AnyStep, JourneyOptions } from "./model/declare/journey/journey.ts";
export type { JourneyResult, StepResult, StepStatus } from "./model/results/journey-result.ts";
export type { Lane } from "./model/declare/lane.ts";
export type { ApiRequest, ApiResponse } from "./model/http/response.ts";
export type {
  ActionCoverage,
  AffectedOperation,
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
} from "./model/results/result.ts";
export type {
  ExplorationEntry,
  GraphEntry,
  JourneyEntry,
  RuleStrength,
  RunDocument,
  StrengthPlace,
} from "./reports/document/document-types.ts";
export type { GraphData, ReportData } from "./reports/document/report-data.ts";
export type {
  ReportedExploration,
  ReportedFailure,
  ReportedJourney,
  ReportedKnown,
  RunCoverage,
  RunReport,
} from "./reports/document/run-report.ts";
export type { Output as ReporterOutput, Reporter, ReporterOptions } from "./reports/reporter.ts";
export type { ReportFormat } from "./reports/formats/report-format.ts";
export type { RaceReplay, ReplayedRace, ReplayOptions, ReplayResult } from "./model/results/replay.ts";
export { Severity } from "./model/declare/severity.ts";
export { Step } from "./model/declare/journey/step.ts";
export type { ExpectedFailure, StepOptions } from "./model/declare/journey/step.ts";
export { BFS, CoverageGuided, DFS, Random } from "./model/declare/search/strategy.ts";
export type { FaultsOptions, FaultsSetting } from "./model/declare/search/faults.ts";
export type { RacesOptions, RacesSetting } from "./model/declare/search/races.ts";
export type { Strategy, StrategyKind } from "./model/declare/search/strategy.ts";
export type {
  Awaitable,
  CheckpointChoice,
  Gate,
  GateView,
  HeldWrite,
  KeptCounters,
  LastLook,
  Checkpoint,
  NoFaults,
  NoGate,
  Observed,
  ObservedColumn,
  ObservedTable,
  StoredValue,
  StoreAdapter,
  StoreScope,
  StoreTraits,
  TableSchema,
  DeclaredReference,
  /** @deprecated Use `Checkpoint`. */
  Checkpoint as Mark,
  /** @deprecated Use `StoreAdapter`. */
  StoreAdapter as System,
  /** @deprecated Use `StoreScope`. */
  StoreScope as SystemScope,
  /** @deprecated Use `StoreTraits`. */
  StoreTraits as SystemTraits,
  WriteFault,
  WriteFaults,
} from "./model/stores/store-adapter.ts";
export type { Leftover, RowImage, RowImages } from "./model/stores/leftover.ts";
export type { StoreModule, StoreModuleSettings } from "./model/stores/store-module.ts";
export type {
  Cleaned,
  Cleaning,
  Removed,
  StoreCheck,
  StoreUse,
  StoreKind,
  StoreProvider,
  StoreProviderOptions,
} from "./model/stores/store-provider.ts";
export { StateGraph } from "./run/state-graphs/state-graph.ts";
export type { EdgeOptions, NodeOptions, StateGraphOptions } from "./model/declare/state-graph/state-graph.ts";
export type { EdgeAnswer, EdgeFunction } from "./model/declare/state-graph/edge-action.ts";
export type { Address, DataRecords, Order, OrderItem, Payment, Product, TestData, User } from "./model/context/test-data.ts";
export type { TargetEnd } from "./model/results/target-end.ts";
export { World } from "./model/declare/world.ts";
export type { WorldCheckpoint, WorldObservation, WorldOptions } from "./model/declare/world.ts";
export type { ExplorationEvent, Progress } from "./engine/events.ts";
export type { ExploreOptions } from "./run/prepare/options.ts";
