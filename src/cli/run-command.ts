import { isAbsolute, relative } from "node:path";
import { ConsoleReporter, inertOutput, JsonReporter, onGithub, type Reporter, type ReporterOptions } from "../reports/index.ts";
import type { ExitStatus } from "./exit-status.ts";
import { interruptible } from "./interruptible.ts";
import { Known } from "./known.ts";
import type { Machinery } from "./machinery.ts";
import { prepareReports } from "./report-files.ts";
import { Run } from "./run.ts";
import type { RunOptions } from "./run-options.ts";
import { runTarget, type RunTarget } from "./run-target.ts";
import type { Shell } from "./shell.ts";

/** `seqqa run`: everything that can be wrong with what the user typed or wrote is said before anything is sent. */
export async function runCommand(
  named: string | undefined,
  options: RunOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  const target = await runTarget(named, options, shell, machinery);
  const { config } = target;
  const known = target.kind === "explorations" ? Known.read(config, options.updateKnown === true, shell.cwd) : undefined;
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
    const { only } = options;
    const run = new Run({ config, shell, machinery, reporter, verbose, only, signal, known, version });
    await run.withServices(async () => {
      if (target.kind === "journeys") await run.journeys(target, options.bail === true);
      else for (const file of target.files) if (!run.isOver) await run.explore(file);
    });
    return await run.end(target.kind === "explorations" && only === undefined && coversConfig(target));
  });
}

/** Everything that the configuration is for lies in the directory that was named. */
function coversConfig({ directory, config }: RunTarget & { readonly kind: "explorations" }): boolean {
  const inside = relative(directory, config.folder);
  return !inside.startsWith("..") && !isAbsolute(inside);
}

function reporterFor(name: "console" | "json", options: ReporterOptions): Reporter {
  const { stdout, stderr } = options;
  const inert = onGithub(options.env)
    ? { ...options, stdout: inertOutput(stdout, name === "json" ? "json" : "text"), stderr: inertOutput(stderr, "text") }
    : options;
  return name === "json" ? new JsonReporter(inert) : new ConsoleReporter(inert);
}
