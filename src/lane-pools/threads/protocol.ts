import type { LaneOptions } from "../../lane/index.ts";
import type { Calibration, CalibrationWalk, LaneReport, PathEnd, Recording, UnitRequest } from "../../messages/lane-messages.ts";
import type { FaultAnswer, FaultRequest } from "../../messages/fault-messages.ts";
import type { RaceAnswer, RaceRequest } from "../../messages/race-messages.ts";
import type { VisitedGrowth } from "../../engine/graph/visited-set.ts";
import type { MessagePort } from "node:worker_threads";
import type { Knowledge } from "../../state/index.ts";
import type { LaneSpec } from "../../targets/lanes/lane-spec.ts";
import type { HttpSettings } from "../../adapters/http/defaults.ts";
import type { EncodedChunk, EncodedExpansion } from "./chunk-codec.ts";

/** An error as plain data, since a value that cannot be cloned would kill the worker. */
export interface EncodedError {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
  readonly exitStatus: 2 | 3;
  readonly stack: string | undefined;
  readonly cause: EncodedError | undefined;
}

export type Answer<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "failed"; readonly error: EncodedError };

/** Builds the lane that a worker drives. An earlier lane is closed first. */
export interface AttachTask {
  readonly kind: "attach";
  readonly spec: LaneSpec;
  /** The file of the user's bundle. `exportName` is the name under which it exports the agent. */
  readonly bundle: string;
  readonly exportName: string;
  readonly options: LaneOptions;
  readonly http: HttpSettings;
  readonly control: SharedArrayBuffer;
  /** The data that `setup` made on the first lane, encoded. `undefined` while it is not known. */
  readonly shared: string | undefined;
  /** The lane's control channel. Only sent with the first attach of a worker. */
  readonly port: MessagePort | undefined;
  /** The port through which the lane requests restarts of its processes. Sent together with `port`. */
  readonly processes: MessagePort | undefined;
}

export interface ExpandTask {
  readonly kind: "expand";
  readonly chunk: EncodedChunk;
  /** Set if part of the visited set moved to other memory since the last chunk of this lane. */
  readonly visited: VisitedGrowth | undefined;
}

export type Task = AttachTask | ExpandTask;

/** Calls that a worker offers on its control channel. */
export interface ControlChannel {
  record(path: readonly number[], draws?: UnitRequest["draws"]): Promise<Answer<Recording>>;
  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<Answer<PathEnd>>;
  race(request: RaceRequest): Promise<Answer<RaceAnswer>>;
  fault(request: FaultRequest): Promise<Answer<FaultAnswer>>;
  calibrate(walk?: CalibrationWalk): Promise<Answer<Calibration>>;
  /** Applies more knowledge in the root state. Resolves to `undefined` if the lane has to be rebuilt for that. */
  relearn(knowledge: Knowledge): Promise<Answer<LaneReport | undefined>>;
  statistics(): { readonly expanded: number; readonly heapUsed: number };
  close(): Promise<Answer<void>>;
}

export type AttachAnswer = Answer<LaneReport>;
export type ExpandAnswer = Answer<EncodedExpansion>;
