import { dirname, resolve, join } from "node:path";
import { check } from "../check/check.ts";
import { refuseBadCombinations } from "../check/combinations.ts";
import type { Config } from "../config.ts";
import type { Environment } from "./environment.ts";
import { fill } from "../check/fill.ts";
import type { Filled } from "../check/filled.ts";
import { finish } from "../check/finish.ts";
import { allowedStores, refuseForeignStores } from "../check/store-consent.ts";
import { override, type FlagValue } from "./overrides.ts";
import { readFile } from "./read-file.ts";
import { TABLE } from "../schema/table.ts";
import { existsSync, statSync } from "node:fs";
import { SeqqaError } from "../../model/errors.ts";

const CONFIG_NAME = "seqqa.yaml";

/** Names that people give the file by mistake. A folder that has such a file and no `seqqa.yaml` is refused. */
const OTHER_NAMES = ["seqqa.yml", "seqqa.json"];

export interface LoadOptions {
  /**
   * The folder that is searched first for `seqqa.yaml`; then `./qa`, then the current folder and upwards. Without it and without `file`, no file is
   * read.
   */
  readonly directory?: string | undefined;
  /** The file to read. No folder is searched. */
  readonly file?: string | undefined;
  /** The values of the command line. They win over all others. */
  readonly flags?: readonly FlagValue[] | undefined;
  /** Default `process.env`. */
  readonly env?: Environment | undefined;
  /** Default `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** `true`: the target already runs, and `target.command` is not started. Needs `base_url` or `lanes`. */
  readonly noInfra?: boolean | undefined;
  /**
   * Stores that may be written although their names do not say that they are for tests, in addition to those of `SEQQA_ALLOW_DB`. `unopened`: no
   * store will be opened.
   */
  readonly allowedStores?: readonly string[] | "unopened" | undefined;
  /** `true`: more values will be added to this configuration. Combinations of values and foreign stores are not refused yet. */
  readonly unfinished?: boolean | undefined;
}

/**
 * Loads the configuration and checks it as a whole: flags win over the environment, which wins over the file, which wins over defaults. The values of
 * an Agent rank between environment and file; see {@link resolveExploration}.
 * @throws SeqqaError with a code of {@link ProblemCode} and exit status 2.
 */
export function loadConfig(options: LoadOptions = {}): Config {
  const cwd = resolve(options.cwd ?? process.cwd());
  const env = options.env ?? process.env;
  const file = locateFile(options, cwd);
  const folder = file === undefined ? cwd : dirname(file);
  const sources: Record<string, string> = {};
  const values =
    file === undefined
      ? {}
      : (check(TABLE, "", readFile(file, env, cwd), (key, source) => (sources[key] = source)) as Record<string, unknown>);
  override(values, sources, env, options.flags ?? [], cwd);
  const isUnopened = options.allowedStores === "unopened";
  const allowed = allowedStores(isUnopened ? [] : (options.allowedStores ?? []), env);
  const context = { folder, file, sources, noInfra: options.noInfra === true, allowedStores: allowed };
  if (options.unfinished !== true) refuseBadCombinations(filled(values, folder), context);
  const config = finish(filled(values, folder), context);
  if (options.unfinished !== true && !isUnopened) refuseForeignStores(config);
  return config;
}

/** Adds defaults to the values. The URL of `systems.db` may be given as `db_url`. */
function filled(values: Record<string, unknown>, folder: string): Filled {
  const all = fill(TABLE, values, folder) as Filled;
  const merged = (systems: Filled["systems"], dbUrl: string | undefined): Filled["systems"] =>
    systems?.["db"] === undefined || dbUrl === undefined || (systems["db"].url as string | undefined) !== undefined
      ? systems
      : { ...systems, db: { ...systems["db"], url: dbUrl } };
  const lanes = all.lanes?.map((lane) => ({ ...lane, systems: merged(lane.systems, lane.dbUrl) }));
  return { ...all, systems: merged(all.systems, all.dbUrl), lanes };
}

function locateFile(options: LoadOptions, cwd: string): string | undefined {
  if (options.file !== undefined) return resolve(cwd, options.file);
  return options.directory === undefined ? undefined : findFile(options.directory, cwd);
}

/** Returns the origin of a value: `flag --max-steps`, `environment SEQQA_TIMEOUT`, `file seqqa.yaml:3:5` or `default`. */
export function sourceOf(config: Config, key: string): string {
  return config.sources[key] ?? "default";
}

/**
 * Returns the configuration file: from the given directory, else from `./qa`, else from the current folder or the nearest one above it.
 * @throws SeqqaError `CONFIG_NAME` (2) if a file there has one of the other names.
 */
export function findFile(directory: string | undefined, cwd: string): string | undefined {
  const folders = [join(cwd, "qa"), ...upwards(cwd)];
  if (directory !== undefined) folders.unshift(resolve(cwd, directory));
  const isFile = (file: string): boolean => existsSync(file) && !statSync(file).isDirectory();
  for (const folder of folders) {
    if (isFile(join(folder, CONFIG_NAME))) return join(folder, CONFIG_NAME);
    const other = OTHER_NAMES.map((name) => join(folder, name)).find(isFile);
    if (other !== undefined) {
      throw new SeqqaError("CONFIG_NAME", `${other} is ignored: the configuration file must be called ${CONFIG_NAME}.`, {
        exitStatus: 2,
        hint: `Rename it to ${CONFIG_NAME}.`,
      });
    }
  }
  return undefined;
}

function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
