import type { ConfigRow, StoredRun } from "../../run-log/index.ts";
import { RUN_FLAGS, typed, usage, type RunOptions } from "./run-options.ts";

/** Returns the flags of a run that the run log must store separately, because they do not set values of the configuration. */
export function flagRows(options: RunOptions): readonly ConfigRow[] {
  return RUN_FLAGS.flatMap((flag) => {
    const value = options[flag.option];
    // If the user does not give --no-infra, commander sets `infra` to `true`. Only `false` therefore means that the flag was given.
    const isGiven = value !== undefined && (flag.option !== "infra" || value === false);
    return flag.kept === "row" && isGiven ? [{ key: typed(flag), value: JSON.stringify(value), source: `flag ${typed(flag)}` }] : [];
  });
}

/**
 * Returns the options for resuming a run: the flags that the user gives now, and for all other flags the values from the run's first session.
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
    // Use a stored value only if its `source` says that a flag set the value in the first session.
    const row = config.get(kept === "key" ? flag.key! : typed(flag));
    const isGiven = given[option] !== undefined && option !== "infra";
    if (row === undefined || !row.source.startsWith("flag ") || isGiven) continue;
    const value: unknown = JSON.parse(row.value);
    if (option === "baseUrl" && String(value).includes("***")) refusePassword(id, env);
    else before[option] = typeof value === "number" ? String(value) : value;
  }
  return { ...given, ...before };
}

/**
 * Throws an error if the user must give --base-url again, because the URL of the first session had a password, and passwords in URLs are never
 * stored.
 */
function refusePassword(id: string, env: Readonly<Record<string, string | undefined>>): void {
  if ((env["SEQQA_BASE_URL"] ?? "") !== "") return;
  throw usage(
    `The --base-url of run ${id} contained a password. seqqa does not store passwords.`,
    "Give --base-url <url> again, with the password.",
  );
}
