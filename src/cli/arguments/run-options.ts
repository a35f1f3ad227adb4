import type { FlagValue } from "../../config/index.ts";
import { STRATEGY_KINDS } from "../../model/declare/search/strategy.ts";
import { SeqqaError } from "../../model/errors.ts";
import { alternatives } from "../../model/text/alternatives.ts";
import { REPORTER_NAMES } from "../../reports/index.ts";
import { RUN_ID } from "../../run-log/index.ts";
import { shardOf } from "../../run/shards/shard.ts";
import { flagWord } from "./flag-word.ts";

export interface RunOptions {
  readonly all?: boolean;
  readonly updateKnown?: boolean;
  readonly ui?: boolean;
  readonly watch?: boolean;
  readonly port?: string;
  readonly parallel?: string;
  readonly verbose?: boolean;
  readonly infra?: boolean;
  readonly strategy?: string;
  readonly maxSteps?: string;
  readonly maxDepth?: string;
  readonly maxTime?: string;
  readonly seed?: string;
  /** `true` if `--races` is given without a value. */
  readonly races?: string | true;
  /** `true` if `--faults` is given without a value. */
  readonly faults?: string | true;
  readonly bail?: boolean;
  readonly continueAfterViolation?: boolean;
  readonly only?: string;
  /** `true` if `--resume` is given without a run id. The last run is resumed then. */
  readonly resume?: string | true;
  readonly force?: boolean;
  readonly shard?: string;
  readonly distributed?: string;
  readonly reporter?: readonly string[];
  readonly baseUrl?: string;
  readonly config?: string;
  readonly output?: string;
  readonly failOnSeverity?: string;
  readonly allowDb?: readonly string[];
}

export interface Flag {
  readonly usage: string;
  readonly description: string;
  readonly choices?: readonly string[];
  readonly isList?: boolean;
}

export interface RunFlag extends Flag {
  readonly option: keyof RunOptions;
  /** The configuration key that the flag sets, for example `exploration.max_steps`. The configuration checks the value. */
  readonly key?: string;
  /** `true` if the flag applies only to explorations. Using such a flag with journeys is an error. */
  readonly isOfExplorations?: boolean;
  /**
   * The place in the run log where the value is stored, so that a resumed run can read it: with the configuration (`key`) or in a separate row
   * (`row`). Not set if the value is not stored. --allow-db is never stored: it is a permission, and the run log may come from another machine.
   */
  readonly kept?: "key" | "row";
}

export const CONFIG_FLAG: Flag = {
  usage: "--config <file>",
  description: "configuration file to use, instead of the seqqa.yaml of the folder",
};
export const ALLOW_DB_FLAG: Flag = {
  usage: "--allow-db <name>",
  description: "allow writing to the store of this name, although the name does not contain test, dev, ci or seqqa",
  isList: true,
};

const [DEFAULT_REPORTER, ...OTHER_REPORTERS] = REPORTER_NAMES;
const REPORTER_WORDS = [`${DEFAULT_REPORTER} (default)`, ...OTHER_REPORTERS, "a module of your own: ./mine.ts, or a package"];
export const REPORTER_FLAG: Flag = {
  usage: "--reporter <name>",
  description: `format of standard output: ${alternatives(REPORTER_WORDS)}`,
  isList: true,
};

export const RUN_FLAGS: readonly RunFlag[] = [
  { option: "all", usage: "--all", description: "run every journey" },
  {
    option: "parallel",
    usage: "--parallel <n|auto>",
    description: "number of lanes that work at the same time",
    key: "parallel",
    kept: "key",
  },
  { option: "verbose", usage: "--verbose", description: "print more about the run: requests of every step, stack traces of errors" },
  {
    option: "infra",
    usage: "--no-infra",
    description: "do not start target, services and containers, but use running ones; needs base_url or lanes",
    kept: "row",
  },
  {
    option: "strategy",
    usage: "--strategy <name>",
    description: `order in which states and actions are explored: ${alternatives(STRATEGY_KINDS.map(flagWord))}`,
    key: "exploration.strategy",
    isOfExplorations: true,
    kept: "key",
  },
  {
    option: "maxSteps",
    usage: "--max-steps <n>",
    description: "highest number of executed actions",
    key: "exploration.max_steps",
    isOfExplorations: true,
    kept: "key",
  },
  {
    option: "maxDepth",
    usage: "--max-depth <n>",
    description: "highest number of actions in a path",
    key: "exploration.max_depth",
    isOfExplorations: true,
    kept: "key",
  },
  {
    option: "maxTime",
    usage: "--max-time <duration>",
    description: "time limit in seconds, or 30s, 5m, 1h",
    key: "exploration.max_time",
    isOfExplorations: true,
    kept: "key",
  },
  { option: "seed", usage: "--seed <n>", description: "seed of all random choices", key: "exploration.seed", kept: "key" },
  {
    option: "races",
    usage: "--races [mode]",
    description: "whether to send pairs of actions at the same time, to find races; default: pairs",
    choices: ["pairs", "off"],
    key: "exploration.races",
    isOfExplorations: true,
    kept: "row",
  },
  {
    option: "faults",
    usage: "--faults [mode]",
    description: "whether to make each database write of each action fail, one at a time; default: on",
    choices: ["on", "off"],
    key: "exploration.faults",
    isOfExplorations: true,
    kept: "row",
  },
  {
    option: "bail",
    usage: "--bail",
    description: "stop at the first violation, or the first journey that does not pass",
    key: "exploration.stop_on_first_violation",
    kept: "key",
  },
  {
    option: "continueAfterViolation",
    usage: "--continue-after-violation",
    description: "also explore from states that break a rule",
    key: "exploration.continue_after_violation",
    isOfExplorations: true,
    kept: "key",
  },
  { option: "only", usage: "--only <text>", description: "run only explorations and journeys whose name contains the text", kept: "row" },
  {
    option: "shard",
    usage: "--shard <i/n>",
    description: "explore only the states of shard i of n; --max-steps is the total of all n shards; join the shards with seqqa merge",
    isOfExplorations: true,
    kept: "row",
  },
  {
    option: "distributed",
    usage: "--distributed <url>",
    description: "distribute the exploration to processes of seqqa worker, through the Redis with this URL; needs SEQQA_SECRET",
    isOfExplorations: true,
  },
  {
    option: "resume",
    usage: "--resume [run]",
    description: "continue a run that was interrupted or killed, or that reached a limit; default: the last run",
    isOfExplorations: true,
  },
  { option: "force", usage: "--force", description: "resume the run although its configuration or code has changed" },
  { option: "reporter", ...REPORTER_FLAG },
  { option: "baseUrl", usage: "--base-url <url>", description: "URL of a target that already runs", key: "base_url", kept: "key" },
  { option: "config", ...CONFIG_FLAG },
  { option: "output", usage: "--output <dir>", description: "directory of the reports", key: "report.output_dir" },
  {
    option: "failOnSeverity",
    usage: "--fail-on-severity <severity>",
    description: "lowest severity that fails the run: critical, high, medium, low or none",
    key: "fail_on_severity",
    kept: "key",
  },
  {
    option: "updateKnown",
    usage: "--update-known",
    description: "write the findings of this run to the file that known_findings names, so that they no longer fail runs",
    isOfExplorations: true,
  },
  {
    option: "ui",
    usage: "--ui",
    description: "serve a page that shows the run while it runs, and afterwards until Ctrl-C",
    isOfExplorations: true,
  },
  {
    option: "watch",
    usage: "--watch",
    description: "after each change of code, configuration or target, repeat the explorations that the change affects, until Ctrl-C",
    isOfExplorations: true,
  },
  { option: "port", usage: "--port <n>", description: "port of the page of --ui; default: any free port", isOfExplorations: true },
  { option: "allowDb", ...ALLOW_DB_FLAG },
];

/** Returns a flag without its value, as the user types it: `--max-steps` for `--max-steps <n>`. */
export const typed = ({ usage: written }: Flag): string => written.split(" ")[0]!;

export function flagsOf(options: RunOptions): readonly FlagValue[] {
  return RUN_FLAGS.flatMap((flag) => {
    const { option, key } = flag;
    const value = options[option];
    if (key === undefined || value === undefined) return [];
    const byDefault = { races: "pairs", faults: "on" };
    return [
      { key, flag: typed(flag), value: value === true && option in byDefault ? byDefault[option as "races" | "faults"] : String(value) },
    ];
  });
}

/**
 * Throws an error if the options of `seqqa run` contradict each other or have no effect.
 * @throws SeqqaError with exit status 2
 */
export function refuseMisuse(named: string | undefined, options: RunOptions): void {
  if (options.only?.trim() === "") throw usage("--only is empty.", "Give part of the name of an exploration or a journey: --only shop");
  const beside = (["ui", "resume", "shard", "distributed", "updateKnown"] as const).find((one) => options[one] !== undefined);
  if (options.watch === true && beside !== undefined) {
    const flag = beside === "updateKnown" ? "--update-known" : `--${beside}`;
    throw usage(`--watch cannot be combined with ${flag}.`, `Remove --watch or ${flag}.`);
  }
  if (options.port !== undefined && options.ui !== true)
    throw usage("--port can only be used together with --ui.", "Remove --port, or add --ui.");
  if (options.force === true && options.resume === undefined)
    throw usage("--force can only be used together with --resume.", "Remove --force, or add --resume.");
  if (typeof options.resume === "string" && !RUN_ID.test(options.resume)) {
    const hint = "To resume the last run, leave the id out. If you meant a directory, write it before the option: seqqa run qa --resume";
    throw usage(`${JSON.stringify(options.resume)} is not the id of a run.`, hint);
  }
  if (options.shard !== undefined) shardOf(options.shard, "--shard");
  // An empty name usually comes from a shell variable that is not set, so reject it instead of using the current folder.
  if (named?.trim() === "")
    throw usage(
      "The name of the directory or journey is empty.",
      "seqqa list shows the names. To run the current folder, type: seqqa run .",
    );
  if (options.all === true && named !== undefined)
    throw usage(
      `--all runs every journey, so it cannot be combined with the name ${named}.`,
      `Try: seqqa run --all, or seqqa run ${named}.`,
    );
}

/**
 * Throws an error if the user gives an option for explorations but runs journeys.
 * @throws SeqqaError with exit status 2
 */
export function refuseForJourneys(options: RunOptions): void {
  const flag = RUN_FLAGS.find(({ option, isOfExplorations }) => isOfExplorations === true && options[option] !== undefined);
  if (flag !== undefined)
    throw usage(
      `${typed(flag)} works only for explorations, but this command runs journeys.`,
      `Remove ${typed(flag)}, or give a directory that contains explorations.`,
    );
}

export function usage(message: string, hint?: string): SeqqaError {
  return new SeqqaError("USAGE", message, { exitStatus: 2, hint });
}
