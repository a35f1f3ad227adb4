import type { FlagValue } from "../config/index.ts";

/** The options of `seqqa run`, as commander hands them over. */
export interface RunOptions {
  readonly parallel?: string;
  readonly verbose?: boolean;
  /** `false` by `--no-infra`. */
  readonly infra?: boolean;
  readonly strategy?: string;
  readonly maxSteps?: string;
  readonly maxDepth?: string;
  readonly maxTime?: string;
  readonly seed?: string;
  readonly bail?: boolean;
  readonly only?: string;
  readonly reporter?: "console" | "json";
  readonly baseUrl?: string;
  readonly config?: string;
  readonly output?: string;
  readonly failOnSeverity?: string;
  readonly allowDb?: readonly string[];
}

/** Which key of the configuration an option sets; what the value may be is the configuration's business. */
const KEYS: readonly (readonly [keyof RunOptions, string, string])[] = [
  ["parallel", "--parallel", "parallel"],
  ["strategy", "--strategy", "exploration.strategy"],
  ["maxSteps", "--max-steps", "exploration.max_steps"],
  ["maxDepth", "--max-depth", "exploration.max_depth"],
  ["maxTime", "--max-time", "exploration.max_time"],
  ["seed", "--seed", "exploration.seed"],
  ["bail", "--bail", "exploration.stop_on_first_violation"],
  ["baseUrl", "--base-url", "base_url"],
  ["output", "--output", "report.output_dir"],
  ["failOnSeverity", "--fail-on-severity", "fail_on_severity"],
];

export function flagsOf(options: RunOptions): readonly FlagValue[] {
  return KEYS.flatMap(([option, flag, key]) => {
    const value = options[option];
    return value === undefined ? [] : [{ key, flag, value: String(value) }];
  });
}
