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

/** Wrong names for the configuration file. If a folder has such a file but no `seqqa.yaml`, {@link findFile} throws an error. */
const OTHER_NAMES = ["seqqa.yml", "seqqa.json"];

export interface LoadOptions {
  /**
   * The folder that is searched first for `seqqa.yaml`; see {@link findFile}. If neither `directory` nor `file` is set, no configuration file is read.
   */
  readonly directory?: string | undefined;
  readonly file?: string | undefined;
  readonly flags?: readonly FlagValue[] | undefined;
  /** The environment variables. Default: `process.env`. */
  readonly env?: Environment | undefined;
  /** The current folder. Default: `process.cwd()`. */
  readonly cwd?: string | undefined;
  /** `true` if the target already runs, so that seqqa does not start it with `target.command`. Requires `base_url` or `lanes`. */
  readonly noInfra?: boolean | undefined;
  /**
   * Names of stores that seqqa may write even if nothing in their names says that the stores are for tests. `SEQQA_ALLOW_DB` adds further names.
   * `unopened`: no store is checked, because the command opens none.
   */
  readonly allowedStores?: readonly string[] | "unopened" | undefined;
  /**
   * `true` if the caller will add more values to this configuration. seqqa then does not check for contradictions between values and for stores with
   * real data.
   */
  readonly unfinished?: boolean | undefined;
}

/**
 * Loads and checks the configuration. Precedence, highest first: flags, environment variables, the file, defaults.
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

/** Adds defaults to the checked values. If the store `db` is declared without a URL, `db_url` becomes its URL. */
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

/** Returns the origin of a configuration value: `flag --max-steps`, `environment SEQQA_TIMEOUT`, `file seqqa.yaml:3:5` or `default`. */
export function sourceOf(config: Config, key: string): string {
  return config.sources[key] ?? "default";
}

/**
 * Returns the path of the configuration file, or `undefined` if there is none. Searches these folders, in this order: the given directory, its folder
 * `qa`, its parents that do not contain the current folder, `./qa`, the current folder, and the parents of the current folder.
 * @throws SeqqaError `CONFIG_NAME` (2) if a searched folder has a configuration file with a wrong name
 */
export function findFile(directory: string | undefined, cwd: string): string | undefined {
  const folders = [join(cwd, "qa"), ...upwards(cwd)];
  if (directory !== undefined) {
    const named = resolve(cwd, directory);
    folders.unshift(named, join(named, "qa"), ...beside(dirname(named), cwd));
  }
  for (const folder of folders) {
    if (isFile(join(folder, CONFIG_NAME))) return join(folder, CONFIG_NAME);
    const other = OTHER_NAMES.map((name) => join(folder, name)).find(isFile);
    if (other !== undefined) {
      throw new SeqqaError("CONFIG_NAME", `seqqa does not read ${other}, because the configuration file must be named ${CONFIG_NAME}.`, {
        exitStatus: 2,
        hint: `Rename the file to ${CONFIG_NAME}.`,
      });
    }
  }
  return undefined;
}

/** Returns the configuration file that is nearest to a file: in its folder, or in a parent that does not contain the current folder. */
export function nearestFile(file: string, cwd: string): string | undefined {
  return beside(dirname(file), cwd)
    .map((folder) => join(folder, CONFIG_NAME))
    .find(isFile);
}

const isFile = (file: string): boolean => existsSync(file) && !statSync(file).isDirectory();

/** Returns a folder and its parents, except folders that contain the current folder. */
function beside(folder: string, cwd: string): readonly string[] {
  const above = new Set(upwards(cwd));
  return upwards(folder).filter((one) => !above.has(one));
}

function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
