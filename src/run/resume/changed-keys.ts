import { sourceOf, type Config } from "../../config/index.ts";
import { configRows, otherValues, type StoredRun } from "../../run-log/index.ts";

/**
 * Matches configuration keys that may differ when a run is resumed, because outcomes do not depend on them (budgets, lanes, reports). Also matches
 * strategy, seed and flags, because other code compares their resolved values.
 */
const FREE =
  /^(?:--.*|parallel|folder|file|fail_on_severity|known_findings|coverage\..*|report\..*|exploration\.(?:max_steps|max_time|max_depth|stop_on_first_violation|strategy|seed|rate_limit|races.*|faults.*))$/;

/** Returns `true` if this configuration key may differ when a run is resumed. */
export const isFree = (key: string): boolean => FREE.test(key);

/**
 * Returns a text for each configuration key whose value has changed since the run started, with both values. Changed environment variables are named
 * without their values, because the values may be secrets.
 */
export function changedKeys(stored: Pick<StoredRun, "config" | "environment">, config: Config): readonly string[] {
  const now = new Map(configRows(config).map(({ key, value }) => [key, value]));
  const keys = new Set([...stored.config.keys(), ...now.keys()]);
  const changed = [...keys].toSorted().flatMap((key) => {
    const before = stored.config.get(key)?.value;
    const value = now.get(key);
    if (isFree(key) || before === value) return [];
    const source = sourceOf(config, key);
    return [`${key} (${short(before)}, now ${short(value)}${source === "default" ? "" : ` by ${source}`})`];
  });
  return [...changed, ...otherValues(stored.environment, config).map((key) => `the value of ${key}`)];
}

/** Matches the settings of races and faults that must be equal in all shards, because each shard probes only its own states. */
const PROBING = /^exploration\.(?:races|faults)\.(?!max_time$)/;

/** Returns the configuration keys whose values differ between two shards, if outcomes may depend on these values. Budgets may differ. */
export function differingKeys(a: StoredRun["config"], b: StoredRun["config"]): readonly string[] {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].toSorted().filter((key) => (!isFree(key) || PROBING.test(key)) && a.get(key)?.value !== b.get(key)?.value);
}

function short(value: string | undefined): string {
  if (value === undefined) return "none";
  return value.length <= 60 ? value : `${value.slice(0, 60)}...`;
}
