import type { ExplorationResult } from "../../src/model/results/result.ts";
import type { Tenths } from "./timeline.ts";

/** One exploration to be measured in a process of its own. */
export interface Job {
  /** The module that exports `agent`, from the root of the repository. */
  readonly agent: string;
  /** Default 1, which runs in the main thread; each of several runs in a thread of its own. */
  readonly lanes?: number;
  /** A `seqqa.yaml`, from the root of the repository. */
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

/** What a {@link Job} came to. */
export interface Measured extends Pick<ExplorationResult, Kept> {
  readonly states: number;
  /** Share of the steps that were answered with 2xx. */
  readonly accepted: number;
  readonly violations: readonly string[];
  readonly errors: readonly string[];
  readonly divergences: readonly string[];
  /** From the first sign of the running engine to its last commit, without starting lanes and confirming violations. */
  readonly exploringMs: number;
  /** Of `Timeline.tenths`. */
  readonly tenths: Tenths | undefined;
  readonly peakMemoryMiB: number;
  /** What the process took, its threads included and its targets not. */
  readonly cpuMs: number;
}

export function rate(measured: Measured): number {
  return (measured.steps / measured.exploringMs) * 1000;
}
