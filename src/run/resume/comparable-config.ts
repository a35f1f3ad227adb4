import type { Config } from "../../config/index.ts";
import { configRows, environmentOf } from "../../run-log/index.ts";
import { isFree } from "./changed-keys.ts";

/**
 * Configuration keys that may differ between machines, such as addresses of targets and stores. Equal root states show that targets and stores are
 * equivalent.
 */
const OWN =
  /^(?:base_url|db_url|lanes|services(?:\..*)?|compose_file|proxy|tls\..*|target\.(?:cwd|ready|ready_timeout)|systems\.[^.]+\.url)$/;

/**
 * Returns digests of the configuration values that must be the same on all machines of a distributed run, by key. Paths are made relative to the
 * configuration's folder. Values of environment variables are included, because the digests hide them.
 */
export function comparableConfig(config: Config, digest: (value: string) => string): ReadonlyMap<string, string> {
  const relative = (value: string): string => value.replaceAll(JSON.stringify(config.folder).slice(1, -1), ".");
  const values = [...configRows(config).map(({ key, value }) => [key, relative(value)] as const), ...environmentOf(config)];
  return new Map(values.filter(([key]) => !isFree(key) && !OWN.test(key)).map(([key, value]) => [key, digest(value)]));
}
