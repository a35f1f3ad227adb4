import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import type { Config } from "../../config/index.ts";
import { printable } from "../../reports/index.ts";
import { keepStrength, readStates, readStoredRun, runIds, type StatesOfRun } from "../../run-log/index.ts";
import type { ActionWalk } from "../../run/index.ts";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { measureStrength, strengthLines, type Strength } from "../../strength/index.ts";
import { configFor } from "../arguments/config-for.ts";
import { explorationPath, type RunPlace } from "../arguments/exploration-path.ts";
import { isExplorationFile } from "../arguments/find-explorations.ts";
import { statesNamed } from "../arguments/states-named.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { handsOn, laneFlags, type LaneFlags } from "../run/hands-on.ts";
import type { Machinery } from "../run/machinery.ts";
import { loadFormats, tellSkipped, writeReports } from "../run/report-files.ts";

export interface StrengthOptions extends LaneFlags {
  readonly run?: string;
  readonly maxTime?: string;
  readonly json?: boolean;
  readonly output?: string;
}

/** The default time limit of `seqqa strength` in seconds. `exploration.max_time` and `--max-time` override it. */
const MAX_TIME = 300;

/** Runs `seqqa strength`: corrupts rows of explored states on a separate lane, and shows which corruptions no rule detects. */
export async function strengthCommand(
  named: string | undefined,
  options: StrengthOptions,
  shell: Shell,
  machinery: Machinery,
): Promise<ExitStatus> {
  const config = configFor(shell, { directory: ".", ...laneFlags(options, flagsOf(options)) });
  const { id, explorations, folder, skipped } = readStates(config.report.outputDir, options.run, false);
  tellSkipped(shell, skipped);
  const [of, ...others] = statesNamed(named, id, explorations, { folder, outputDir: config.report.outputDir, cwd: shell.cwd });
  if (others.length > 0) {
    throw usage(
      `The run has ${others.length + 1} explorations, but seqqa strength measures only one at a time.`,
      `Give the name of one exploration, for example: seqqa strength ${printable(of.name)}`,
    );
  }
  return withStrength(of, { config, run: id, folder, options, shell, machinery }, (strength) => {
    const text =
      options.json === true
        ? JSON.stringify({ run: id, name: of.name, ...strength }, null, 2)
        : strengthLines(of.name, strength).map(printable).join("\n");
    shell.stdout.write(`${text}\n`);
  });
}

/** The report formats that show which corruptions the rules detected. */
const SHOWING: ReadonlySet<string> = new Set(["html", "json"]);

/**
 * Returns `true` if a file exists and contains the id of a run. Call this function only for the last run, because a report also contains the id of
 * the previous run.
 */
function isReportOf(run: string, file: string): boolean {
  return existsSync(file) && readFileSync(file).includes(run);
}

/**
 * Stores a measurement in the measured run. If this run is the last run, also writes its reports again. A measurement that tried no corruption does
 * not replace an earlier measurement.
 */
async function keep(of: StatesOfRun, strength: Strength, { config, run, shell, machinery }: Measuring): Promise<void> {
  if (strength.tried === 0) return;
  const { outputDir, formats } = config.report;
  try {
    keepStrength(outputDir, run, of, strength);
    if (runIds(outputDir).at(-1) !== run) return;
    const place = { key: "report.formats", folder: config.folder, machinery };
    const shown = await loadFormats(
      formats.filter((name) => SHOWING.has(name)),
      place,
    );
    writeReports(
      config,
      // The file may be another run's report, which `seqqa report --run` wrote.
      shown.filter(({ file }) => isReportOf(run, join(outputDir, file))),
      run,
    );
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    shell.stderr.write(`note: seqqa did not store the measurement for reports: ${printable(why)}\n`);
  }
}

export function flagsOf({ output, maxTime }: Pick<StrengthOptions, "output" | "maxTime">): NonNullable<Parameters<typeof laneFlags>[1]> {
  return [
    ...(output === undefined ? [] : [{ key: "report.output_dir", flag: "--output", value: output }]),
    ...(maxTime === undefined ? [] : [{ key: "exploration.max_time", flag: "--max-time", value: maxTime }]),
  ];
}

export interface Measuring {
  readonly config: Config;
  readonly run: string;
  readonly folder: RunPlace["folder"];
  readonly options: LaneFlags;
  readonly shell: Shell;
  readonly machinery: Machinery;
}

/**
 * Measures how many corrupted rows the rules of an exploration detect.
 * @throws SeqqaError with exit status 2 if the stores of the lane are not copies
 */
export async function withStrength(of: StatesOfRun, measuring: Measuring, work: (strength: Strength) => void): Promise<ExitStatus> {
  // Refuse before a lane is opened: a lane for a target that already runs would first install triggers in the user's own stores.
  if (measuring.config.target === undefined) throw needsCopy();
  return onLaneOf(of, measuring, async (walk) => {
    if (!walk.isIsolated) throw needsCopy();
    const strength = await measureStrength(of, walk, timeLimit(measuring.config));
    work(strength);
    await keep(of, strength, measuring);
  });
}

function needsCopy(): SeqqaError {
  return new SeqqaError(
    "STRENGTH_NEEDS_COPY",
    "seqqa strength changes rows only in copies of stores, but this target uses your own stores.",
    {
      exitStatus: 2,
      hint: "Let seqqa start the target on copies of the stores: set target.command with {db_path} or {url:name} in seqqa.yaml.",
    },
  );
}

/** Returns a function that returns `true` once the time limit of the command has passed. The time starts with this call. */
export function timeLimit(config: Config): () => boolean {
  const end = performance.now() + (config.exploration.maxTime ?? MAX_TIME) * 1000;
  return () => performance.now() > end;
}

/** Executes actions of a stored exploration on a separate lane. States get the same ids as in the stored run. */
export async function onLaneOf(
  of: StatesOfRun,
  { config, run, folder, options, shell, machinery }: Measuring,
  work: (walk: ActionWalk) => Promise<void>,
): Promise<ExitStatus> {
  // Load only exploration files here. The run log may come from another person and could name any other module.
  if (!isExplorationFile(of.file)) {
    throw usage(
      `seqqa does not load ${printable(of.file)}, which the run names as its exploration: the name does not end in .explore.ts, .mts, .js or .mjs.`,
      "Choose another run with --run <id>, or run the exploration again.",
    );
  }
  const stored = readStoredRun(config.report.outputDir, run).explorations.find(({ name, file }) => name === of.name && file === of.file);
  const hands = { shell, machinery, verbose: options.verbose === true, inspect: false };
  const entry = explorationPath(of.file, { folder, outputDir: config.report.outputDir, cwd: shell.cwd });
  const input = { entry, config, seed: stored?.seed, known: stored?.beginning, actions: of.actions };
  return handsOn(input, hands, async (walk) => {
    await work(walk);
    return 0;
  });
}
