import type { ExplorationResult } from "../../src/model/results/result.ts";
import type { Tenths } from "./timeline.ts";

/** An exploration to be measured in its own process. */
export interface Job {
  /** The module that exports `agent`, relative to the root of the repository. */
  readonly agent: string;
  /** Number of lanes. A single lane runs in the main thread, several lanes run in one thread each. Default: 1. */
  readonly lanes?: number;
  /** The path of a `seqqa.yaml`, relative to the root of the repository. */
  readonly config?: string;
  readonly strategy?: "bfs" | "dfs" | "random" | "coverage_guided";
  readonly maxSteps?: number;
  readonly seed?: number;
  readonly stopOnFirstViolation?: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

type Kept =
  | "raceCoverage"
  | "steps"
  | "replayed"
  | "crossChecked"
  | "speculative"
  | "open"
  | "stopReason"
  | "digest"
  | "notes"
  | "durationMs";

/** The figures of a {@link Job}. */
export interface Measured extends Pick<ExplorationResult, Kept> {
  readonly states: number;
  /** The share of the steps that were answered 2xx. */
  readonly accepted: number;
  readonly violations: readonly string[];
  readonly errors: readonly string[];
  readonly divergences: readonly string[];
  /** The milliseconds from the start of the engine to its last commit. Starting lanes and confirming violations are not included. */
  readonly exploringMs: number;
  /** See {@link Timeline.tenths}. */
  readonly tenths: Tenths | undefined;
  readonly peakMemoryMiB: number;
  /** The CPU time of the process in milliseconds, including its threads, but not its targets. */
  readonly cpuMs: number;
}

export function rate(measured: Measured): number {
  return (measured.steps / measured.exploringMs) * 1000;
}
