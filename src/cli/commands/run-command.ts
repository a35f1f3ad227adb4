import { isAbsolute, relative } from "node:path";
import type { ExitStatus } from "../../run/session/exit-status.ts";
import { flagRows } from "../arguments/resumed-flags.ts";
import { interruptible } from "../process/interruptible.ts";
import { Known } from "../../run/session/known.ts";
import { resumedRun, type ResumedRun } from "../../run/session/resumed-run.ts";
import { nameOfFile } from "../arguments/find-explorations.ts";
import type { Machinery } from "../run/machinery.ts";
import type { Config } from "../../config/index.ts";
import { loadReporters } from "../run/load-reporters.ts";
import type { Reporters } from "../../reports/index.ts";
import { withPage } from "../run/ui-page.ts";
import { loadFormats, prepareReports } from "../run/report-files.ts";
import { beginRun, endRun } from "../run/terminal-run.ts";
import { usage, type RunOptions } from "../arguments/run-options.ts";
import { runTarget, type RunTarget } from "../run/run-target.ts";
import { takeSecret } from "../arguments/cluster-secret.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";

/** Runs `seqqa run`. Errors in the user's files, options and configuration are reported before the first request is sent. */
export async function runCommand(
  named: string | undefined,
  given: RunOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  const find = (): Promise<RunTarget> => runTarget(named, given, shell, machinery);
  const run = (target: RunTarget, own: Shell, began?: (id: string) => void): Promise<ExitStatus> =>
    runFound(target, given, { shell: own, machinery, version, began });
  const target = await find();
  if (given.watch !== true || target.kind === "journeys") return run(target, shell);
  const again = async (): Promise<RunTarget & { kind: "explorations" }> => (await find()) as RunTarget & { kind: "explorations" };
  const { watchRuns } = await import("../watch/watch-runs.ts");
  return watchRuns({ shell, machinery, verbose: given.verbose === true, find: again, run });
}

interface Surroundings {
  readonly shell: Shell;
  readonly machinery: Machinery;
  readonly version: string;
  /** Called with the id of the run when the run begins. */
  readonly began?: ((id: string) => void) | undefined;
}

async function runFound(target: RunTarget, given: RunOptions, { shell, machinery, version, began }: Surroundings): Promise<ExitStatus> {
  const { config } = target;
  const options = target.kind === "explorations" ? target.options : given;
  if (options.distributed !== undefined && config.coverage?.code === true)
    throw usage(
      "coverage.code cannot be used with --distributed, because seqqa measures only targets on this machine.",
      "Run without --distributed, or set coverage.code to false.",
    );
  const secret = options.distributed === undefined ? undefined : takeSecret("--distributed", shell);
  const known = target.kind === "explorations" ? Known.read(config, options.updateKnown === true, shell.cwd) : undefined;
  const resumed = await namedRun(target, options, known?.ids, { shell, machinery, version });
  prepareReports(config);
  if (hasStoreModules(config)) await machinery.checkStoreModules(config);
  const operations = config.coverage?.openapi === undefined ? undefined : await machinery.readOperations(config);
  const verbose = options.verbose === true;
  const { stdout, stderr, env, cwd } = shell;
  const formats = await loadFormats(config.report.formats, { key: "report.formats", folder: config.folder, machinery });
  const told = await loadReporters(options.reporter, { stdout, stderr, env, verbose, visibility: config.report }, { cwd, machinery });
  const page = { isAsked: options.ui === true, given: options, port: options.port, config, shell, machinery };
  const explored = async (reporter: Reporters, signal: AbortSignal): Promise<ExitStatus> => {
    // Compare only with the value of `--max-steps`, because an agent's own `maxSteps` overrides all other values.
    if (options.maxSteps !== undefined && config.parallel > config.exploration.maxSteps) reporter.message(tooManyLanes(config));
    const { only, distributed: url, shard } = options;
    const onNote = (message: string): void => reporter.message(message);
    const distribution =
      target.kind === "explorations" && url !== undefined
        ? await machinery.distribute({ config, url, secret: secret!, version, directory: target.directory, onNote })
        : undefined;
    try {
      const parts = {
        config,
        shell,
        reporter,
        formats,
        verbose,
        signal,
        known,
        version,
        resumed,
        given: options,
        flags: flagRows(options),
        operations,
      };
      const session = beginRun(parts);
      began?.(session.id);
      const withServices = (work: () => Promise<void>): Promise<void> =>
        session.measured(machinery, () => session.withServices(machinery, work));
      if (target.kind === "journeys") await withServices(() => session.journeys(machinery, target, options.bail === true));
      else {
        await session.withLoadedFiles(machinery, target.files, (files) =>
          withServices(async () => {
            for (const file of files) {
              const request = { ...file, name: nameOfFile(file.entry), only, shard, distribution };
              if (!session.isOver) await session.exploreFile(machinery, request);
            }
          }),
        );
      }
      await distribution?.close();
      const whole = target.kind === "explorations" && only === undefined && target.isPart !== true && coversConfig(target);
      const isPart = target.kind === "explorations" && target.isPart === true;
      return await endRun(session, parts, { whole, only: isPart ? undefined : only });
    } finally {
      await distribution?.close();
    }
  };
  return withPage(page, told, (reporter) => interruptible(shell, reporter, (signal) => explored(reporter, signal)));
}

/** Returns a note for a run that has more lanes than steps, so that most of its time is spent on starting lanes. */
function tooManyLanes({ parallel, exploration: { maxSteps } }: Config): string {
  return `note: parallel is ${parallel}, but max_steps is only ${maxSteps}. seqqa starts all ${parallel} lanes before the first step, and most of them get no work. To start faster, type: --parallel ${maxSteps}`;
}

/** Returns `true` if a store uses an adapter module of the user. To check such a module, the engine must be loaded, which is slow. */
function hasStoreModules({ systems, lanes }: Config): boolean {
  return [systems, ...lanes.map((lane) => lane.systems)].some((one) => Object.values(one).some(({ adapter }) => adapter !== undefined));
}

/**
 * Returns the stored run that `--resume` names. Returns `undefined` without this option.
 * @throws SeqqaError if the run cannot be resumed
 */
async function namedRun(
  target: RunTarget,
  { shard, only, force = false }: RunOptions,
  known: ReadonlySet<string> | undefined,
  { shell, machinery, version }: { readonly shell: Shell; readonly machinery: Machinery; readonly version: string },
): Promise<ResumedRun | undefined> {
  if (target.kind === "journeys" || target.stored === undefined) return undefined;
  const { stored, config } = target;
  const files = new Map(target.files.map((path) => [shownPath(path, shell.cwd), path]));
  return resumedRun(machinery, { stored, config, version, files, shard, only, known, force });
}

/**
 * Returns `true` if the run covers all explorations of the configuration, because the user named the folder of the configuration or a folder above
 * it.
 */
function coversConfig({ directory, config }: RunTarget & { readonly kind: "explorations" }): boolean {
  const inside = relative(directory, config.folder);
  return !inside.startsWith("..") && !isAbsolute(inside);
}
