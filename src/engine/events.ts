import type { ExplorationResult, RecordedExchange } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";

/** Events of an exploration while it runs. `onEvent` receives them in order, on the main thread. */
export type ExplorationEvent =
  | {
      readonly kind: "started";
      readonly name: string;
      readonly lanes: number;
      readonly notes: readonly string[];
      /** The names of the actions, also of those that rules added. */
      readonly actions?: readonly string[];
      /** In a run of the command line: the file of the exploration, relative to the folder in which the command was started. */
      readonly file?: string;
    }
  /** The search begins again with more knowledge of the target's values; what was found before does not count. */
  | { readonly kind: "again" }
  | Progress
  | Found
  /** A divergence, a rebuilt lane, or anything else that the user should see at once. */
  | { readonly kind: "note"; readonly message: string; readonly target?: TargetEnd | undefined }
  | Confirming
  | Racing
  | Faulting
  | { readonly kind: "finished"; readonly result: ExplorationResult };

/** An action that was executed in a state, once its outcome is committed. States are numbered in the order in which they were found, from 0, the root. */
export interface TriedStep {
  readonly from: number;
  /** The names of both states in commands, as 8 hex digits; that of the second one is empty if there is none. */
  readonly fromName: string;
  readonly toName: string;
  readonly action: string;
  /** The HTTP status; 0: there was none. */
  readonly status: number;
  /** The state after it; -1: there is none (a crash, a timeout). */
  readonly to: number;
  /** `true`: the state was not seen before. */
  readonly isNew: boolean;
  /** `true`: a rule is broken there. */
  readonly isFinding: boolean;
  /** The requests that it sent. Empty beyond the limits of what is kept for reports. */
  readonly exchanges: readonly RecordedExchange[];
  /** The lines of a new state, within the same limits. */
  readonly state?: readonly string[] | undefined;
}

/** A new violation was found; it is not replayed from a clean start yet. */
export interface Found {
  readonly kind: "violation";
  /** The id of the violation in the result. */
  readonly id: string;
  readonly invariant: string;
  readonly severity: Severity;
  readonly path: readonly string[];
  /** Committed steps so far, including the step that broke the rule; 0 for the root state. */
  readonly steps: number;
}

/** Violations are being replayed from a clean start, and their paths are being shortened. Sent once a second, and after each violation. */
export interface Confirming {
  readonly kind: "confirming";
  readonly violations: number;
  /** Violations that were replayed, or for which there was no time. */
  readonly replayed: number;
  readonly confirmed: number;
  /** Paths that are still to be shortened. */
  readonly toShorten: number;
  /** Milliseconds until no more work is started; `null`: no limit. */
  readonly leftMs: number | null;
}

/** Races are being probed; sent a few times a second. */
export interface Racing {
  readonly kind: "racing";
  /** Probed classes of pairs, out of `planned`. */
  readonly probed: number;
  readonly planned: number;
  /** The number of times that calls were executed at the same time so far. */
  readonly trials: number;
  /** Races that were seen and are not confirmed yet. */
  readonly hits: number;
}

/** Writes are being made to fail; sent after each kind of call. */
export interface Faulting {
  readonly kind: "faulting";
  /** Kinds of calls that were looked at, out of `planned`. */
  readonly probed: number;
  readonly planned: number;
  /** Fault points that were tried so far. */
  readonly tried: number;
  /** Hits that are not confirmed yet. */
  readonly hits: number;
}

/** Sent a few times a second. */
export interface Progress {
  readonly kind: "progress";
  readonly states: number;
  readonly steps: number;
  /** Average over the last seconds. */
  readonly stepsPerSecond: number;
  /** States that wait to be expanded. */
  readonly frontier: number;
  readonly depth: number;
  readonly violations: number;
  /** Share of the time since the last event in which each lane was busy, 0 to 1. */
  readonly laneUse: readonly number[];
  /** Steps that each lane executed, without replays and cross-checks. */
  readonly laneSteps: readonly number[];
  /** How often each lane was rebuilt. */
  readonly laneRebuilds: readonly number[];
  readonly elapsedMs: number;
  /** The step budget. */
  readonly maxSteps: number;
  /** The time budget in milliseconds; `null`: none. */
  readonly maxTimeMs: number | null;
}
