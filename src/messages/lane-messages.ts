/**
 * The messages between the main thread and a lane. Plain data only: they cross threads and machines.
 *
 * Outcomes travel as rows of {@link ROW} int32 values. A step without step events costs 24 bytes and no object.
 */
import type { Divergence, Evidence, RecordedExchange, RecordedStep } from "../model/results/result.ts";
import { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";
import type { DroppedField, Knowledge } from "../state/compare/knowledge.ts";

/** Int32 values per row. */
export const ROW = 6;

/** Offsets in a row. */
export const KIND = 0;
export const STATUS = 1;
/** The fingerprint reached, two halves. */
export const LO = 2;
export const HI = 3;
/* Offset 4 holds a 32-bit hash of the canonical response, or 0 if there is none to hash. */
/** 32-bit hash of the reached state's shape; 0 unless the strategy needs it. */
export const SHAPE = 5;

/** Values of the low byte of {@link KIND}. */
export const EXECUTED = 0;
export const SKIPPED = 1;
/** The user's code failed, so there is no outcome to follow. */
export const FAILED = 2;
/** The target crashed, or a request timed out, twice: a finding without a state. */
export const BROKEN = 3;

/** The upper half of {@link KIND} is a second hash of the reached state; 0: there is none. */
export const CHECK_SHIFT = 16;

/** Flags in the second byte of {@link KIND}. */
export const FINDING: number = 1 << 8;
/** There is a {@link StepEvent} entry for this row. */
export const NEWS: number = 1 << 9;
/** Stores, context or clients changed, even if the fingerprint did not. */
export const CHANGED: number = 1 << 10;
/** The canonical form could not order symmetric ids within its limit, so an equal state may get another fingerprint. */
export const BOUNDED: number = 1 << 11;

/** The fingerprint ignores the order in which some values of the state were generated. The second hash is of the form that keeps the order. */
export const REDUCED: number = 1 << 12;

/** A request that writes (POST, PUT, PATCH, DELETE) was answered with a status of 200 to 299. */
export const WROTE: number = 1 << 13;

/** One node and a range of its actions. */
export interface UnitRequest {
  /** Action indices from the root. */
  readonly path: readonly number[];
  /** Actions `from` (included) to `to` (excluded). */
  readonly from: number;
  readonly to: number;
  /** The fingerprint on record for the node. */
  readonly lo: number;
  readonly hi: number;
  /** The fingerprint cannot be compared, since the canonical form could not order symmetric ids within its limit. */
  readonly uncertain: boolean;
  /** The snapshot that was captured when the node was reached; it is written to the lane. `undefined`: the node is reached by replay. */
  readonly image: unknown;
  /** The node was expanded before. The lane replays to the node, expands it again, reports differences and sends no rows. */
  readonly check?: ExpansionCheck | undefined;
  /**
   * The paths from which the data of each step is drawn: one entry for each action of the path, and one for the actions that are tried. `undefined`:
   * the path itself. Data for a state is always drawn from the path along which the state was first executed, even if another path leads to it later.
   */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** How action `from` failed on an earlier lane. If it fails in this way again on this fresh lane, that is a finding. */
  readonly suspect?: LaneFailureKind | undefined;
}

/** The outcomes that a node's second expansion is compared with. */
export interface ExpansionCheck {
  /** The committed rows, one per action. `undefined`: they were not kept, so the node is expanded along {@link along} first. */
  readonly expected: Int32Array | undefined;
  /** The node's own path, if the path of the unit is another one to the same state. */
  readonly along?: Pick<UnitRequest, "path" | "draws"> | undefined;
  /** The path is another one to the same state. */
  readonly merge: boolean;
  /** The other path generated values in another order. The search assumes that the order does not matter. */
  readonly reduced?: boolean | undefined;
}

/** The work that is sent to a lane in one message. */
export interface Chunk {
  readonly units: readonly UnitRequest[];
  /** `false`: every node is reached by replay. */
  readonly direct: boolean;
  /** Bits of {@link EXCHANGES} and {@link STATES}: the details that the lane sends beside each row. */
  readonly details?: number | undefined;
  /** Asks which context keys and `ignore` patterns occur in the states. The names listed here are known already; see {@link OccurrenceEvent}. */
  readonly occurred?: readonly string[] | undefined;
}

/** The requests of actions, and their responses. */
export const EXCHANGES = 1;
/** Reached states that are not committed yet, in lines. */
export const STATES = 2;

/** `store`: a store was lost, which says nothing about the step in progress. `dirty`: the state of the lane's world is uncertain. */
export type LaneFailureKind = "unreachable" | "timeout" | "dirty" | "worker" | "store";

/** The reason why a lane could not continue. The lane must be rebuilt before it is used again. */
export interface LaneFailure {
  readonly kind: LaneFailureKind;
  /** Index of the unit in the chunk that was in progress, and its action. A unit of -1: no unit is to blame. */
  readonly unit: number;
  readonly action: number;
  readonly message: string;
  /** The check whose request got no answer, if that is the reason. */
  readonly check?: string | undefined;
  readonly differences?: readonly string[] | undefined;
  /** The state of the target's process. */
  readonly target?: TargetEnd | undefined;
}

/** The name of the finding for a target that ended or stopped answering. */
export const CRASHED = "target_crashed";

/** The name of the finding for an answer that was not HTTP. */
export const INVALID_ANSWER = "invalid_http_answer";

/** A rule that a step broke. */
export interface FindingEvent {
  readonly invariant: string;
  readonly severity: Severity;
  readonly message: string;
  /** The cause that findings of other actions may share. Findings that differ only here are one finding. */
  readonly cause?: string | undefined;
  /** The state of the process after a crash. Findings that differ only here are one finding. */
  readonly target?: TargetEnd | undefined;
}

/** Returns the name and severity of the finding for a request that got no answer. `source`: the action or the check that sent it. */
export function noAnswer(isTimeout: boolean, source: string): Pick<FindingEvent, "invariant" | "severity"> {
  return isTimeout ? { invariant: `${source}_timeout`, severity: Severity.HIGH } : { invariant: CRASHED, severity: Severity.CRITICAL };
}

/** A failure of the user's code in a step. */
export interface ErrorEvent {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly stack: string | undefined;
  /** The first line of the user's own code in the stack, for an error that was read from the run log. Otherwise it is looked up in the stack. */
  readonly where?: string | undefined;
}

/** The `invariant` of an {@link InconclusiveEvent} about a column that a store fills by its own clock. No rule has this name. */
export const STORE_CLOCK = "\tstore clock";

/** A rule that was inconclusive in a step, and the reason. With {@link STORE_CLOCK}: `what` is a column whose times mean nothing. */
export interface InconclusiveEvent {
  readonly invariant: string;
  readonly what: string;
}

/** The step events of one action: everything that does not fit into a row. */
export interface StepEvent {
  readonly unit: number;
  readonly action: number;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly unjudged?: readonly InconclusiveEvent[] | undefined;
  /** The requests of the step, with their responses; for findings. */
  readonly exchanges: readonly RecordedExchange[];
}

/** The snapshot of a new node. */
export interface SnapshotEvent {
  readonly unit: number;
  readonly action: number;
  readonly image: unknown;
}

/** The details of a row that reports show. */
export interface DetailEvent {
  readonly unit: number;
  readonly action: number;
  readonly exchanges: readonly RecordedExchange[];
  /** The reached state in lines. `undefined`: it is known already, or was not asked for. */
  readonly state: readonly string[] | undefined;
}

/** The context keys, and the `ignore` patterns that match something, in the state that a row reaches. */
export interface OccurrenceEvent {
  readonly unit: number;
  readonly action: number;
  readonly names: readonly string[];
}

/** A lane's answer to a chunk. */
export interface Expansion {
  /** The number of finished units. With a failure, the unit in progress is not counted. */
  readonly finished: number;
  /**
   * The rows of the finished units, one after the other. With a failure they are followed by the rows of the unit in progress, up to the failing
   * action.
   */
  readonly rows: Int32Array;
  readonly news: readonly StepEvent[];
  readonly images: readonly SnapshotEvent[];
  /** One entry for every executed row, while {@link Chunk.details} asks for it. */
  readonly details?: readonly DetailEvent[] | undefined;
  /** The names that occur first in a row's state, while {@link Chunk.occurred} asks for them. A row without new names has no entry. */
  readonly occurrences?: readonly OccurrenceEvent[] | undefined;
  readonly divergences: readonly LaneDivergence[];
  /** Steps that were replayed to get to nodes. */
  readonly replayed: number;
  /** Steps that were executed again for cross-checks. */
  readonly checked: number;
  readonly busyMs: number;
  readonly failure: LaneFailure | undefined;
  /** The target sends its answers in two packets, so each request uses a connection of its own. */
  readonly twoPackets?: boolean | undefined;
}

/** A divergence as lanes report it. */
export interface LaneDivergence extends Omit<Divergence, "path"> {
  /** Action indices from the root. */
  readonly path: readonly number[];
  /** The calls that may show the cause when they are repeated: action indices from the root. */
  readonly calls?: readonly number[] | undefined;
  /** The cause may be an order of generation that was assumed not to matter. */
  readonly reduced?: boolean | undefined;
}

/** Returns the divergence of an action that writes after it has answered. `path`: leads to the action, and ends with it. */
export function lateWrite<T>(action: string, path: T): Omit<Divergence, "path"> & { readonly path: T } {
  return {
    kind: "late_write",
    path,
    message: `Late writes: action "${action}" was answered before its work was committed, so the state that it leads to is not known`,
    differences: [],
    hint: "Set `target.settle` to the number of seconds that it takes (for example 0.1), and seqqa waits for it after every answer.",
  };
}

/** A walk that is repeated to find generated values. */
export interface CalibrationWalk {
  /** Makes the largest number of walks, even if two are equal: an earlier round found a difference that is not explained yet. */
  readonly thorough?: boolean | undefined;
  /** Walks once, for {@link Calibration.states}. */
  readonly once?: boolean | undefined;
  /** Walks once, for {@link Calibration.late}. Holds the fingerprint on record for the state at the end of the path. */
  readonly late?: { readonly lo: number; readonly hi: number } | undefined;
  /** Makes no walk. The stores are watched for this many milliseconds for writes that no request caused. */
  readonly idleMs?: number | undefined;
  /** Action indices from the root. Default: every action in turn, then once more each action that did not apply. */
  readonly path?: readonly number[] | undefined;
  /**
   * Actions that the walk is made for; only without `path`. They are tried before the others in each state. If none of them works, nothing is
   * compared.
   */
  readonly wanted?: readonly number[] | undefined;
  /** With `wanted`: tries the other actions in reverse order. */
  readonly backwards?: boolean | undefined;
}

/** The result of an experiment. */
export interface Calibration {
  /** Generated values and times that were not known before. */
  readonly learned: Knowledge;
  /** Fields that differ between two walks without an explanation. */
  readonly suspects: readonly DroppedField[];
  /** The suspects that {@link learned} does not explain either. Walks that differ in them are two executions of one path with two results. */
  readonly lasting: readonly DroppedField[];
  /** The first call whose answer differed in another walk, in words; at most one. */
  readonly unlike: readonly string[];
  /** Actions that wrote after they had answered. */
  readonly late: readonly string[];
  /** The states of the first walk. A fresh process gives the same states if the target is deterministic. */
  readonly states: readonly number[];
  /** Actions of the walk that did not work on it: they did not apply, or the target refused them. */
  readonly missed: readonly number[];
}

/** A lane's report when it has reached the root state. */
export interface LaneReport {
  /** Fingerprint of the whole root state: equal in all lanes. */
  readonly wholeLo: number;
  readonly wholeHi: number;
  /** Fingerprint of the root as a node, which is observed relative to the root itself. */
  readonly rootLo: number;
  readonly rootHi: number;
  /** The root state in canonical lines, for comparing lanes; cut to a few thousand lines. */
  readonly rootLines: readonly string[];
  /** The root as a node, like {@link DetailEvent.state}. */
  readonly rootState?: readonly string[] | undefined;
  /** How the root state was reached, and when, in milliseconds since 1970; absent if nothing was sent and the root state is empty. */
  readonly setup?: { readonly step: RecordedStep; readonly startMs: number; readonly endMs: number } | undefined;
  /** `ignore` patterns that match context keys or paths, and those of them that occur in the root state. Absent if there are no such patterns. */
  readonly ignored?: { readonly patterns: readonly string[]; readonly occurred: readonly string[] } | undefined;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** A check of the root state got no answer: the target of this lane cannot be used. */
  readonly broken?: true | undefined;
  /** Snapshots can be written to all stores. */
  readonly portable: boolean;
  readonly image: unknown;
  /** The changes that `setup` made to the stores, if they can be captured. Lanes that are built later or elsewhere receive them. */
  readonly made: unknown;
  readonly shape: number;
  /** Columns of external stores that others write to, like `Knowledge.background`. Default: not all stores were watched for such writes. */
  readonly background?: readonly string[] | undefined;
  /** One line per store: name, checkpoint mode and reason. */
  readonly systems: readonly string[];
  /** Only the context is restored. */
  readonly contextOnly: boolean;
  /** The source that shows the state of the target. Default: `stores`. */
  readonly visibility?: "stores" | "probe" | "context" | "nothing" | undefined;
  /** The reason why calls cannot be raced on this lane, and the remedy. `undefined`: they can be raced. */
  readonly raceObstacle?: RaceObstacle | undefined;
  /** Per store that cannot hold a call before a write: the reason. Other stores have no entry. */
  readonly gateless?: Readonly<Record<string, string>>;
  /** URLs and files that this lane uses. They show when two lanes share one. */
  readonly uses: readonly string[];
  /** `true` if there are stores and each is a copy that only this lane uses, so that no other target writes to them. */
  readonly isolated?: boolean | undefined;
  /** The standby lane has replaced this lane. */
  readonly standby?: boolean | undefined;
}

/** The reason why calls cannot be raced in a world. */
export interface RaceObstacle {
  readonly why: string;
  readonly remedy: string;
}

/** The end of a path that was executed. */
export interface PathEnd {
  /** The number of steps of the path; 0 if a step could not be executed. */
  readonly steps: number;
  /** The status of the last step. `null`: it got no answer, or there is no step. */
  readonly status: number | null;
  readonly findings: readonly FindingEvent[];
  readonly failure: LaneFailureKind | undefined;
}

/** A path that was executed again from the root, with everything recorded. */
export interface Recording {
  readonly steps: readonly RecordedStep[];
  /** The requests that each invariant sent when the last state was checked. */
  readonly checks: readonly RecordedCheck[];
  /** Statements of the broken rules and their queries to stores, when the last state was checked. */
  readonly evidence: readonly RecordedEvidence[];
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** `false`: no step of the path drew data, so it does not matter which paths data is drawn from. */
  readonly drew: boolean;
  /** `undefined` when the last step reached no state. */
  readonly reached: { readonly lo: number; readonly hi: number } | undefined;
  readonly lines: readonly string[];
  /** The step whose precondition did not hold, or that ended without a response. */
  readonly brokeAt: number | undefined;
  readonly failure: LaneFailureKind | undefined;
  /** When each step began, in milliseconds since 1970. Absent if a step could not be executed. */
  readonly starts?: readonly number[] | undefined;
  /** The lines that the target printed during the last step, if its output is known. */
  readonly printed?: readonly string[] | undefined;
}

/** The values and queries of one rule's check. */
export interface RecordedEvidence extends Evidence {
  readonly invariant: string;
}

/** A request that an invariant sent. */
export interface RecordedCheck {
  readonly invariant: string;
  readonly exchange: RecordedExchange;
}
