import { sourceOf, type Config } from "../../config/index.ts";
import { configRows, otherValues, type StoredRun } from "../../run-log/index.ts";

/**
 * What no outcome depends on, or what is compared as it comes out (flags): budgets, lanes, reports, what is probed afterwards, and where the configuration lies. Strategy and seed may be the agent's own,
 * and are compared as they come out.
 */
const FREE =
  /^(?:--.*|parallel|folder|file|fail_on_severity|known_findings|report\..*|exploration\.(?:max_steps|max_time|max_depth|stop_on_first_violation|strategy|seed|rate_limit|races.*))$/;

/** Whether no outcome depends on a key. */
export const isFree = (key: string): boolean => FREE.test(key);

/** The keys of the configuration whose values are others than when the run began, with both; of variables of the environment, which may be secrets, with neither. */
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

/** The keys whose values differ between two runs, as far as outcomes depend on them. */
export function differingKeys(a: StoredRun["config"], b: StoredRun["config"]): readonly string[] {
  const keys = new Set([...a.keys(), ...b.keys()]);
  return [...keys].toSorted().filter((key) => !isFree(key) && a.get(key)?.value !== b.get(key)?.value);
}

function short(value: string | undefined): string {
  if (value === undefined) return "none";
  return value.length <= 60 ? value : `${value.slice(0, 60)}...`;
}
