/**
 * The messages between the main thread and a lane. Plain data only, since messages cross threads and machines.
 *
 * The outcome of a step is a row: {@link ROW} int32 values. A step without findings or errors takes 24 bytes and no object.
 */
import { ignoreLines, isRows } from "../model/stores/ignore-line.ts";
import type { DeclaredReference, StubUse } from "../model/stores/store-adapter.ts";
import type { Divergence, Evidence, RecordedExchange, RecordedStep } from "../model/results/result.ts";
import { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";
import type { Fingerprint } from "../state/canonical/facts.ts";
import type { RowKinds } from "../state/canonical/row-kinds.ts";
import type { DroppedField, Knowledge } from "../state/compare/knowledge.ts";

/** Number of int32 values in a row, which is the outcome of one step. */
export const ROW = 6;

/**
 * Index of the kind of outcome in a row. The value also contains the flags below. The next constants are the indices of the other values in a row.
 */
export const KIND = 0;
export const STATUS = 1;
/** Index of the first half of the reached state's fingerprint in a row. The second half follows. */
export const LO = 2;
export const HI = 3;
/* Index 4 of a row holds a 32-bit hash of the canonical response, or 0 if the step has no response to hash. */
/** Index of a 32-bit hash of the reached state's structure (its shape) in a row. The hash is 0 unless the strategy needs it. */
export const SHAPE = 5;

/** The bits of a row's first value that hold the kind of the outcome. */
export const KIND_BITS = 0x0f;

/** The kind of an outcome, see {@link KIND_BITS}: the action was executed (`EXECUTED`), or did not apply (`SKIPPED`). */
export const EXECUTED = 0;
export const SKIPPED = 1;
/** Kind of outcome: user code threw an error, so the step reaches no state. */
export const FAILED = 2;
/** Kind of outcome: the target crashed or a request timed out, and the same happened on a fresh lane. The step is a finding and reaches no state. */
export const BROKEN = 3;

/**
 * Number of the bit at which the second hash of the reached state begins in the first value of a row. The hash has 16 bits, and shows if different
 * states have the same fingerprint. The value is 0 if the state has no second hash.
 */
export const CHECK_SHIFT = 16;

/** Flag in the first value of a row: the answer was 2xx, but its body refuses the request, for example with GraphQL errors; see `refusesInBody`. */
export const REFUSED: number = 1 << 7;

/** Flag in the first value of a row: the step has a finding. */
export const FINDING: number = 1 << 8;
/** Flag in the first value of a row: a {@link StepEvent} with findings or errors belongs to the row. */
export const NEWS: number = 1 << 9;
/**
 * Flag in the first value of a row: one step generated several values, and the reached state does not show which of them belong together. Another
 * state may then have the same fingerprint and the same second hash. Set only together with {@link REDUCED}.
 */
export const UNLINKED: number = 1 << 10;
/** Flag in the first value of a row: some ids were too symmetric to be ordered within the limit, so equal states may have different fingerprints. */
export const BOUNDED: number = 1 << 11;

/** Flag in the first value of a row: the fingerprint ignores the order in which some values were generated. The second hash depends on this order. */
export const REDUCED: number = 1 << 12;

/** Flag in the first value of a row: a request that writes (POST, PUT, PATCH, DELETE) was answered with 2xx, or with a redirect that is no refusal. */
export const WROTE: number = 1 << 13;

/**
 * Flag in the first value of a row: the step added, replaced or removed generated values or times. The reached state may have the same fingerprint as
 * the state before. Bits 4 to 6 are free for further flags. Bit 15 is used by the rows of a commit, and bits 16 to 31 hold the second hash.
 */
export const RENEWED: number = 1 << 14;

/** A range of one node's actions for a lane to execute. */
export interface UnitRequest {
  /** Action indices from the root state to the node. */
  readonly path: readonly number[];
  readonly from: number;
  readonly to: number;
  /** The recorded fingerprint of the node. A lane that replays to the node compares the reached state with it. */
  readonly lo: number;
  readonly hi: number;
  /**
   * `true` if the node's fingerprint must not be compared: some ids were too symmetric to be ordered within the limit, so equal states may have
   * different fingerprints.
   */
  readonly uncertain: boolean;
  /** The snapshot that is written to reach the node. `undefined`: the lane replays the node's path. */
  readonly snapshot: unknown;
  /** Makes the unit a cross-check: the lane replays to the node, executes its actions again, and reports differences instead of outcomes. */
  readonly check?: ExpansionCheck | undefined;
  /**
   * The paths from which the data of each step is drawn: one path for each action of `path`, and a last path for the actions to execute. `undefined`:
   * all data is drawn from `path` itself. The paths differ from `path` if a shorter path to a state was found later, because a state's data is always
   * drawn from the path that was found first.
   */
  readonly draws?: readonly (readonly number[])[] | undefined;
  /** The failure of the action `from` on another lane. If the action fails in the same way on this fresh lane, the failure is a finding. */
  readonly suspect?: LaneFailureKind | undefined;
}

/**
 * Returns the path from which the data of each step is drawn, as in {@link UnitRequest.draws}. If `draws` is absent, these are the first 0, 1, 2, ...
 * actions of `path`.
 */
export function drawsOf({ path, draws }: Pick<UnitRequest, "path" | "draws">): readonly (readonly number[])[] {
  return draws ?? Array.from({ length: path.length + 1 }, (_, depth) => path.slice(0, depth));
}

/** Tells a lane how to cross-check a node. */
export interface ExpansionCheck {
  /**
   * The committed rows of the node's actions, to compare with. `undefined` if the rows are no longer known: the lane then executes the node along
   * {@link along} first.
   */
  readonly expected: Int32Array | undefined;
  /** The path on which the node was first reached. Only set if the unit's path is a different path to the node. */
  readonly along?: Pick<UnitRequest, "path" | "draws"> | undefined;
  /** `true` if the unit's path is a second path to the node, so that a merge of two paths is checked. `false`: a snapshot is checked. */
  readonly merge: boolean;
  /**
   * `true` if the unit's path and the node's first path generate values in different orders. The two states were merged because the order should not
   * matter.
   */
  readonly reduced?: boolean | undefined;
  /**
   * `true` if both paths generate values in the same order, but the reached state does not show which values belong together. Set only together with
   * {@link reduced}.
   */
  readonly unlinked?: boolean | undefined;
  /** A number that identifies the second path among all paths to the node, for the run log. Only set for audits. */
  readonly edge?: number | undefined;
  /**
   * `states`: the maximum number of states after the node that are compared, too, because a difference between the two states may have an effect only
   * some steps later. `deepest`: the length of the longest path that the search explores. Default: no states.
   */
  readonly followed?: { readonly states: number; readonly deepest: number } | undefined;
  /**
   * `true` if the audit is repeated with one second between the steps. The repetition takes place if the two paths write the time of a token and
   * another time in different orders.
   */
  readonly apart?: boolean | undefined;
}

export interface Chunk {
  readonly units: readonly UnitRequest[];
  /** `true`: the lane may reach nodes by writing their snapshots. `false`: it replays every path. */
  readonly direct: boolean;
  /** The details that the lane sends with each outcome, as bits {@link EXCHANGES} and {@link STATES}. Absent: no details. */
  readonly details?: number | undefined;
  /**
   * The context keys and `ignore` patterns that the engine knows. If set, the lane reports all other keys and patterns that occur; see
   * {@link OccurrenceEvent}.
   */
  readonly occurred?: readonly string[] | undefined;
}

/** Bit of {@link Chunk.details}: send the requests of each action with their responses. */
export const EXCHANGES = 1;
/** Bit of {@link Chunk.details}: send reached states as text lines, except states that are known to be committed. */
export const STATES = 2;

/**
 * The reason why a lane was lost. `store`: a store cannot be used; the failure is not attributed to the step in progress. `dirty`: the state of the
 * lane is uncertain.
 */
export type LaneFailureKind = "unreachable" | "timeout" | "dirty" | "worker" | "store";

/** The failure that made a lane unusable. The lane must be rebuilt. */
export interface LaneFailure {
  readonly kind: LaneFailureKind;
  /** Index of the unit in which the failure happened. -1 if the failure did not happen in a unit. */
  readonly unit: number;
  readonly action: number;
  readonly message: string;
  /** Name of the check whose request got no answer. Absent for other failures. */
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
  /** The cause that the rule gave. If findings differ only in the cause, they count as one finding. */
  readonly cause?: string | undefined;
  /** The fields of stores whose change is the whole violation, for example `orders.status`. Absent if the violation has another reason. */
  readonly fields?: readonly string[] | undefined;
  /** The way in which the target's process ended, if the target crashed. Findings that differ only in this field count as one finding. */
  readonly target?: TargetEnd | undefined;
}

/** Returns the name and severity of a finding for a request without an answer. `source`: the action or check that sent the request. */
export function noAnswer(isTimeout: boolean, source: string): Pick<FindingEvent, "invariant" | "severity"> {
  return isTimeout ? { invariant: `${source}_timeout`, severity: Severity.HIGH } : { invariant: CRASHED, severity: Severity.CRITICAL };
}

export interface ErrorEvent {
  readonly code: string;
  readonly message: string;
  readonly source: string;
  readonly stack: string | undefined;
  /**
   * The first line of user code in the error's stack. Only set if the error was read from the run log. For other errors, the line is found in
   * `stack`.
   */
  readonly where?: string | undefined;
}

/** The `invariant` of an {@link InconclusiveEvent} about a column that a store fills by its own clock. Names of rules never equal this text. */
export const STORE_CLOCK = "\tstore clock";

/**
 * A rule that was inconclusive in a step (`invariant`), and the reason (`what`). With {@link STORE_CLOCK}, `what` is a column that a store fills by
 * its own clock.
 */
export interface InconclusiveEvent {
  readonly invariant: string;
  readonly what: string;
  /** `true` if the rule judged a part of the step. */
  readonly partly?: boolean | undefined;
}

/** A counter that belongs to the state, and the column that gets its numbers. */
export interface CounterColumn {
  /** The counter, as `<store>.<counter>`. */
  readonly counter: string;
  /** The column, as `<table>.<column>`. */
  readonly field: string;
  /** `true` if the restores of the store can leave the counter as it is. */
  readonly canLeave: boolean;
}

/** The data about a step that does not fit into its row: findings, errors and requests. */
export interface StepEvent {
  readonly unit: number;
  readonly action: number;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly unjudged?: readonly InconclusiveEvent[] | undefined;
  /** The counters with several spent ids (new ids that no row of the reached state has), as in {@link CounterColumn.counter}. Default: none. */
  readonly spent?: readonly string[] | undefined;
  /** The requests of the step with their responses. Empty if the step has no findings. */
  readonly exchanges: readonly RecordedExchange[];
}

/** The snapshot of a state that may be new. */
export interface SnapshotEvent {
  readonly unit: number;
  readonly action: number;
  readonly snapshot: unknown;
}

/** The details about one step for reports. */
export interface DetailEvent {
  readonly unit: number;
  readonly action: number;
  readonly exchanges: readonly RecordedExchange[];
  /** The reached state as text lines. `undefined` if the state is known to be committed, or if states were not requested. */
  readonly state: readonly string[] | undefined;
}

/** Context keys and `ignore` patterns that occur in a reached state and that the engine did not know. */
export interface OccurrenceEvent {
  readonly unit: number;
  readonly action: number;
  readonly names: readonly string[];
}

/** The answers that an action got from operations of the OpenAPI description, as codes of {@link operationCode}. */
export interface CallEvent {
  readonly unit: number;
  readonly action: number;
  readonly codes: readonly number[];
}

const STATUSES = 1_000;

/** Returns the code of an answer: the index of its operation, and its status. */
export function operationCode(operation: number, status: number): number {
  return operation * STATUSES + status;
}

/** Returns the operation and the status of a code. */
export function operationOfCode(code: number): { readonly operation: number; readonly status: number } {
  return { operation: Math.trunc(code / STATUSES), status: code % STATUSES };
}

/** A lane's answer to a {@link Chunk}. */
export interface Expansion {
  /** Number of finished units. A unit in which a failure happened does not count. */
  readonly finished: number;
  /** The rows of the finished units, concatenated. After a failure, rows of the unfinished unit may follow, up to the failed action. */
  readonly rows: Int32Array;
  readonly stepEvents: readonly StepEvent[];
  readonly snapshots: readonly SnapshotEvent[];
  /** The details of each executed step. Absent unless {@link Chunk.details} requests them. */
  readonly details?: readonly DetailEvent[] | undefined;
  /**
   * The context keys and patterns that are unknown to the engine, for each step that reached a state with such names. Absent unless
   * {@link Chunk.occurred} is set.
   */
  readonly occurrences?: readonly OccurrenceEvent[] | undefined;
  /** One entry for each executed action that got answers from described operations. Absent if the lane has no description. */
  readonly calls?: readonly CallEvent[] | undefined;
  readonly divergences: readonly LaneDivergence[];
  /** Number of steps that were executed again to reach nodes. */
  readonly replayed: number;
  /** Number of steps that were executed again for cross-checks. */
  readonly checked: number;
  readonly busyMs: number;
  readonly failure: LaneFailure | undefined;
  /** `true` if the target sends its answers in two packets. seqqa then opens a new connection for each request. */
  readonly twoPackets?: boolean | undefined;
  /**
   * How long the lane waited for the next second, for each action that issued a token which the state already contained. Absent if it did not wait.
   */
  readonly waited?: readonly TokenWait[] | undefined;
  /** A message for each cookie that a client rejected, since the lane began. Absent if no cookie was rejected. */
  readonly rejectedCookies?: readonly string[] | undefined;
  /** The calls of the target to stubs (stores that play third parties), since the lane began. Absent if there is no such store. */
  readonly stubs?: readonly NamedStubUse[] | undefined;
}

export interface TokenWait {
  /** The name of the action. */
  readonly action: string;
  readonly ms: number;
}

/** The calls of the target to a stub (a store that plays a third party). `name`: the name of the store in the world. */
export interface NamedStubUse extends StubUse {
  readonly name: string;
}

/** A divergence as a lane reports it, with action indices instead of names. */
export interface LaneDivergence extends Omit<Divergence, "path"> {
  /** Indices of the actions on the path, from the root state. */
  readonly path: readonly number[];
  /**
   * Indices of actions that may show the cause of the divergence if they are executed again from the root state. Absent if no such actions are known.
   */
  readonly calls?: readonly number[] | undefined;
  /**
   * `true` if the divergence shows that a reduction was wrong: two states were merged, but they behave differently because their values were
   * generated in different orders.
   */
  readonly reduced?: boolean | undefined;
  /** `true` if no order of generation can explain the divergence; see {@link ExpansionCheck.unlinked}. */
  readonly unlinked?: boolean | undefined;
  /** `true` if the two paths behave differently only if each step begins in another second of the clock. */
  readonly seconds?: boolean | undefined;
  /** The entries of `Knowledge.ordered` for the tables whose rows have another order in the two merged states. */
  readonly rowOrders?: readonly string[] | undefined;
  /** Violations that occurred on one of the two paths and that the search has not committed. */
  readonly seen?: readonly SeenViolation[] | undefined;
}

/** A violation that occurred after the last action of a path during a cross-check. */
export interface SeenViolation extends Pick<UnitRequest, "path" | "draws"> {
  readonly status: number;
  readonly finding: FindingEvent;
}

/** A late write: the action after whose answer a store changed, and the changed fields, for example `orders.status`. */
export interface LateWriter {
  readonly action: string;
  readonly fields: readonly string[];
}

/**
 * A part of the stores that is left out of states, unless `Knowledge.ordered` has its `entry`: the counter of a column whose ids are renamed, or the
 * order of the rows of a table. `field`: its name for people, such as `orders.id` or `rows of orders`.
 */
export interface LeftOutPart {
  readonly field: string;
  readonly entry: string;
}

/** Largest number of fields that a message about late writes names. */
const MOST_FIELDS = 5;

/** Returns the divergence for an action after whose answer a store changed. `path`: a path that ends with this action. */
export function lateWrite<T>({ action, fields }: LateWriter, path: T): Omit<Divergence, "path"> & { readonly path: T } {
  return {
    kind: "late_write",
    path,
    message: `Late writes: the target wrote ${writtenText(fields)} after it had answered action "${action}", so seqqa does not know the reached state`,
    differences: [],
    ...(fields.length > 0 && { fields }),
    hint: `If a timer or job of the target wrote this, switch it off in target.env, or ${ignoreText(fields)}. Otherwise set \`target.settle\` to the seconds that the late writes take, for example 0.1. seqqa then waits that long after every answer.`,
  };
}

/** Returns the fields that were written, as text for a message: `orders.status`. Returns `to a store` if they are not known. */
export function writtenText(fields: readonly string[]): string {
  const columns = fields.filter((field) => !isRows(field));
  if (columns.length === 0) return "to a store";
  const more = columns.length - MOST_FIELDS;
  return `${columns.slice(0, MOST_FIELDS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function ignoreText(fields: readonly string[]): string {
  return fields.length === 0 ? "list the columns or tables under `ignore`" : `write ${ignoreLines(fields)}`;
}

/** Settings of an experiment: a lane executes a path several times from the root state, to find generated values. */
export interface CalibrationWalk {
  /** `true`: execute the path more often than usual, because an earlier experiment found a difference that it could not explain. */
  readonly thorough?: boolean | undefined;
  /** `true`: before each execution, set the counters that no checkpoint restores to their values in the root state. */
  readonly cleanly?: boolean | undefined;
  /** `true`: execute the path only once, to get {@link Calibration.states}. */
  readonly once?: boolean | undefined;
  /** `true`: pause before each step of the only execution. Only used with `once` and `path`. */
  readonly paused?: boolean | undefined;
  /** The recorded fingerprint of the state at the path's end. If set, the lane executes the path only once, to get {@link Calibration.late}. */
  readonly late?: { readonly lo: number; readonly hi: number } | undefined;
  /** The time in milliseconds for which the stores are watched at the path's end. Only used with `late`. Default: 100. */
  readonly watchMs?: number | undefined;
  /** The time in milliseconds for which the stores are watched for writes that no request caused. If set, no action is executed. */
  readonly idleMs?: number | undefined;
  /**
   * The waiting time in milliseconds before the watching begins, so that late writes of earlier calls have ended. Only used with `idleMs`. Default:
   * 0.
   */
  readonly quietMs?: number | undefined;
  /** Indices of the actions to execute from the root state. Default: every action once, and then again each action that did not apply. */
  readonly path?: readonly number[] | undefined;
  /**
   * Indices of the actions that the experiment should execute, if there is no `path`. In each state, these actions are tried before all other
   * actions. If none of these actions works, nothing is compared.
   */
  readonly wanted?: readonly number[] | undefined;
  /** `true`: try the actions that are not in `wanted` in reverse order. */
  readonly backwards?: boolean | undefined;
  /**
   * `true`: only find out if the result of the path changes when each step begins in a new second of the clock. See
   * {@link Calibration.dependsOnSeconds}.
   */
  readonly seconds?: boolean | undefined;
}

/** A state on the path of an experiment, described so that the states of different processes can be compared. */
export interface ReachedState {
  readonly action: number;
  readonly status: number;
  /** The fingerprint of the state, independent of the order in which values were generated. */
  readonly print: Fingerprint;
  readonly lines: readonly string[];
  readonly kinds: RowKinds;
}

export interface Calibration {
  /** Generated values and times that were found by the experiment. */
  readonly learned: Knowledge;
  /** Fields that differ between two executions, without an explanation for the difference. */
  readonly suspects: readonly DroppedField[];
  /** Fields of {@link suspects} that still differ if two executions are compared with the knowledge in {@link learned}. */
  readonly lasting: readonly DroppedField[];
  /** A description of the first call whose answer differed between two executions. Empty if all answers were equal. */
  readonly unlike: readonly string[];
  /** The actions after whose answers a store changed. */
  readonly late: readonly LateWriter[];
  /** A hash of each state of the first execution. A deterministic target gives the same hashes in a new process. */
  readonly states: readonly number[];
  /** The states after the steps of the only execution. Only set with {@link CalibrationWalk.once}. */
  readonly reached?: readonly ReachedState[] | undefined;
  /** Indices of the actions that did not work: they did not apply, or the target refused them. */
  readonly missed: readonly number[];
  /**
   * `true` if the result of the path changes when each step waits for the next second of the clock. Only set with {@link CalibrationWalk.seconds}.
   */
  readonly dependsOnSeconds?: boolean | undefined;
}

/** The report of a lane that has reached the root state. */
export interface LaneReport {
  /** Fingerprint of the complete root state, in two halves. This fingerprint must be equal on all lanes. */
  readonly wholeLo: number;
  readonly wholeHi: number;
  /** Fingerprint of the root state as a node of the graph, in two halves. A node only contains the changes since the root state. */
  readonly rootLo: number;
  readonly rootHi: number;
  /** A second hash of the root state, as for the states of steps. Absent in merged shards. */
  readonly rootCheck?: number | undefined;
  /** The root state as text lines, at most a few thousand. If two lanes have different root states, these lines show the difference. */
  readonly rootLines: readonly string[];
  /** The root state as text lines for reports, like {@link DetailEvent.state}. */
  readonly rootState?: readonly string[] | undefined;
  /** The foreign keys with a single column that the stores declare. Absent if there are none. */
  readonly references?: readonly (DeclaredReference & { readonly store: string; readonly table: string })[] | undefined;
  /** The parts of the stores that are left out of states. Absent if there are none. */
  readonly leftOut?: readonly LeftOutPart[] | undefined;
  /**
   * The requests of `setup`, and the times at which `setup` began and ended, in milliseconds since 1970. Absent if nothing was sent and the root
   * state is empty.
   */
  readonly setup?: { readonly step: RecordedStep; readonly startMs: number; readonly endMs: number } | undefined;
  /**
   * The answers that described operations gave to requests of `setup` and of logins, as codes of {@link operationCode}. Absent without a description.
   */
  readonly calls?: readonly number[] | undefined;
  /** The `ignore` patterns for context keys and paths, and which patterns occur in the root state. Absent if there are no such patterns. */
  readonly ignored?: { readonly patterns: readonly string[]; readonly occurred: readonly string[] } | undefined;
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** `true` if a check of the root state got no answer. If so, the target of this lane cannot be used. */
  readonly broken?: true | undefined;
  /** `true` if every store can be brought to a state by writing a snapshot. */
  readonly portable: boolean;
  /** The counters that belong to the state. Absent if there are none. */
  readonly counterColumns?: readonly CounterColumn[] | undefined;
  readonly snapshot: unknown;
  /**
   * A snapshot of the data that `setup` changed in the stores. Lanes that are built later write this snapshot, so that all lanes have the same ids.
   * `undefined` if no snapshot can be taken.
   */
  readonly made: unknown;
  readonly shape: number;
  /** Columns of external stores that other clients write to. `undefined` if some external store was not watched. */
  readonly background?: readonly string[] | undefined;
  /** One line for each store: its name, its checkpoint mode, and the reason for this mode. */
  readonly systems: readonly string[];
  readonly contextOnly: boolean;
  /** The counters of the stores if no checkpoint restores these counters. `undefined` if there are none. */
  readonly counters?: UnrestoredCounters | undefined;
  /** The names of the rules that this lane does not check, because they write and the lane cannot restore its target in the middle of a step. */
  readonly leftOutRules?: readonly string[] | undefined;
  /** The source from which seqqa reads the state of the target. Default: `stores`. */
  readonly visibility?: "stores" | "probe" | "context" | "nothing" | undefined;
  /** The reason why this lane cannot search for races, and the remedy. `undefined` if this lane can search for races. */
  readonly raceObstacle?: RaceObstacle | undefined;
  /** For each store without a gate, which therefore cannot delay a write of a call: the reason why it has none. */
  readonly gateless?: Readonly<Record<string, string>>;
  /** `true` with `target.rollback: restart`. Hints then do not advise this setting. Default: `false`. */
  readonly restarts?: boolean | undefined;
  /** The URLs and files that this lane uses. seqqa compares them to find out if two lanes use the same URL or file. */
  readonly uses: readonly string[];
  /** `true` if the lane has stores, and each of them is a copy for this lane alone. */
  readonly isolated?: boolean | undefined;
  /**
   * The error that was thrown when a target in this process (`target.module`) was evaluated again. The target of this lane then still has the data
   * that an earlier target left in memory.
   */
  readonly keptMemory?: string | undefined;
  /** `true` if the lane was replaced by a standby lane. */
  readonly standby?: boolean | undefined;
}

export interface UnrestoredCounters {
  /** The tables with these counters, e.g. `db.orders and db.items`. */
  readonly tables: string;
  /** A sentence that says which setting restores the counters. */
  readonly hint: string;
  /** `true` if a lane can set all of these counters to their values in the root state. */
  readonly startAgain: boolean;
}

/** Returns `hint`, followed by the hint about counters if there are unrestored counters. */
export function withCounters(hint: string, counters: UnrestoredCounters | undefined): string {
  return counters === undefined ? hint : `${hint} ${counters.hint}`;
}

export interface RaceObstacle {
  readonly why: string;
  readonly remedy: string;
}

export interface PathEnd {
  /** Number of executed steps of the path. 0 if one of the steps could not be executed. */
  readonly steps: number;
  /** The status of the answer to the last step. `null` if there is no answer, or if the path is empty. */
  readonly status: number | null;
  readonly findings: readonly FindingEvent[];
  readonly failure: LaneFailureKind | undefined;
}

/** A path that was executed again from the root state, with its requests and states. */
export interface Recording {
  /**
   * `true` if counters that no checkpoint restores continued after the values of earlier steps, so that a different target may give a different
   * result.
   */
  readonly countsOn?: boolean | undefined;
  readonly steps: readonly RecordedStep[];
  /** The requests that rules sent when the state at the end of the path was checked. */
  readonly checks: readonly RecordedCheck[];
  /** The evidence of the rules that are broken at the end of the path. */
  readonly evidence: readonly RecordedEvidence[];
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  /** The rules that could not be judged after the last step. Absent if no rule was judged after this step. */
  readonly inconclusive?: readonly InconclusiveEvent[] | undefined;
  /** `false` if no step of the path drew test data, so that `UnitRequest.draws` has no effect. */
  readonly drew: boolean;
  /** The fingerprint of the state at the end of the path. `undefined` if the last step reached no state. */
  readonly reached: { readonly lo: number; readonly hi: number } | undefined;
  readonly lines: readonly string[];
  /**
   * Index of the step that could not be executed: its precondition did not hold, or it ended without a response. `undefined` if all steps were
   * executed.
   */
  readonly brokeAt: number | undefined;
  readonly failure: LaneFailureKind | undefined;
  /** The time at which each step began, in milliseconds since 1970. Absent if one of the steps could not be executed. */
  readonly starts?: readonly number[] | undefined;
  /** The lines that the target printed during the last step. Absent if seqqa cannot read the target's output. */
  readonly printed?: readonly string[] | undefined;
}

export interface RecordedEvidence extends Evidence {
  readonly invariant: string;
}

export interface RecordedCheck {
  readonly invariant: string;
  readonly exchange: RecordedExchange;
}
