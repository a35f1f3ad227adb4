import { sourceOf, type Config } from "../../config/index.ts";
import { configRows, otherValues, type StoredRun } from "../../run-log/index.ts";

/**
 * Keys that no outcome depends on (budgets, lanes, reports, later probes, the place of the configuration), and keys whose effect is compared instead
 * (flags). Strategy and seed may be the agent's own, so their resolved values are compared.
 */
const FREE =
  /^(?:--.*|parallel|folder|file|fail_on_severity|known_findings|report\..*|exploration\.(?:max_steps|max_time|max_depth|stop_on_first_violation|strategy|seed|rate_limit|races.*|faults.*))$/;

/** Returns `true` if no outcome depends on a key. */
export const isFree = (key: string): boolean => FREE.test(key);

/**
 * Returns the configuration keys whose values changed since the run started, with both values. Environment variables may be secrets, so they are
 * named without values.
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

/** Returns the keys that outcomes depend on and whose values differ between two runs. */
export function differingKeys(a: StoredRun["config"], b: StoredRun["config"]): readonly string[] {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].toSorted().filter((key) => !isFree(key) && a.get(key)?.value !== b.get(key)?.value);
}

function short(value: string | undefined): string {
  if (value === undefined) return "none";
  return value.length <= 60 ? value : `${value.slice(0, 60)}...`;
}
