import type { ExplorationResult } from "../model/results/result.ts";
import type { Severity } from "../model/declare/severity.ts";
import type { TargetEnd } from "../model/results/target-end.ts";

/** What an exploration tells while it runs. `onEvent` receives them in order, on the main thread. */
export type ExplorationEvent =
  | { readonly kind: "started"; readonly name: string; readonly lanes: number; readonly notes: readonly string[] }
  | Progress
  | Found
  /** A divergence, a lane that was rebuilt, anything that the user should see at once. */
  | { readonly kind: "note"; readonly message: string; readonly target?: TargetEnd | undefined }
  | Confirming
  | Racing
  | { readonly kind: "finished"; readonly result: ExplorationResult };

/** A violation was found that is not one of those before; not yet replayed from a clean start. */
export interface Found {
  readonly kind: "violation";
  /** That of the violation in the result. */
  readonly id: string;
  readonly invariant: string;
  readonly severity: Severity;
  readonly path: readonly string[];
  /** Steps that were committed until then, the one that broke the rule included; 0 for the initial state. */
  readonly steps: number;
}

/** Violations are being replayed from a clean start, and their paths made shorter; sent once a second, and after each one. */
export interface Confirming {
  readonly kind: "confirming";
  readonly violations: number;
  /** Violations that were replayed, or that there was no time for. */
  readonly replayed: number;
  readonly confirmed: number;
  /** Paths that are still to be made shorter. */
  readonly toShorten: number;
  /** Until nothing more is begun; `null`: no limit. */
  readonly leftMs: number | null;
}

/** Races are being probed; sent a few times a second. */
export interface Racing {
  readonly kind: "racing";
  /** Classes of pairs that were probed, of those that are to be. */
  readonly probed: number;
  readonly planned: number;
  /** Concurrent trials until now. */
  readonly trials: number;
  /** Races that were seen, not yet confirmed. */
  readonly hits: number;
}

/** Sent a few times a second. */
export interface Progress {
  readonly kind: "progress";
  readonly states: number;
  readonly steps: number;
  /** Over the last seconds. */
  readonly stepsPerSecond: number;
  /** States that wait to be expanded. */
  readonly frontier: number;
  readonly depth: number;
  readonly violations: number;
  /** Share of the time that each lane was at work since the last event, 0 to 1. */
  readonly laneUse: readonly number[];
  /** Steps that each lane executed, replays and cross-checks aside. */
  readonly laneSteps: readonly number[];
  /** How often each lane was built anew. */
  readonly laneRebuilds: readonly number[];
  readonly elapsedMs: number;
  /** The step budget. */
  readonly maxSteps: number;
  /** The time budget in milliseconds; `null`: none. */
  readonly maxTimeMs: number | null;
}
