import type { Config } from "../../config/index.ts";
import { configRows, environmentOf } from "../../run-log/index.ts";
import { isFree } from "./changed-keys.ts";

/**
 * Matches configuration keys that may differ between machines, such as addresses of targets and stores. Equal root states show that these targets and
 * stores are equivalent.
 */
const OWN =
  /^(?:base_url|db_url|lanes|services(?:\..*)?|compose_file|proxy|tls\..*|target\.(?:cwd|ready|ready_timeout)|systems\.[^.]+\.url)$/;

/**
 * Returns a hash for each configuration value that must be the same on all machines of a distributed run. Paths are made relative to the
 * configuration's folder. Values of environment variables are included, because hashes do not reveal the values.
 */
export function comparableConfig(config: Config, digest: (value: string) => string): ReadonlyMap<string, string> {
  const relative = (value: string): string => value.replaceAll(JSON.stringify(config.folder).slice(1, -1), ".");
  const values = [...configRows(config).map(({ key, value }) => [key, relative(value)] as const), ...environmentOf(config)];
  return new Map(values.filter(([key]) => !isFree(key) && !OWN.test(key)).map(([key, value]) => [key, digest(value)]));
}
