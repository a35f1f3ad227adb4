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

/** An error as plain data. Some error objects cannot be cloned, and sending such an object to another thread would end the thread. */
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

/** Tells a worker thread to build a lane. The thread closes its earlier lane first. */
export interface AttachTask {
  readonly kind: "attach";
  readonly spec: LaneSpec;
  /** Path of the bundle with the user's code. The bundle exports the agent under the name `exportName`. */
  readonly bundle: string;
  readonly exportName: string;
  readonly options: LaneOptions;
  readonly http: HttpSettings;
  readonly control: SharedArrayBuffer;
  /** A snapshot of the data that `setup` made on the first lane, as text. `undefined` while the first lane is being built. */
  readonly shared: string | undefined;
  /** The port for calls of {@link ControlChannel}. Only set in the first attach task of a thread. */
  readonly port: MessagePort | undefined;
  /** The port through which the lane asks the main thread to restart its target's process. Sent together with `port`. */
  readonly processes: MessagePort | undefined;
}

export interface ExpandTask {
  readonly kind: "expand";
  readonly chunk: EncodedChunk;
  /** The parts of the set of committed states that were moved to other memory since the lane's last chunk. `undefined` if no part was moved. */
  readonly visited: VisitedGrowth | undefined;
}

export type Task = AttachTask | ExpandTask;

/** The functions of a worker thread that the main thread can call while a task is being executed. */
export interface ControlChannel {
  record(path: readonly number[], draws?: UnitRequest["draws"]): Promise<Answer<Recording>>;
  probe(path: readonly number[], draws?: UnitRequest["draws"]): Promise<Answer<PathEnd>>;
  race(request: RaceRequest): Promise<Answer<RaceAnswer>>;
  fault(request: FaultRequest): Promise<Answer<FaultAnswer>>;
  calibrate(walk?: CalibrationWalk): Promise<Answer<Calibration>>;
  /** Brings the lane to the root state with more knowledge about generated values. Resolves to `undefined` if the lane must be rebuilt instead. */
  relearn(knowledge: Knowledge): Promise<Answer<LaneReport | undefined>>;
  statistics(): { readonly expanded: number; readonly heapUsed: number };
  close(): Promise<Answer<void>>;
}

export type AttachAnswer = Answer<LaneReport>;
export type ExpandAnswer = Answer<EncodedExpansion>;
