import type { Config } from "../../config/index.ts";
import { configRows, environmentOf } from "../../run-log/index.ts";
import { isFree } from "./changed-keys.ts";

/** Keys that may differ between machines: the places of targets and stores. Equal root states show that these are alike. */
const OWN =
  /^(?:base_url|db_url|lanes|services(?:\..*)?|compose_file|proxy|tls\..*|target\.(?:cwd|ready|ready_timeout)|systems\.[^.]+\.url)$/;

/**
 * Returns the configuration values that must be equal on two machines of one exploration, as digests by key. Paths are relative to the
 * configuration's folder. Environment variables of the target are compared by their values, which `digest` hides.
 */
export function comparableConfig(config: Config, digest: (value: string) => string): ReadonlyMap<string, string> {
  const relative = (value: string): string => value.replaceAll(JSON.stringify(config.folder).slice(1, -1), ".");
  const values = [...configRows(config).map(({ key, value }) => [key, relative(value)] as const), ...environmentOf(config)];
  return new Map(values.filter(([key]) => !isFree(key) && !OWN.test(key)).map(([key, value]) => [key, digest(value)]));
}
