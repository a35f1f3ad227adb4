import type { ExplorationResult, RecordedExchange } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";

/** Events of a running exploration. `onEvent` receives them in order, on the main thread. */
export type ExplorationEvent =
  | {
      readonly kind: "started";
      readonly name: string;
      readonly lanes: number;
      readonly notes: readonly string[];
      /** The names of all actions, including those that rules added. */
      readonly actions?: readonly string[];
      /** The exploration file, relative to the folder in which the command was started. Only set in runs of the command line. */
      readonly file?: string;
    }
  /** The search starts again with more knowledge of the target's values. Everything found before is discarded. */
  | { readonly kind: "again" }
  | Progress
  | Found
  /** A message that the user should see at once, for example a divergence or a rebuilt lane. */
  | { readonly kind: "note"; readonly message: string; readonly target?: TargetEnd | undefined }
  | Confirming
  | Racing
  | Faulting
  | { readonly kind: "finished"; readonly result: ExplorationResult };

/** A committed step. States are numbered in the order in which they were found; the root state is 0. */
export interface TriedStep {
  readonly from: number;
  /** The names of both states in commands, as 8 hex digits. `toName` is empty if no state was reached. */
  readonly fromName: string;
  readonly toName: string;
  readonly action: string;
  /** The HTTP status, or 0 without an answer. */
  readonly status: number;
  /** The reached state, or -1 without one (a crash, a timeout). */
  readonly to: number;
  /** `true` if the state was reached for the first time. */
  readonly isNew: boolean;
  /** `true` if the step broke a rule. */
  readonly isFinding: boolean;
  /** The requests of the step. Empty beyond the limits of what reports keep. */
  readonly exchanges: readonly RecordedExchange[];
  /** The lines of a new state, within the same limits. */
  readonly state?: readonly string[] | undefined;
}

/** A new violation. It has not been replayed from a clean start yet. */
export interface Found {
  readonly kind: "violation";
  readonly id: string;
  readonly invariant: string;
  readonly severity: Severity;
  readonly path: readonly string[];
  /** Number of committed steps, including the step that broke the rule; 0 for the root state. */
  readonly steps: number;
}

/** The progress of replaying violations from a clean start and of shortening their paths. Sent once a second, and after each violation. */
export interface Confirming {
  readonly kind: "confirming";
  readonly violations: number;
  /** Number of violations that were replayed, or for which there was no time. */
  readonly replayed: number;
  readonly confirmed: number;
  /** Number of paths that are not shortened yet. */
  readonly toShorten: number;
  /** Milliseconds until no more work is started. `null` without a limit. */
  readonly leftMs: number | null;
}

/** The progress of probing for races. Sent a few times a second. */
export interface Racing {
  readonly kind: "racing";
  /** Number of probed classes of pairs, out of `planned`. */
  readonly probed: number;
  readonly planned: number;
  /** Number of trials so far. */
  readonly trials: number;
  /** Number of races that were seen and are not confirmed yet. */
  readonly hits: number;
}

/** The progress of making writes fail. Sent after each kind of call. */
export interface Faulting {
  readonly kind: "faulting";
  /** Number of kinds of calls that were examined, out of `planned`. */
  readonly probed: number;
  readonly planned: number;
  /** Number of fault points that were tried so far. */
  readonly tried: number;
  /** Number of hits that are not confirmed yet. */
  readonly hits: number;
}

/** The progress of the search. Sent a few times a second. */
export interface Progress {
  readonly kind: "progress";
  readonly states: number;
  readonly steps: number;
  /** Average over the last seconds. */
  readonly stepsPerSecond: number;
  /** Number of states that wait to be expanded. */
  readonly frontier: number;
  readonly depth: number;
  readonly violations: number;
  /** For each lane: the share of the time since the last event in which the lane was busy, 0 to 1. */
  readonly laneUse: readonly number[];
  /** For each lane: number of executed steps, without replays and cross-checks. */
  readonly laneSteps: readonly number[];
  /** For each lane: number of rebuilds. */
  readonly laneRebuilds: readonly number[];
  readonly elapsedMs: number;
  readonly maxSteps: number;
  /** The time budget in milliseconds. `null` without a budget. */
  readonly maxTimeMs: number | null;
}
