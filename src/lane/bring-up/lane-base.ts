import type { Action } from "../../model/declare/action.ts";
import type { Lane } from "../../model/declare/lane.ts";
import type { Ignored, Schemas } from "../../model/stores/ignored.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import type { TestData } from "../../model/context/test-data.ts";
import type { Rule } from "../../model/declare/rule.ts";
import type { RecordedExchange } from "../../model/results/result.ts";
import type { World } from "../../model/declare/world.ts";
import type { Canonicalizer, Knowledge, RenamedCounter } from "../../state/index.ts";
import type { LaneReport } from "../../messages/lane-messages.ts";
import type { Checker } from "../step/checker.ts";
import type { CalledOperations, DescribedOperations } from "../report/called-operations.ts";
import type { Drawing } from "./data-draws.ts";
import type { Probes } from "../races/race-obstacle.ts";
import type { RootState } from "./root-state.ts";
import type { Stepper } from "../step/stepper.ts";
import type { TargetRestart, TargetControl } from "./target-restart.ts";
import type { SpentIds } from "../state/spent-ids.ts";
import type { WorldState } from "../state/world-state.ts";

/** Options for all lanes of a run, as plain data that can be sent to threads. */
export interface LaneOptions {
  /**
   * The time at which the run started, in milliseconds since 1970. A value that looks like a time counts as a time of the run if it is near this
   * start.
   */
  readonly clockMs: number;
  /** The times at which the earlier sessions of a resumed run started, in milliseconds since 1970. `undefined` for a new run. */
  readonly earlierClocksMs?: readonly number[] | undefined;
  readonly settleMs: number;
  readonly serverErrors: "violation" | "ignore";
  /** `true` if errors of user code are reported without the request and response bodies that they quote. */
  readonly hideBodies: boolean;
  /** String literals in the user's code that look like random tokens but are not treated as generated values. */
  readonly literals: readonly string[];
  readonly knowledge: Knowledge;
  /** How long external stores are watched for writes by other clients before they are first used, in milliseconds. Default: 0. */
  readonly idleWatchMs?: number | undefined;
  /** `true` if requests of `target.warm_up` are sent to each target before its stores are opened. Default: `false`. */
  readonly isWarmedUp?: boolean | undefined;
  /** The agent's seed for test data. Default: 0. */
  readonly dataSeed?: number;
  /** Names of external stores that seqqa may write to although their names do not say that they are for tests. */
  readonly allowedStores?: readonly string[] | undefined;
  /** `true` if each lane must compute a hash of the structure of states. Only some strategies need this hash. */
  readonly shapes: boolean;
  /** `true` if stores that have a gate (can hold a write) must prepare the gate when they are opened. */
  readonly gated?: boolean | undefined;
  /** `true` if stores that can make a write fail must prepare this ability when they are opened. */
  readonly faulty?: boolean | undefined;
  /** The settings for races and faults. Before `setup`, a lane refuses settings that are impossible in its world. `undefined`: nothing is refused. */
  readonly probes?: Probes | undefined;
  /** The operations of the OpenAPI description. Lanes report the answers of these operations. `undefined`: no answers are reported. */
  readonly operations?: DescribedOperations | undefined;
}

/** Options of the clients that seqqa makes for a target. */
export interface ClientOptions {
  /** The prefix of the URL paths of all requests of the client. Default: none. */
  readonly basePath?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The parts from which a lane is brought up, such as its target, its stores, and a function that creates clients. */
export interface LaneParts {
  readonly lane: Lane;
  readonly inProcess: boolean;
  readonly borrowed: boolean;
  /** The stores of the lane that are external although seqqa starts the target. Default: none. */
  readonly external?: ReadonlySet<StoreAdapter> | undefined;
  /** `true` if the lane is built for the first time. External stores are then watched for writes by other clients. */
  readonly isFirst?: boolean | undefined;
  /** Creates a client for the lane's target. `undefined` if there is no target. */
  readonly createClient: ((options?: ClientOptions) => unknown) | undefined;
  readonly createData: (seed: string) => TestData;
  /** Ends and starts the process of the lane's target. `undefined` if seqqa did not start this process. */
  readonly process?: TargetControl | undefined;
  /** Restarts the target's process before each action. Only set for `target.rollback: restart`. */
  readonly restart?: TargetControl | undefined;
  /** A snapshot of the root state of another lane, if this lane is a copy of that lane. */
  readonly snapshot?: unknown;
  /** A snapshot of the data that `setup` made on the run's first lane; see {@link LaneReport.made}. All lanes then have the same ids. */
  readonly shared?: unknown;
}

/** A lane that is in its root state. */
export interface LaneBase {
  readonly options: LaneOptions;
  readonly actions: readonly Action<never, never>[];
  readonly world: World<never, never>;
  readonly state: WorldState;
  readonly stepper: Stepper;
  readonly checker: Checker;
  readonly canonicalizer: Canonicalizer;
  /**
   * `true` if experiments can find the generated values. `false` if no restore is possible for an experiment, so that generated values are only
   * recognised by their appearance.
   */
  readonly isIdentified: boolean;
  /** The canonicalizer for executions before any experiment, which recognises ids and times by their appearance. */
  readonly lookalikes: Canonicalizer;
  readonly home: RootState;
  readonly drawing: Drawing;
  readonly restart: TargetRestart | undefined;
  readonly process: TargetControl | undefined;
  /** Values that only exist on this lane, such as the target's URL, each with the placeholder that replaces it. */
  readonly placeholders: readonly (readonly [string, string])[];
  readonly ignored: Ignored;
  /** The counters that generate ids only for columns whose ids are renamed. */
  readonly counters: readonly RenamedCounter[];
  /** The tables of the stores. */
  readonly schemas: Schemas;
  readonly spentIds: SpentIds;
  readonly references: NonNullable<LaneReport["references"]>;
  readonly report: LaneReport;
  readonly reportInputs: ReportInputs;
  /** Finds the operations of requests, if the lane has an OpenAPI description. */
  readonly operations: CalledOperations | undefined;
}

/** Data from the first start of a lane. Each report of the lane's root state is made from this data. */
interface ReportInputs {
  readonly parts: LaneParts;
  readonly rules: readonly Rule[];
  /** The rules that are checked on this lane. Rules that write are left out if their writes cannot be restored. */
  readonly judged: readonly Rule[];
  readonly contextOnly: boolean;
  readonly background: readonly string[] | undefined;
  /** The requests that `setup` and logins sent when the root state was made for the first time. */
  readonly setUp: readonly RecordedExchange[];
  /** The answers that described operations gave to requests of `setup` and of logins, as in {@link LaneReport.calls}. */
  readonly calls: readonly number[];
}
