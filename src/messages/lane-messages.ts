/**
 * The messages between the main thread and a lane. Plain data only, since they cross threads and machines.
 *
 * Each outcome is a row of {@link ROW} int32 values. A step without step events costs 24 bytes and no object.
 */
import type { Divergence, Evidence, RecordedExchange, RecordedStep } from "../model/results/result.ts";
import { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";
import type { DroppedField, Knowledge } from "../state/compare/knowledge.ts";

/** Number of int32 values in a row. */
export const ROW = 6;

/** Offsets of the values in a row. */
export const KIND = 0;
export const STATUS = 1;
/** The fingerprint of the reached state, in two halves. */
export const LO = 2;
export const HI = 3;
/* Offset 4 holds a 32-bit hash of the canonical response, or 0 if there is none to hash. */
/** A 32-bit hash of the reached state's shape; 0 unless the strategy needs the shape. */
export const SHAPE = 5;

/** Values of the low byte of {@link KIND}. */
export const EXECUTED = 0;
export const SKIPPED = 1;
/** User code failed, so the step has no outcome. */
export const FAILED = 2;
/** The target crashed or a request timed out, and again on a fresh lane. This is a finding without a state. */
export const BROKEN = 3;

/** The upper half of {@link KIND} holds a second hash of the reached state, or 0 without one. */
export const CHECK_SHIFT = 16;

/** Flag in the second byte of {@link KIND}: the step has a finding. */
export const FINDING: number = 1 << 8;
/** Flag: there is a {@link StepEvent} for this row. */
export const NEWS: number = 1 << 9;
/** Flag: stores, context or clients changed, even if the fingerprint did not. */
export const CHANGED: number = 1 << 10;
/** Flag: the canonical form could not order symmetric ids within its limit, so equal states may have different fingerprints. */
export const BOUNDED: number = 1 << 11;

/** Flag: the fingerprint ignores the order in which some values were generated. The second hash keeps that order. */
export const REDUCED: number = 1 << 12;

/** Flag: a request that writes (POST, PUT, PATCH, DELETE) was answered with a status of 200 to 299. */
export const WROTE: number = 1 << 13;

/** A range of one node's actions for a lane to execute. */
export interface UnitRequest {
  /** Action indices from the root state to the node. */
  readonly path: readonly number[];
  /** Actions `from` (included) to `to` (excluded). */
  readonly from: number;
  readonly to: number;
  /** The recorded fingerprint of the node. */
  readonly lo: number;
  readonly hi: number;
  /** `true` if the fingerprint must not be compared, because the canonical form could not order symmetric ids within its limit. */
  readonly uncertain: boolean;
  /** The node's snapshot, which is written to the lane. `undefined`: the lane reaches the node by replay. */
  readonly image: unknown;
  /** Makes the unit a cross-check: the lane replays to the node, expands it again, and reports differences instead of rows. */
  readonly check?: ExpansionCheck | undefined;
  /**
   * The paths from which the data of each step is drawn: one for each action of `path`, and one for the actions to execute. `undefined`: `path`
   * itself. A state's data is always drawn from the path that first led to the state.
   */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** How action `from` failed on an earlier lane. The same failure on this fresh lane is a finding. */
  readonly suspect?: LaneFailureKind | undefined;
}

/** The outcomes that a cross-check expects. */
export interface ExpansionCheck {
  /** The committed rows, one per action. `undefined` if they were not kept: the lane then expands the node along {@link along} first. */
  readonly expected: Int32Array | undefined;
  /** The node's own path, if the unit's path is another path to the same state. */
  readonly along?: Pick<UnitRequest, "path" | "draws"> | undefined;
  /** `true` if the unit's path is another path to the same state. */
  readonly merge: boolean;
  /** `true` if the unit's path generated values in another order. A reduction assumes that the order does not matter. */
  readonly reduced?: boolean | undefined;
}

export interface Chunk {
  readonly units: readonly UnitRequest[];
  /** `true`: nodes may be reached by writing their snapshots. `false`: every node is reached by replay. */
  readonly direct: boolean;
  /** Bits of {@link EXCHANGES} and {@link STATES}: the details that the lane sends with each row. */
  readonly details?: number | undefined;
  /** The known context keys and `ignore` patterns. If set, the lane reports further ones that occur; see {@link OccurrenceEvent}. */
  readonly occurred?: readonly string[] | undefined;
}

/** Bit of {@link Chunk.details}: the requests of each action, with their responses. */
export const EXCHANGES = 1;
/** Bit of {@link Chunk.details}: the text lines of reached states that are not committed yet. */
export const STATES = 2;

/**
 * The reason for losing a lane. `store`: a store was lost, which says nothing about the step in progress. `dirty`: the state of the lane's world is
 * uncertain.
 */
export type LaneFailureKind = "unreachable" | "timeout" | "dirty" | "worker" | "store";

/** A failure after which the lane must be rebuilt. */
export interface LaneFailure {
  readonly kind: LaneFailureKind;
  /** Index of the unit in progress in its chunk; -1 if no unit is to blame. */
  readonly unit: number;
  readonly action: number;
  readonly message: string;
  /** The check whose unanswered request caused the failure. */
  readonly check?: string | undefined;
  readonly differences?: readonly string[] | undefined;
  readonly target?: TargetEnd | undefined;
}

export const CRASHED = "target_crashed";

export const INVALID_ANSWER = "invalid_http_answer";

export interface FindingEvent {
  readonly invariant: string;
  readonly severity: Severity;
  readonly message: string;
  /** The cause that the rule gave. Findings that differ only in their causes are one finding. */
  readonly cause?: string | undefined;
  /** The state of the target's process after a crash. Findings that differ only in this field are one finding. */
  readonly target?: TargetEnd | undefined;
}

/** Returns the name and severity of the finding for an unanswered request. `source`: the action or check that sent the request. */
export function noAnswer(isTimeout: boolean, source: string): Pick<FindingEvent, "invariant" | "severity"> {
  return isTimeout ? { invariant: `${source}_timeout`, severity: Severity.HIGH } : { invariant: CRASHED, severity: Severity.CRITICAL };
}

export interface ErrorEvent {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly stack: string | undefined;
  /** The first line of user code in the stack, for an error read from the run log. Otherwise this line is taken from `stack`. */
  readonly where?: string | undefined;
}

export interface InconclusiveEvent {
  readonly invariant: string;
  readonly what: string;
}

/** Everything about a step that does not fit into its row. */
export interface StepEvent {
  readonly unit: number;
  readonly action: number;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly unjudged?: readonly InconclusiveEvent[] | undefined;
  /** The requests of the step with their responses, if there are findings. */
  readonly exchanges: readonly RecordedExchange[];
}

/** The snapshot of a state that may be new. */
export interface SnapshotEvent {
  readonly unit: number;
  readonly action: number;
  readonly image: unknown;
}

/** The details of a row for reports. */
export interface DetailEvent {
  readonly unit: number;
  readonly action: number;
  readonly exchanges: readonly RecordedExchange[];
  /** The reached state as text lines. `undefined` if the state is known already or was not requested. */
  readonly state: readonly string[] | undefined;
}

/** New context keys and `ignore` patterns that occur in the state that a row reaches. */
export interface OccurrenceEvent {
  readonly unit: number;
  readonly action: number;
  readonly names: readonly string[];
}

/** A lane's answer to a {@link Chunk}. */
export interface Expansion {
  /** Number of finished units. The unit in which a failure happened is not counted. */
  readonly finished: number;
  /** The rows of the finished units, one after the other. After a failure, the rows of the unfinished unit follow, up to the failed action. */
  readonly rows: Int32Array;
  readonly news: readonly StepEvent[];
  readonly images: readonly SnapshotEvent[];
  /** One entry per executed row, if {@link Chunk.details} requests details. */
  readonly details?: readonly DetailEvent[] | undefined;
  /** Names that occur for the first time, if {@link Chunk.occurred} is set. A row without new names has no entry. */
  readonly occurrences?: readonly OccurrenceEvent[] | undefined;
  readonly divergences: readonly LaneDivergence[];
  /** Number of steps that were replayed to reach nodes. */
  readonly replayed: number;
  /** Number of steps that were executed again for cross-checks. */
  readonly checked: number;
  readonly busyMs: number;
  readonly failure: LaneFailure | undefined;
  /** `true` if the target sends its answers in two packets. Each request then uses its own connection. */
  readonly twoPackets?: boolean | undefined;
}

/** A divergence as a lane reports it, with action indices instead of names. */
export interface LaneDivergence extends Omit<Divergence, "path"> {
  /** Action indices from the root state. */
  readonly path: readonly number[];
  /** Action indices from the root state. Repeating these calls may show the cause. */
  readonly calls?: readonly number[] | undefined;
  /** `true` if a reduction may be the cause: the order of generation mattered, against its assumption. */
  readonly reduced?: boolean | undefined;
}

/** Returns the divergence for an action that writes after it has answered. `path` ends with the action. */
export function lateWrite<T>(action: string, path: T): Omit<Divergence, "path"> & { readonly path: T } {
  return {
    kind: "late_write",
    path,
    message: `Late writes: action "${action}" was answered before its work was committed, so the state that it leads to is not known`,
    differences: [],
    hint: "Set `target.settle` to the number of seconds that it takes (for example 0.1), and seqqa waits for it after every answer.",
  };
}

/** An experiment: a path that is executed several times to find generated values. */
export interface CalibrationWalk {
  /** `true`: execute the path the largest number of times, because an earlier experiment left a difference unexplained. */
  readonly thorough?: boolean | undefined;
  /** `true`: execute the path once, only for {@link Calibration.states}. */
  readonly once?: boolean | undefined;
  /** If set: execute the path once, only for {@link Calibration.late}. The value is the recorded fingerprint of the path's last state. */
  readonly late?: { readonly lo: number; readonly hi: number } | undefined;
  /** If set: execute nothing, but watch the stores for this many milliseconds for writes that no request caused. */
  readonly idleMs?: number | undefined;
  /** Action indices from the root state. Default: every action in turn, then once more each action that did not apply. */
  readonly path?: readonly number[] | undefined;
  /**
   * The actions that the experiment is about; only without `path`. In each state they are tried before the others. If none of them works, nothing is
   * compared.
   */
  readonly wanted?: readonly number[] | undefined;
  /** With `wanted`: `true` tries the other actions in reverse order. */
  readonly backwards?: boolean | undefined;
}

export interface Calibration {
  /** Generated values and times that were not known before. */
  readonly learned: Knowledge;
  /** Fields that differ between two executions without an explanation: the suspects. */
  readonly suspects: readonly DroppedField[];
  /** Fields of {@link suspects} that {@link learned} does not explain either. One path gave two different values there. */
  readonly lasting: readonly DroppedField[];
  /** Describes the first call whose answer differed between two executions. At most one entry. */
  readonly unlike: readonly string[];
  /** Names of the actions that wrote after they had answered. */
  readonly late: readonly string[];
  /** Hashes of the states of the first execution. A deterministic target gives the same hashes in a new process. */
  readonly states: readonly number[];
  /** Actions that did not work: they did not apply, or the target refused them. */
  readonly missed: readonly number[];
}

/** A lane's report after it has reached the root state. */
export interface LaneReport {
  /** Fingerprint of the whole root state. It is equal on all lanes. */
  readonly wholeLo: number;
  readonly wholeHi: number;
  /** Fingerprint of the root state as a node. A node consists of the changes since the root state. */
  readonly rootLo: number;
  readonly rootHi: number;
  /** The root state as text lines, for comparing lanes; cut to a few thousand lines. */
  readonly rootLines: readonly string[];
  /** The root state as a node, like {@link DetailEvent.state}. */
  readonly rootState?: readonly string[] | undefined;
  /** The calls of `setup`, and their times in milliseconds since 1970. Absent if nothing was sent and the root state is empty. */
  readonly setup?: { readonly step: RecordedStep; readonly startMs: number; readonly endMs: number } | undefined;
  /** The `ignore` patterns for context keys and paths, and those that occur in the root state. Absent without such patterns. */
  readonly ignored?: { readonly patterns: readonly string[]; readonly occurred: readonly string[] } | undefined;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** `true` if a check of the root state got no answer, so that the target of this lane cannot be used. */
  readonly broken?: true | undefined;
  /** `true` if snapshots can be written to all stores. */
  readonly portable: boolean;
  readonly image: unknown;
  /** A snapshot of the changes that `setup` made to the stores, if one can be taken. Lanes that are built later or elsewhere receive it. */
  readonly made: unknown;
  readonly shape: number;
  /** Columns of external stores that other clients write to, like `Knowledge.background`. `undefined` if not all stores were watched. */
  readonly background?: readonly string[] | undefined;
  /** One line per store: name, checkpoint mode and reason. */
  readonly systems: readonly string[];
  readonly contextOnly: boolean;
  /** The source that shows the state of the target. Default: `stores`. */
  readonly visibility?: "stores" | "probe" | "context" | "nothing" | undefined;
  /** The reason why calls cannot be raced on this lane, and the remedy. `undefined` if they can be raced. */
  readonly raceObstacle?: RaceObstacle | undefined;
  /** For each store that cannot hold a call before a write: the reason. */
  readonly gateless?: Readonly<Record<string, string>>;
  /** URLs and files that this lane uses, to detect lanes that share one. */
  readonly uses: readonly string[];
  /** `true` if there are stores, and each is a copy that only this lane uses. */
  readonly isolated?: boolean | undefined;
  /** `true` if a standby lane has replaced this lane. */
  readonly standby?: boolean | undefined;
}

export interface RaceObstacle {
  readonly why: string;
  readonly remedy: string;
}

export interface PathEnd {
  /** Number of steps of the path; 0 if a step could not be executed. */
  readonly steps: number;
  /** The status of the last step's answer. `null` without an answer or without a step. */
  readonly status: number | null;
  readonly findings: readonly FindingEvent[];
  readonly failure: LaneFailureKind | undefined;
}

/** A path that was executed again from the root state, with everything recorded. */
export interface Recording {
  readonly steps: readonly RecordedStep[];
  /** The requests that each rule sent when the last state was checked. */
  readonly checks: readonly RecordedCheck[];
  /** The evidence of the rules that broke in the last state. */
  readonly evidence: readonly RecordedEvidence[];
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** `false` if no step of the path drew data. `UnitRequest.draws` then has no effect. */
  readonly drew: boolean;
  /** The fingerprint of the last state. `undefined` if the last step reached no state. */
  readonly reached: { readonly lo: number; readonly hi: number } | undefined;
  readonly lines: readonly string[];
  /** Index of the step whose precondition did not hold, or that ended without a response. */
  readonly brokeAt: number | undefined;
  readonly failure: LaneFailureKind | undefined;
  /** The time at which each step began, in milliseconds since 1970. Absent if a step could not be executed. */
  readonly starts?: readonly number[] | undefined;
  /** The lines that the target printed during the last step, if its output is known. */
  readonly printed?: readonly string[] | undefined;
}

export interface RecordedEvidence extends Evidence {
  readonly invariant: string;
}

export interface RecordedCheck {
  readonly invariant: string;
  readonly exchange: RecordedExchange;
}
