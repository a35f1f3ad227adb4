import type { ConfigRow, StoredRun } from "../../run-log/index.ts";
import { RUN_FLAGS, typed, usage, type RunOptions } from "./run-options.ts";

/** Returns the flags that the run log stores in addition to the resulting configuration. */
export function flagRows(options: RunOptions): readonly ConfigRow[] {
  return RUN_FLAGS.flatMap((flag) => {
    const value = options[flag.option];
    // Commander sets `infra` to `true` if --no-infra is absent.
    const isGiven = value !== undefined && (flag.option !== "infra" || value === false);
    return flag.kept === "row" && isGiven ? [{ key: typed(flag), value: JSON.stringify(value), source: `flag ${typed(flag)}` }] : [];
  });
}

/**
 * Returns the options for resuming a run: the given flags, plus the flags of the first session that are not given now.
 * @throws SeqqaError with exit status 2 if a needed flag is not stored in the run log
 */
export function optionsBefore(
  { id, config }: Pick<StoredRun, "id" | "config">,
  given: RunOptions,
  env: Readonly<Record<string, string | undefined>>,
): RunOptions {
  const before: Record<string, unknown> = {};
  for (const flag of RUN_FLAGS) {
    const { option, kept } = flag;
    if (kept === undefined) continue;
    // The source of a stored value shows whether a flag set it.
    const row = config.get(kept === "key" ? flag.key! : typed(flag));
    const isGiven = given[option] !== undefined && option !== "infra";
    if (row === undefined || !row.source.startsWith("flag ") || isGiven) continue;
    const value: unknown = JSON.parse(row.value);
    if (option === "baseUrl" && String(value).includes("***")) refusePassword(id, env);
    else before[option] = typeof value === "number" ? String(value) : value;
  }
  return { ...given, ...before };
}

/** Rejects resuming without a new --base-url if the old URL had a password, because passwords in URLs are never stored. */
function refusePassword(id: string, env: Readonly<Record<string, string | undefined>>): void {
  if ((env["SEQQA_BASE_URL"] ?? "") !== "") return;
  throw usage(`The --base-url of run ${id} had a password, which is not kept.`, "Give --base-url again.");
}
