import { loadConfig, misspelledVariables, type Config, type Environment, type LoadOptions } from "../../config/index.ts";
import { setCommandConnections } from "../../network/connection-settings.ts";
import { printable } from "../../reports/index.ts";
import { namedDirectory } from "./named-directory.ts";
import type { Shell } from "../process/shell.ts";

/**
 * The environments for which notes about misspelled variables were printed. With `--watch`, one command loads its configuration several times, but
 * prints the notes once.
 */
const told = new WeakSet<Environment>();

/**
 * Loads the configuration for a command. Registers its URLs, so that their passwords are hidden in all later output, and its certificates, so that
 * connections to stores trust them.
 * @param options The options for loading. Their environment and current folder override those of the shell.
 */
export function configFor(shell: Shell, options: LoadOptions): Config {
  const config = loadConfig({ env: shell.env, cwd: shell.cwd, ...options });
  setCommandConnections({ ca: config.tls.ca, proxy: config.proxy });
  const places = [config, ...config.lanes].flatMap(({ baseUrl, systems }) => [
    baseUrl ?? "",
    ...Object.values(systems).map(({ url }) => url),
  ]);
  const given = [config.target?.env ?? {}, ...config.services.map(({ env }) => env)].flatMap((env) => Object.values(env));
  shell.keepSecret?.([...places, ...given]);
  const env = options.env ?? shell.env;
  for (const sentence of told.has(env) ? [] : misspelledVariables(env)) shell.stderr.write(`note: ${printable(sentence)}\n`);
  told.add(env);
  return config;
}

/**
 * Loads the configuration for the commands that check and clean stores. The default directory is the current folder.
 * @throws SeqqaError with exit status 2, also if the directory does not exist, because seqqa would otherwise silently use another configuration
 */
export function configOfStores(
  directory: string | undefined,
  options: { readonly config?: string; readonly allowDb?: readonly string[] },
  shell: Shell,
): Config {
  namedDirectory(directory, shell, "Give a directory with a seqqa.yaml, or leave the directory out.");
  return configFor(shell, { directory: directory ?? ".", file: options.config, allowedStores: options.allowDb });
}
