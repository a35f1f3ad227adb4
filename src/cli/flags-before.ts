import type { FlagValue } from "../config/index.ts";
import type { StoredRun } from "../store/index.ts";

/** What a run that goes on keeps of its flags unless they are given anew. */
const KEPT = [
  "parallel",
  "base_url",
  "exploration.strategy",
  "exploration.max_steps",
  "exploration.max_depth",
  "exploration.max_time",
  "exploration.seed",
  "exploration.stop_on_first_violation",
  "fail_on_severity",
] as const;

/** The flags of the first session that this one leaves out: the same command goes on. */
export function flagsBefore({ config }: Pick<StoredRun, "config">, given: readonly FlagValue[]): readonly FlagValue[] {
  return KEPT.flatMap((key) => {
    const row = config.get(key);
    if (row === undefined || !row.source.startsWith("flag ") || given.some((flag) => flag.key === key)) return [];
    const value: unknown = JSON.parse(row.value);
    const isPlain = typeof value === "string" || typeof value === "number" || typeof value === "boolean";
    // A password in a URL is not kept.
    return isPlain && !String(value).includes("***") ? [{ key, flag: row.source.slice("flag ".length), value: String(value) }] : [];
  });
}
