import { existsSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { loadConfig, type Config, type FlagValue } from "../config/index.ts";
import type { FoundJourney, UnusableFile } from "../run/index.ts";
import { readStoredRun, type StoredRun } from "../store/index.ts";
import { fileIsNoDirectory, findExplorations, isExplorationFile } from "./find-explorations.ts";
import { flagsBefore } from "./flags-before.ts";
import { journeyNotFound } from "./journey-not-found.ts";
import type { Machinery } from "./machinery.ts";
import { nothingNamed } from "./nothing-named.ts";
import { flagsOf, refuseForJourneys, refuseMisuse, usage, type RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";

/** What is to be run. */
export type RunTarget =
  | {
      readonly kind: "explorations";
      readonly config: Config;
      readonly directory: string;
      readonly files: readonly string[];
      /** The run that goes on. */
      readonly stored: StoredRun | undefined;
    }
  | {
      readonly kind: "journeys";
      readonly config: Config;
      readonly journeys: readonly FoundJourney[];
      /** Of `--all`: files that should hold a journey. */
      readonly unusable: readonly UnusableFile[];
    };

/** What the command line means: a directory wins over a journey of its name. @throws SeqqaError with exit status 2 */
export async function runTarget(named: string | undefined, options: RunOptions, shell: Shell, machinery: Machinery): Promise<RunTarget> {
  refuseMisuse(named, options);
  const given = flagsOf(options);
  const configFor = (directory: string, before: readonly FlagValue[] = []): Config =>
    loadConfig({
      directory,
      file: options.config,
      flags: [...before, ...given],
      env: shell.env,
      cwd: shell.cwd,
      noInfra: options.infra === false,
      allowedStores: options.allowDb,
    });
  if (options.all === true) return everyJourney(configFor("."), options, shell, machinery);
  if (named === undefined) throw await nothingNamed(shell, machinery, options.config);
  const path = resolve(shell.cwd, named);
  if (existsSync(path) && statSync(path).isDirectory()) {
    const files = await findExplorations(named, shell, machinery.discover);
    const config = configFor(named);
    const stored = options.resume === undefined ? undefined : storedRun(config, options.resume);
    const resumed = stored === undefined ? config : configFor(named, flagsBefore(stored, given));
    return { kind: "explorations", config: resumed, directory: path, files, stored };
  }
  if (isExplorationFile(named)) throw await fileIsNoDirectory(named, shell, machinery);
  const config = configFor(".");
  const found = await machinery.findJourneys(config);
  const journey = found.journeys.find(({ name }) => name === named);
  if (journey === undefined) throw journeyNotFound(named, found, config, shell);
  refuseForJourneys(options);
  if (options.only !== undefined && !named.includes(options.only)) throw noneContains(options.only);
  return { kind: "journeys", config, journeys: [journey], unusable: [] };
}

/** @throws SeqqaError with exit status 2 when there is none, or nothing of it can go on */
function storedRun({ report }: Config, resume: string | true): StoredRun {
  if (report.formats.length === 0)
    throw usage("--resume has no run to go on with: report.formats is empty, so that none is kept.", "Name a format.");
  const stored = readStoredRun(report.outputDir, resume === true ? undefined : resume);
  if (stored.hasJourneys) throw usage(`Run ${stored.id} is one of journeys; explorations can go on.`, "Name another one after --resume.");
  return stored;
}

async function everyJourney(config: Config, options: RunOptions, shell: Shell, machinery: Machinery): Promise<RunTarget> {
  refuseForJourneys(options);
  const found = await machinery.findJourneys(config);
  const { only } = options;
  if (found.journeys.length === 0 && found.unusable.length === 0) throw journeyNotFound(undefined, found, config, shell);
  if (only === undefined) return { kind: "journeys", config, ...found };
  const journeys = found.journeys.filter(({ name }) => name.includes(only));
  if (journeys.length === 0) throw noneContains(only);
  return { kind: "journeys", config, journeys, unusable: [] };
}

function noneContains(only: string): Error {
  return usage(`No journey's name contains ${JSON.stringify(only)}.`, "seqqa list shows the names.");
}
