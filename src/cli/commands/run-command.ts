import { isAbsolute, relative } from "node:path";
import { ConsoleReporter, inertOutput, JsonReporter, onGithub, type Reporter, type ReporterOptions } from "../../reports/index.ts";
import { readRun } from "../../run-log/index.ts";
import type { ExitStatus } from "../process/exit-status.ts";
import { flagRows } from "../arguments/resumed-flags.ts";
import { interruptible } from "../process/interruptible.ts";
import { Known } from "../run/known.ts";
import type { Machinery } from "../run/machinery.ts";
import { prepareReports } from "../run/report-files.ts";
import { Run, type ResumedRun } from "../run/run.ts";
import type { RunOptions } from "../arguments/run-options.ts";
import { runTarget, type RunTarget } from "../run/run-target.ts";
import { takeSecret } from "../arguments/cluster-secret.ts";
import type { Shell } from "../process/shell.ts";
import { shownPath } from "../process/shown-path.ts";

/** `seqqa run`: reports everything that is wrong with the user's input before anything is sent. */
export async function runCommand(
  named: string | undefined,
  given: RunOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  const target = await runTarget(named, given, shell, machinery);
  const { config } = target;
  const options = target.kind === "explorations" ? target.options : given;
  const secret = options.distributed === undefined ? undefined : takeSecret("--distributed", shell);
  const known = target.kind === "explorations" ? Known.read(config, options.updateKnown === true, shell.cwd) : undefined;
  const resumed = await resumedRun(target, options, known?.ids, { shell, machinery, version });
  prepareReports(config);
  const verbose = options.verbose === true;
  const reporter = reporterFor(options.reporter ?? "console", {
    stdout: shell.stdout,
    stderr: shell.stderr,
    env: shell.env,
    verbose,
    visibility: config.report,
  });
  return await interruptible(shell, reporter, async (signal) => {
    const { only, distributed: url, shard } = options;
    const onNote = (message: string): void => reporter.message(message);
    const distribution =
      target.kind === "explorations" && url !== undefined
        ? await machinery.distribute({ config, url, secret: secret!, version, directory: target.directory, onNote })
        : undefined;
    try {
      const flags = flagRows(options);
      const parts = { config, shell, machinery, reporter, verbose, only, signal, known, version, resumed, shard, distribution, flags };
      const run = new Run(parts);
      await run.withServices(async () => {
        if (target.kind === "journeys") await run.journeys(target, options.bail === true);
        else for (const file of target.files) if (!run.isOver) await run.explore(file);
      });
      await distribution?.close();
      return await run.end(target.kind === "explorations" && only === undefined && coversConfig(target));
    } finally {
      await distribution?.close();
    }
  });
}

/** Returns the run to be resumed, if there is one. @throws SeqqaError if it cannot be resumed */
async function resumedRun(
  target: RunTarget,
  options: RunOptions,
  known: ReadonlySet<string> | undefined,
  { shell, machinery, version }: { readonly shell: Shell; readonly machinery: Machinery; readonly version: string },
): Promise<ResumedRun | undefined> {
  if (target.kind === "journeys" || target.stored === undefined) return undefined;
  const { stored, config } = target;
  const files = new Map(target.files.map((path) => [shownPath(path, shell.cwd), path]));
  const { shard, only, force = false } = options;
  const finished = await machinery.checkResumable({ stored, config, version, files, shard, only, known, force });
  const entries = finished.size === 0 ? [] : readRun(config.report.outputDir, stored.id).data.document.explorations;
  return { stored, finished: new Map(entries.filter(({ file }) => finished.has(file)).map((entry) => [entry.file, entry])) };
}

/** Returns `true` if the named directory contains the folder of the configuration, and so everything that the configuration is for. */
function coversConfig({ directory, config }: RunTarget & { readonly kind: "explorations" }): boolean {
  const inside = relative(directory, config.folder);
  return !inside.startsWith("..") && !isAbsolute(inside);
}

export function reporterFor(name: "console" | "json", options: ReporterOptions): Reporter {
  const { stdout, stderr } = options;
  const inert = onGithub(options.env)
    ? { ...options, stdout: inertOutput(stdout, name === "json" ? "json" : "text"), stderr: inertOutput(stderr, "text") }
    : options;
  return name === "json" ? new JsonReporter(inert) : new ConsoleReporter(inert);
}
