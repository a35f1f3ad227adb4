import { loadConfig, type Config } from "../config/index.ts";
import type { StoreOptions } from "./program.ts";
import type { Shell } from "./shell.ts";

/** The configuration for the commands that look after stores; without a directory, that of the current folder. */
export function configOfStores(directory: string | undefined, options: StoreOptions, shell: Shell): Config {
  return loadConfig({
    directory: directory ?? ".",
    file: options.config,
    env: shell.env,
    cwd: shell.cwd,
    allowedStores: options.allowDb,
  });
}
