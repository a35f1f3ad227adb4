import type { ExplorationResult, RecordedExchange } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";

/** Events of a running exploration. `onEvent` is called with the events in order, on the main thread. */
export type ExplorationEvent =
  | {
      readonly kind: "started";
      readonly name: string;
      readonly lanes: number;
      readonly notes: readonly string[];
      /** The names of all actions, including those that rules added. */
      readonly actions?: readonly string[];
      /** Path of the exploration file, relative to the working directory. Only set in runs of the command line. */
      readonly file?: string;
    }
  /** The search starts again, since an outcome showed more about the target's generated values. Earlier results are discarded. */
  | { readonly kind: "again" }
  | Progress
  | Found
  /** A message that the user should see at once, for example a divergence or a rebuilt lane. `failure`: why the lane is rebuilt. */
  | { readonly kind: "note"; readonly message: string; readonly failure?: string | undefined; readonly target?: TargetEnd | undefined }
  | Confirming
  | Racing
  | Faulting
  | { readonly kind: "finished"; readonly result: ExplorationResult };

/** A committed step. States are numbered in the order in which they were found; the root state is 0. */
export interface TriedStep {
  readonly from: number;
  /**
   * The short name of the state before the step, 8 hex digits, as commands accept it. `toName` is the name of the reached state. `toName` is empty if
   * no state was reached.
   */
  readonly fromName: string;
  readonly toName: string;
  readonly action: string;
  /** The HTTP status of the answer, or 0 without an answer. */
  readonly status: number;
  /** The number of the reached state. -1 if no state was reached, for example after a crash or a timeout. */
  readonly to: number;
  /** `true` if the state was reached for the first time. */
  readonly isNew: boolean;
  /** `true` if the step broke a rule. */
  readonly isFinding: boolean;
  /** The requests of the step with their responses. Empty for steps after the run has reached its limit for details. */
  readonly exchanges: readonly RecordedExchange[];
  /** The reached state as text lines. Absent if the state is not new, or if the run has reached its limit for details. */
  readonly state?: readonly string[] | undefined;
}

/** A new violation that was not yet replayed from a clean start. */
export interface Found {
  readonly kind: "violation";
  readonly id: string;
  readonly invariant: string;
  readonly severity: Severity;
  readonly path: readonly string[];
  /** Number of committed steps, including the step that broke the rule; 0 for the root state. */
  readonly steps: number;
}

/**
 * The progress of confirming violations (replaying them from a clean start) and of shortening their paths. Sent once a second, and after each
 * violation.
 */
export interface Confirming {
  readonly kind: "confirming";
  readonly violations: number;
  /** Number of finished violations. A violation is finished if it was replayed, or if there was no time left to replay it. */
  readonly replayed: number;
  readonly confirmed: number;
  /** Number of violations whose paths are not shortened yet. */
  readonly toShorten: number;
  /** Milliseconds until no further work is started. `null` without a time limit. */
  readonly leftMs: number | null;
}

/** The progress of the search for races. Sent a few times a second. */
export interface Racing {
  readonly kind: "racing";
  /** Number of pairs of calls that were examined, out of `planned`. Similar pairs count as one pair. */
  readonly probed: number;
  readonly planned: number;
  /** Number of trials so far. In a trial, two or more calls are sent simultaneously. */
  readonly trials: number;
  /** Number of races that a trial showed and that are not confirmed yet. */
  readonly hits: number;
}

/** The progress of fault tests, which make writes of the target fail. Sent after each kind of call. */
export interface Faulting {
  readonly kind: "faulting";
  /** Number of kinds of calls that were examined, out of `planned`. */
  readonly probed: number;
  readonly planned: number;
  /** Number of fault points that were tried so far. */
  readonly tried: number;
  /** Number of faults after which the target misbehaved and whose findings are not confirmed yet. */
  readonly hits: number;
}

/** The progress of the search. Sent a few times a second. */
export interface Progress {
  readonly kind: "progress";
  readonly states: number;
  readonly steps: number;
  /** Steps per second, averaged over the last three seconds. */
  readonly stepsPerSecond: number;
  /** Number of states that wait to be expanded. */
  readonly frontier: number;
  readonly depth: number;
  readonly violations: number;
  /**
   * Number of cross-checks that wait for a lane, after the last step of the search. `null` while the search executes steps. A cross-check executes a
   * path again, so this part can take longer than the search.
   */
  readonly checksLeft: number | null;
  /** For each lane: the share of time (0 to 1) in which the lane was busy since the last event. */
  readonly laneUse: readonly number[];
  /** For each lane: the number of executed steps, without replays and cross-checks. */
  readonly laneSteps: readonly number[];
  /** For each lane: how often the lane was rebuilt. */
  readonly laneRebuilds: readonly number[];
  readonly elapsedMs: number;
  readonly maxSteps: number;
  /** The time budget in milliseconds. `null` without a budget. */
  readonly maxTimeMs: number | null;
}
