import type { FlagValue } from "../../config/index.ts";
import { RUN_ID } from "../../run-log/index.ts";
import { SeqqaError } from "../../model/errors.ts";

/** The options of `seqqa run`, as commander passes them. */
export interface RunOptions {
  /** Runs every journey. */
  readonly all?: boolean;
  readonly updateKnown?: boolean;
  readonly parallel?: string;
  readonly verbose?: boolean;
  /** `false` with `--no-infra`. */
  readonly infra?: boolean;
  readonly strategy?: string;
  readonly maxSteps?: string;
  readonly maxDepth?: string;
  readonly maxTime?: string;
  readonly seed?: string;
  /** `true`: without a value. */
  readonly races?: string | true;
  readonly bail?: boolean;
  readonly continueAfterViolation?: boolean;
  readonly only?: string;
  /** `true`: without a value, the last run. */
  readonly resume?: string | true;
  readonly force?: boolean;
  readonly shard?: string;
  /** The URL of the Redis through which workers are reached. */
  readonly distributed?: string;
  readonly reporter?: readonly string[];
  readonly baseUrl?: string;
  readonly config?: string;
  readonly output?: string;
  readonly failOnSeverity?: string;
  readonly allowDb?: readonly string[];
}

/** The key of the configuration that an option sets. The configuration checks the value. */
const KEYS: readonly (readonly [keyof RunOptions, string, string])[] = [
  ["parallel", "--parallel", "parallel"],
  ["strategy", "--strategy", "exploration.strategy"],
  ["maxSteps", "--max-steps", "exploration.max_steps"],
  ["maxDepth", "--max-depth", "exploration.max_depth"],
  ["maxTime", "--max-time", "exploration.max_time"],
  ["seed", "--seed", "exploration.seed"],
  ["races", "--races", "exploration.races"],
  ["bail", "--bail", "exploration.stop_on_first_violation"],
  ["continueAfterViolation", "--continue-after-violation", "exploration.continue_after_violation"],
  ["baseUrl", "--base-url", "base_url"],
  ["output", "--output", "report.output_dir"],
  ["failOnSeverity", "--fail-on-severity", "fail_on_severity"],
];

export function flagsOf(options: RunOptions): readonly FlagValue[] {
  return KEYS.flatMap(([option, flag, key]) => {
    const value = options[option];
    return value === undefined ? [] : [{ key, flag, value: option === "races" && value === true ? "pairs" : String(value) }];
  });
}

/** The options that only explorations have. */
const OF_EXPLORATIONS: readonly (readonly [keyof RunOptions, string])[] = [
  ["strategy", "--strategy"],
  ["maxSteps", "--max-steps"],
  ["maxDepth", "--max-depth"],
  ["maxTime", "--max-time"],
  ["races", "--races"],
  ["continueAfterViolation", "--continue-after-violation"],
  ["updateKnown", "--update-known"],
  ["resume", "--resume"],
  ["shard", "--shard"],
  ["distributed", "--distributed"],
];

/** Refuses options that contradict each other, or that would have no effect. @throws SeqqaError with exit status 2 */
export function refuseMisuse(named: string | undefined, options: RunOptions): void {
  if (options.only?.trim() === "") throw usage("--only is empty.", "Give a part of the name of an exploration or a journey.");
  if (options.force === true && options.resume === undefined)
    throw usage("--force can only be used together with --resume.", "Take it out, or add --resume.");
  if (typeof options.resume === "string" && !RUN_ID.test(options.resume)) {
    const hint = "Leave it out for the last run; the directory stands before it: seqqa run qa --resume.";
    throw usage(`${JSON.stringify(options.resume)} is no id of a run.`, hint);
  }
  if (options.shard !== undefined && !/^[1-9]\d{0,3}\/[1-9]\d{0,3}$/.test(options.shard))
    throw usage(`${JSON.stringify(options.shard)} names no shard.`, "Write i/n with i from 1 to n: 2/4 is the second of four.");
  // An unset variable of the shell gives an empty name, which does not mean the current folder.
  if (named?.trim() === "")
    throw usage("The name of what to run is empty.", "seqqa list shows what there is; seqqa run . is the current folder.");
  if (options.all === true && named !== undefined)
    throw usage(`--all is every journey, and ${named} names one thing to run.`, `Try: seqqa run --all, or seqqa run ${named}.`);
}

/** @throws SeqqaError when an option was given that journeys do not have */
export function refuseForJourneys(options: RunOptions): void {
  const [, flag] = OF_EXPLORATIONS.find(([option]) => options[option] !== undefined) ?? [];
  if (flag !== undefined)
    throw usage(`${flag} is for explorations, and this is a run of journeys.`, "Take it out, or name a directory of explorations.");
}

export function usage(message: string, hint?: string): SeqqaError {
  return new SeqqaError("USAGE", message, { exitStatus: 2, hint });
}
