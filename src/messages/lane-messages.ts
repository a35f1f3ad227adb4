/**
 * What the main thread and a lane say to each other. Plain data only: it crosses threads, and later machines.
 *
 * Outcomes travel as rows of {@link ROW} int32 values, so that a step without news costs 24 bytes and no object.
 */
import type { Divergence, RecordedExchange, RecordedStep } from "../model/results/result.ts";
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
/* At offset 4: a 32-bit hash of the canonical response; 0 when there is none to hash. */
/** 32-bit hash of the reached state's shape; 0 unless the strategy asks for it. */
export const SHAPE = 5;

/** Values of the low byte of {@link KIND}. */
export const EXECUTED = 0;
export const SKIPPED = 1;
/** The user's code failed: there is no outcome to follow. */
export const FAILED = 2;
/** The target crashed, or a request timed out, twice: a finding without a state. */
export const BROKEN = 3;

/** The upper half of {@link KIND} is another hash of the state reached; 0: there is none. */
export const CHECK_SHIFT = 16;

/** Flags in the second byte of {@link KIND}. */
export const FINDING: number = 1 << 8;
/** There is a {@link StepEvent} entry for this row. */
export const NEWS: number = 1 << 9;
/** Stores, context or clients changed, whether or not the fingerprint did. */
export const CHANGED: number = 1 << 10;
/** The canonical form gave up on symmetric ids: the state counts as its own. */
export const BOUNDED: number = 1 << 11;

/** The state has values whose order of generation its fingerprint forgets: the other hash is of the form that has it. */
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
  /** The fingerprint cannot be compared: the canonical form gave up on symmetric ids. */
  readonly uncertain: boolean;
  /** The node's state as captured when it was reached, to be written directly; `undefined`: it is reached by replay. */
  readonly image: unknown;
  /** The node was expanded before: go there by replay, expand it again, say what differs and send no rows. */
  readonly check?: ExpansionCheck | undefined;
  /**
   * By which path the data of each step is drawn: one entry for each action of the path, and one for the actions that are tried. `undefined`: by
   * the path itself. A state is drawn for by the path that it was first executed along, whatever way leads to it later.
   */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** On an earlier lane the action `from` ended like this; seen again on this fresh one it is a finding. */
  readonly suspect?: LaneFailureKind | undefined;
}

/** What a node's expansion is compared with. */
export interface ExpansionCheck {
  /** The committed rows, one per action; `undefined`: they are not kept any more, and the node is expanded along {@link along} first. */
  readonly expected: Int32Array | undefined;
  /** The node's own path, where that of the unit is another one to the same state. */
  readonly along?: Pick<UnitRequest, "path" | "draws"> | undefined;
  /** The path is another one to the same state. */
  readonly merge: boolean;
  /** The other path generated values in another order, which is assumed not to matter. */
  readonly reduced?: boolean | undefined;
}

/** What a lane is sent at once. */
export interface Chunk {
  readonly units: readonly UnitRequest[];
  /** `false` forces every node to be reached by replay. */
  readonly direct: boolean;
  /** What is kept of every row beside it: bits of {@link EXCHANGES} and {@link STATES}. */
  readonly details?: number | undefined;
  /** Which keys and patterns there are in states is asked for, but for these; see {@link OccurrenceEvent}. */
  readonly occurred?: readonly string[] | undefined;
}

/** What the actions send, and what comes back. */
export const EXCHANGES = 1;
/** The states that are reached and not committed yet, in lines. */
export const STATES = 2;

/** `store`: a store was gone, which says nothing of what was in progress; `dirty`: the lane cannot vouch for its world. */
export type LaneFailureKind = "unreachable" | "timeout" | "dirty" | "worker" | "store";

/** Why a lane could not go on. It must be rebuilt before it is used again. */
export interface LaneFailure {
  readonly kind: LaneFailureKind;
  /** Index of the unit in the chunk, and the action, that were in progress; a unit of -1: none is to blame. */
  readonly unit: number;
  readonly action: number;
  readonly message: string;
  /** The check whose request got no answer, where that is why. */
  readonly check?: string | undefined;
  readonly differences?: readonly string[] | undefined;
  /** How its target's process stood. */
  readonly target?: TargetEnd | undefined;
}

/** The name of the finding that the target went away. */
export const CRASHED = "target_crashed";

/** The name of the finding that an answer was not HTTP. */
export const INVALID_ANSWER = "invalid_http_answer";

/** A rule that a step broke. */
export interface FindingEvent {
  readonly invariant: string;
  readonly severity: Severity;
  readonly message: string;
  /** Of a crash: how the process stood. Not part of what tells findings apart. */
  readonly target?: TargetEnd | undefined;
}

/** Names the finding of a request that got no answer, and rates it. `source`: the action or the check that sent it. */
export function noAnswer(isTimeout: boolean, source: string): Pick<FindingEvent, "invariant" | "severity"> {
  return isTimeout ? { invariant: `${source}_timeout`, severity: Severity.HIGH } : { invariant: CRASHED, severity: Severity.CRITICAL };
}

/** A failure of the user's code in a step. */
export interface ErrorEvent {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly stack: string | undefined;
  /** The first line of the user's own code in the stack, of an error that was written down before; else it is looked for there. */
  readonly where?: string | undefined;
}

/** What a rule could not judge of a step, and why. */
export interface InconclusiveEvent {
  readonly invariant: string;
  readonly what: string;
}

/** What a row cannot hold. */
export interface StepEvent {
  readonly unit: number;
  readonly action: number;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly unjudged?: readonly InconclusiveEvent[] | undefined;
  /** What the step sent; for findings. */
  readonly exchanges: readonly RecordedExchange[];
}

/** A captured state of a new node. */
export interface SnapshotEvent {
  readonly unit: number;
  readonly action: number;
  readonly image: unknown;
}

/** What reports show of a row. */
export interface DetailEvent {
  readonly unit: number;
  readonly action: number;
  readonly exchanges: readonly RecordedExchange[];
  /** The reached state; `undefined`: it is known, or nobody asked. */
  readonly state: readonly string[] | undefined;
}

/** Keys of the context, and patterns of `ignore` that name something, in the state that a row reaches. */
export interface OccurrenceEvent {
  readonly unit: number;
  readonly action: number;
  readonly names: readonly string[];
}

/** What a lane answers to a chunk. */
export interface Expansion {
  /** How many units were finished; with a failure, the unit in progress is not. */
  readonly finished: number;
  /** The rows of the finished units, one after the other; with a failure followed by those of the unit in progress before the failing action. */
  readonly rows: Int32Array;
  readonly news: readonly StepEvent[];
  readonly images: readonly SnapshotEvent[];
  /** Of all executed rows, while {@link Chunk.details} asks for it. */
  readonly details?: readonly DetailEvent[] | undefined;
  /** The first names that a row's state has, while {@link Chunk.occurred} asks for them; no entry for a row without any. */
  readonly occurrences?: readonly OccurrenceEvent[] | undefined;
  readonly divergences: readonly LaneDivergence[];
  /** Steps executed again to get to nodes. */
  readonly replayed: number;
  /** Steps executed again to check. */
  readonly checked: number;
  readonly busyMs: number;
  readonly failure: LaneFailure | undefined;
  /** The target sends its answers in two packets, and each request has a connection of its own because of it. */
  readonly twoPackets?: boolean | undefined;
}

/** A divergence as lanes report it. */
export interface LaneDivergence extends Omit<Divergence, "path"> {
  /** Action indices from the root. */
  readonly path: readonly number[];
  /** The calls whose repetition may show where it comes from: indices from the root. */
  readonly calls?: readonly number[] | undefined;
  /** It may come from an order of generation that was assumed not to matter. */
  readonly reduced?: boolean | undefined;
}

/** The divergence of an action that writes after it has answered. `path`: leads to the action, and ends with it. */
export function lateWrite<T>(action: string, path: T): Omit<Divergence, "path"> & { readonly path: T } {
  return {
    kind: "late_write",
    path,
    message: `Late writes: action "${action}" was answered before its work was committed, so the state that it leads to is not known`,
    differences: [],
    hint: "Set `target.settle` to the seconds that it takes (for example 0.1), so that seqqa waits for it after every answer.",
  };
}

/** A walk that is made several times. */
export interface CalibrationWalk {
  /** Makes the largest number of walks, even where two are alike: an earlier round found a difference that is not explained yet. */
  readonly thorough?: boolean | undefined;
  /** Only once, for {@link Calibration.states}. */
  readonly once?: boolean | undefined;
  /** Only once, for {@link Calibration.late}; with the fingerprint on record for the state that the path leads to. */
  readonly late?: { readonly lo: number; readonly hi: number } | undefined;
  /** No walk: milliseconds that the stores are watched for writes that no request asks for. */
  readonly idleMs?: number | undefined;
  /** Action indices from the root. Default: every action in turn, and again those that did not apply. */
  readonly path?: readonly number[] | undefined;
  /** Actions that the walk is for, tried in each of its states before any other; without `path`. Nothing is compared where none of them works. */
  readonly wanted?: readonly number[] | undefined;
  /** Beside `wanted`: the others are tried from the last to the first. */
  readonly backwards?: boolean | undefined;
}

/** The result of an experiment. */
export interface Calibration {
  /** Generated values and times that are new. */
  readonly learned: Knowledge;
  /** Fields that differ between two walks, and nothing explains how. */
  readonly suspects: readonly DroppedField[];
  /** The suspects that {@link learned} does not explain either: walks that differ in them are two executions of one path with two results. */
  readonly lasting: readonly DroppedField[];
  /** The first call that was answered otherwise in another walk, in words; at most one. */
  readonly unlike: readonly string[];
  /** Actions that wrote after they had answered. */
  readonly late: readonly string[];
  /** The states of the first walk: equal on a fresh process if the target is deterministic. */
  readonly states: readonly number[];
  /** Actions that the walk was to make and that did not work on it: they did not apply, or were refused. */
  readonly missed: readonly number[];
}

/** What a lane says once it stands at the root state. */
export interface LaneReport {
  /** Fingerprint of the whole root state: equal in all lanes. */
  readonly wholeLo: number;
  readonly wholeHi: number;
  /** Fingerprint of the root as a node: what is observed there relative to the root. */
  readonly rootLo: number;
  readonly rootHi: number;
  /** The root state in canonical lines, for comparing lanes; cut to a few thousand. */
  readonly rootLines: readonly string[];
  /** The root as a node, as {@link DetailEvent.state}. */
  readonly rootState?: readonly string[] | undefined;
  /** Patterns of `ignore` that name keys of the context or paths, and which of them the root state has; absent where there are no such patterns. */
  readonly ignored?: { readonly patterns: readonly string[]; readonly occurred: readonly string[] } | undefined;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** A check of the root state got no answer: the target of this lane is of no use. */
  readonly broken?: true | undefined;
  /** All systems can be written directly. */
  readonly portable: boolean;
  readonly image: unknown;
  /** What `setup` changed in the stores, where that can be captured; a lane that is built later, or elsewhere, is given it. */
  readonly made: unknown;
  readonly shape: number;
  /** What others write to stores that are the user's own, as in `Knowledge.background`. Default: not all stores were watched for that. */
  readonly background?: readonly string[] | undefined;
  /** One line per system: name, checkpoint and why. */
  readonly systems: readonly string[];
  /** Only the context is put back. */
  readonly contextOnly: boolean;
  /** The source that shows the state of the target. Default: `stores`. */
  readonly visibility?: "stores" | "probe" | "context" | "nothing" | undefined;
  /** Why calls cannot be raced on this lane, and what to do about it; `undefined`: they can. */
  readonly raceObstacle?: RaceObstacle | undefined;
  /** Per system: why it cannot hold a call before a write; none for one that can. */
  readonly gateless?: Readonly<Record<string, string>>;
  /** URLs and files that this lane uses, to notice two lanes on one. */
  readonly uses: readonly string[];
  /** There are stores, and each of them is a copy of this lane: a second target beside its own does not write there. */
  readonly isolated?: boolean | undefined;
  /** The standby lane took the place of this lane. */
  readonly standby?: boolean | undefined;
}

/** Why a world cannot race. */
export interface RaceObstacle {
  readonly why: string;
  readonly remedy: string;
}

/** What a path did in the end. */
export interface PathEnd {
  /** All of its steps; 0 when one of them stood in the way. */
  readonly steps: number;
  /** The status of the last step; `null` when it got no answer, or there is none. */
  readonly status: number | null;
  readonly findings: readonly FindingEvent[];
  readonly failure: LaneFailureKind | undefined;
}

/** A path executed once more from the root with everything recorded. */
export interface Recording {
  readonly steps: readonly RecordedStep[];
  /** What each invariant asked for when the last state was checked. */
  readonly checks: readonly RecordedCheck[];
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** `false`: nobody drew data along the path, so it does not matter by which paths that is drawn. */
  readonly drew: boolean;
  /** `undefined` when the last step reached no state. */
  readonly reached: { readonly lo: number; readonly hi: number } | undefined;
  readonly lines: readonly string[];
  /** The step whose precondition was not met, or that ended otherwise than a response. */
  readonly brokeAt: number | undefined;
  readonly failure: LaneFailureKind | undefined;
  /** When the last step ran, in milliseconds since 1970. */
  readonly lastStep?: { readonly startMs: number; readonly endMs: number } | undefined;
  /** The lines that the target printed then, where its output is known. */
  readonly printed?: readonly string[] | undefined;
}

/** A request that an invariant sent. */
export interface RecordedCheck {
  readonly invariant: string;
  readonly exchange: RecordedExchange;
}
