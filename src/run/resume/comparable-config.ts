import type { Config } from "../../config/index.ts";
import { configRows, environmentOf } from "../../run-log/index.ts";
import { isFree } from "./changed-keys.ts";

/** Where the targets and stores of a machine are is its own business: that they are alike shows in the states that they begin in. */
const OWN =
  /^(?:base_url|db_url|lanes|services(?:\..*)?|compose_file|proxy|tls\..*|target\.(?:cwd|ready|ready_timeout)|systems\.[^.]+\.url)$/;

/**
 * What two machines that work on one exploration must have alike of their configuration: digests of its values by key. Paths count from the folder of
 * the configuration, and variables of the target are told apart by their values, which `digest` hides.
 */
export function comparableConfig(config: Config, digest: (value: string) => string): ReadonlyMap<string, string> {
  const relative = (value: string): string => value.replaceAll(JSON.stringify(config.folder).slice(1, -1), ".");
  const values = [...configRows(config).map(({ key, value }) => [key, relative(value)] as const), ...environmentOf(config)];
  return new Map(values.filter(([key]) => !isFree(key) && !OWN.test(key)).map(([key, value]) => [key, digest(value)]));
}
