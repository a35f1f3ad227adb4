import type { ConfigRow, StoredRun } from "../../run-log/index.ts";
import { usage, type RunOptions } from "./run-options.ts";

/** Flags that set a key of the configuration: the source of the key's value shows if a flag set it. */
const BY_KEY: readonly (readonly [keyof RunOptions, string])[] = [
  ["parallel", "parallel"],
  ["baseUrl", "base_url"],
  ["strategy", "exploration.strategy"],
  ["maxSteps", "exploration.max_steps"],
  ["maxDepth", "exploration.max_depth"],
  ["maxTime", "exploration.max_time"],
  ["seed", "exploration.seed"],
  ["bail", "exploration.stop_on_first_violation"],
  ["continueAfterViolation", "exploration.continue_after_violation"],
  ["failOnSeverity", "fail_on_severity"],
];

/** Flags that are stored in a row of their own. Not --allow-db: it is a permission, and the run log may have been copied to another machine. */
const BY_FLAG: readonly (readonly [keyof RunOptions, string])[] = [
  ["infra", "--no-infra"],
  ["only", "--only"],
  ["shard", "--shard"],
  ["races", "--races"],
];

/** Returns the rows that a run log keeps of a command line beside the resulting configuration. */
export function flagRows(options: RunOptions): readonly ConfigRow[] {
  return BY_FLAG.flatMap(([option, flag]) => {
    const value = options[option];
    return value === undefined || (option === "infra" && value === true)
      ? []
      : [{ key: flag, value: JSON.stringify(value), source: `flag ${flag}` }];
  });
}

/**
 * Returns the options for resuming a run: the given flags, and those flags of the first session that are left out now.
 * @throws SeqqaError with exit status 2 if a flag is needed that no run log keeps
 */
export function optionsBefore(
  { id, config }: Pick<StoredRun, "id" | "config">,
  given: RunOptions,
  env: Readonly<Record<string, string | undefined>>,
): RunOptions {
  const before: Record<string, unknown> = {};
  for (const [option, key] of [...BY_KEY, ...BY_FLAG]) {
    const row = config.get(key);
    // Commander sets `true` when --no-infra is absent.
    const isGiven = given[option] !== undefined && option !== "infra";
    if (row === undefined || !row.source.startsWith("flag ") || isGiven) continue;
    const value: unknown = JSON.parse(row.value);
    if (option === "baseUrl" && String(value).includes("***")) refusePassword(id, env);
    else before[option] = typeof value === "number" ? String(value) : value;
  }
  return { ...given, ...before };
}

/** Refuses to resume without a new --base-url, because a password in a URL is never stored. */
function refusePassword(id: string, env: Readonly<Record<string, string | undefined>>): void {
  if ((env["SEQQA_BASE_URL"] ?? "") !== "") return;
  throw usage(`The --base-url of run ${id} had a password, which is not kept.`, "Give --base-url again.");
}
