import { existsSync, statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { nearestFile, type Config } from "../../config/index.ts";
import { shellWord } from "../../model/text/shell-word.ts";
import { printable } from "../../reports/index.ts";
import { shownPath } from "../process/shown-path.ts";
import { configFor } from "../arguments/config-for.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { FoundJourney, UnusableFile } from "../../run/index.ts";
import { readStoredRun, type StoredRun } from "../../run-log/index.ts";
import { fileIsNoDirectory, findExplorations, isExplorationFile } from "../arguments/find-explorations.ts";
import { optionsBefore } from "../arguments/resumed-flags.ts";
import { journeyNotFound } from "../arguments/journey-not-found.ts";
import type { Machinery } from "./machinery.ts";
import { nothingNamed } from "../arguments/nothing-named.ts";
import { flagsOf, refuseForJourneys, refuseMisuse, usage, type RunOptions } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { tellSkipped } from "./report-files.ts";

export type RunTarget =
  | {
      readonly kind: "explorations";
      readonly config: Config;
      readonly directory: string;
      readonly files: readonly string[];
      /** `true` if some exploration files of the directory are left out, because they have not changed since their last result. */
      readonly isPart?: boolean | undefined;
      readonly stored: StoredRun | undefined;
      readonly options: RunOptions;
    }
  | {
      readonly kind: "journeys";
      readonly config: Config;
      readonly journeys: readonly FoundJourney[];
      /** Files in the folder of journeys that cannot be used. Only set with `--all`. */
      readonly unusable: readonly UnusableFile[];
    };

/**
 * Returns the explorations or journeys that the user named on the command line. If both a directory and a journey have this name, the directory is
 * used.
 * @throws SeqqaError with exit status 2
 */
export async function runTarget(named: string | undefined, options: RunOptions, shell: Shell, machinery: Machinery): Promise<RunTarget> {
  refuseMisuse(named, options);
  const configOf = (directory: string, by: RunOptions = options, unfinished = false): Config =>
    configFor(shell, {
      directory,
      file: by.config,
      flags: flagsOf(by),
      noInfra: by.infra === false,
      allowedStores: by.allowDb,
      unfinished,
    });
  if (options.all === true) return everyJourney(configOf("."), options, shell, machinery);
  if (named === undefined) throw await nothingNamed(shell, machinery, options.config);
  const path = resolve(shell.cwd, named);
  if (existsSync(path) && statSync(path).isDirectory()) {
    const files = await findExplorations(named, shell, machinery.discover);
    if (options.resume === undefined) {
      const config = configOf(named);
      if (options.config === undefined) tellNearer(config, files, shell);
      return { kind: "explorations", config, directory: path, files, stored: undefined, options };
    }
    // The flags of the first session are not known yet, so the configuration may be incomplete. It is checked for contradictions later.
    const stored = storedRun(configOf(named, options, true), options.resume);
    tellSkipped(shell, stored.skipped);
    const whole = optionsBefore(stored, options, shell.env);
    const config = saidAgain(stored.id, () => configOf(named, whole));
    return { kind: "explorations", config, directory: path, files, stored, options: whole };
  }
  if (isExplorationFile(named)) throw await fileIsNoDirectory(named, shell, machinery);
  const config = configOf(".");
  const found = await machinery.findJourneys(config);
  const journey = found.journeys.find(({ name }) => name === named);
  if (journey === undefined) throw journeyNotFound(named, found, config, shell);
  refuseForJourneys(options);
  if (options.only !== undefined && !named.includes(options.only)) throw noneContains(options.only);
  return { kind: "journeys", config, journeys: [journey], unusable: [] };
}

/**
 * Prints a note if another configuration file is nearer to an exploration than the loaded file. This happens if a folder contains several services.
 */
function tellNearer({ file }: Config, files: readonly string[], { stderr, cwd }: Shell): void {
  for (const one of files) {
    const nearer = nearestFile(one, cwd);
    if (nearer === undefined || nearer === file) continue;
    const [exploration, near, used] = [one, nearer, file ?? ""].map((path) => printable(shownPath(path, cwd)));
    const folder = shellWord(printable(shownPath(dirname(nearer), cwd)));
    stderr.write(
      `note: ${exploration} uses ${file === undefined ? "no configuration" : `the configuration ${used}`}, although ${near} is nearer. To use it, type: seqqa run ${folder}\n`,
    );
    return;
  }
}

/** Runs `work`. If `work` throws because a store is not allowed, adds the hint that --allow-db must be given again to resume a run. */
function saidAgain<T>(id: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof SeqqaError) || cause.code !== "STORE_NOT_ALLOWED") throw cause;
    const { code, message, hint, exitStatus } = cause;
    throw new SeqqaError(code, message, {
      hint: `${hint} Give --allow-db each time, because run ${id} does not store this option.`,
      exitStatus,
      cause,
    });
  }
}

/**
 * Returns the stored run that `--resume` names, or the last run.
 * @throws SeqqaError with exit status 2 if there is no run, or if it cannot be resumed
 */
function storedRun({ report }: Config, resume: string | true): StoredRun {
  if (report.formats.length === 0)
    throw usage(
      "seqqa cannot resume a run, because no runs are stored if report.formats is empty.",
      "Add a format to report.formats, such as html, and run without --resume first.",
    );
  const stored = readStoredRun(report.outputDir, resume === true ? undefined : resume);
  if (stored.hasJourneys)
    throw usage(
      `Run ${stored.id} executed journeys, but seqqa can only resume explorations.`,
      "Give the id of another run after --resume.",
    );
  return stored;
}

async function everyJourney(config: Config, options: RunOptions, shell: Shell, machinery: Machinery): Promise<RunTarget> {
  refuseForJourneys(options);
  const found = await machinery.findJourneys(config);
  const { only } = options;
  if (found.journeys.length === 0 && found.unusable.length === 0) throw journeyNotFound(undefined, found, config, shell);
  if (only === undefined) return { kind: "journeys", config, ...found };
  const journeys = found.journeys.filter(({ name }) => name.includes(only));
  // The name of a journey that cannot be loaded is unknown, so the name of its file decides.
  const unusable = found.unusable.filter(({ file }) => basename(file).includes(only));
  if (journeys.length === 0 && unusable.length === 0) throw noneContains(only);
  return { kind: "journeys", config, journeys, unusable };
}

function noneContains(only: string): Error {
  return usage(`--only found no journey with ${JSON.stringify(only)} in its name.`, "seqqa list shows the names of all journeys.");
}
