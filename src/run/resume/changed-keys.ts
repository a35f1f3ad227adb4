import { sourceOf, type Config } from "../../config/index.ts";
import { configRows, otherValues, type StoredRun } from "../../run-log/index.ts";

/**
 * Configuration keys that may differ when a run is resumed, because no outcome depends on them (budgets, lanes, coverage, reports). Strategy, seed and flags
 * are compared in their resolved form elsewhere.
 */
const FREE =
  /^(?:--.*|parallel|folder|file|fail_on_severity|known_findings|coverage\..*|report\..*|exploration\.(?:max_steps|max_time|max_depth|stop_on_first_violation|strategy|seed|rate_limit|races.*|faults.*))$/;

/** Returns `true` if the key may differ when a run is resumed. */
export const isFree = (key: string): boolean => FREE.test(key);

/**
 * Returns the configuration keys whose values have changed since the run started, with both values. Environment variables are named without values,
 * because they may be secrets.
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

/** Returns the keys whose values differ between two runs and influence outcomes. */
export function differingKeys(a: StoredRun["config"], b: StoredRun["config"]): readonly string[] {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].toSorted().filter((key) => !isFree(key) && a.get(key)?.value !== b.get(key)?.value);
}

function short(value: string | undefined): string {
  if (value === undefined) return "none";
  return value.length <= 60 ? value : `${value.slice(0, 60)}...`;
}
