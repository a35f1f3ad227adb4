import { isAbsolute, relative, sep } from "node:path";
import { loadConfig, type Config } from "../config/index.ts";
import type { ExplorationEvent } from "../engine/events.ts";
import { SeqqaError } from "../model/errors.ts";
import {
  ConsoleReporter,
  JsonReporter,
  type ReportedExploration,
  type ReportedFailure,
  type Reporter,
  type ReporterOptions,
} from "../reports/index.ts";
import { errorText, statusOfError } from "./error-text.ts";
import { statusOfResult, worst, type ExitStatus } from "./exit-status.ts";
import { findExplorations, nameOfFile } from "./find-explorations.ts";
import type { Machinery } from "./machinery.ts";
import { prepareReports, writeReports } from "./report-files.ts";
import { flagsOf, type RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";

/** `seqqa run`: everything that can be wrong with what the user typed or wrote is said before anything is sent. */
export async function runCommand(
  directory: string | undefined,
  options: RunOptions,
  shell: Shell,
  machinery: Machinery,
  version: string,
): Promise<ExitStatus> {
  if (options.only?.trim() === "")
    throw new SeqqaError("USAGE", "--only is empty.", { exitStatus: 2, hint: "Give a part of an exploration's name." });
  const files = await findExplorations(directory, shell, machinery.discover);
  const config = loadConfig({
    directory,
    file: options.config,
    flags: flagsOf(options),
    env: shell.env,
    cwd: shell.cwd,
    noInfra: options.infra === false,
    allowedStores: options.allowDb,
  });
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
    const run = new Run({ config, shell, machinery, reporter, verbose, only: options.only, signal });
    for (const file of files) if (!run.isOver) await run.explore(file);
    return run.end(version);
  });
}

function reporterFor(name: "console" | "json", options: ReporterOptions): Reporter {
  return name === "json" ? new JsonReporter(options) : new ConsoleReporter(options);
}

/** The first signal ends the run in order, the second one at once. */
export async function interruptible<T>(
  shell: Shell,
  reporter: Pick<Reporter, "message">,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stopListening = shell.onInterrupt(() => {
    if (controller.signal.aborted) return shell.exit(130);
    reporter.message("Interrupted: finishing what is in progress; once more ends at once.");
    controller.abort();
  });
  try {
    return await work(controller.signal);
  } finally {
    stopListening();
  }
}

interface RunParts {
  readonly config: Config;
  readonly shell: Shell;
  readonly machinery: Machinery;
  readonly reporter: Reporter;
  readonly verbose: boolean;
  readonly only: string | undefined;
  readonly signal: AbortSignal;
}

/** One run: its files one after another, and what came of them. */
class Run {
  readonly #parts: RunParts;
  readonly #explorations: ReportedExploration[] = [];
  readonly #failures: ReportedFailure[] = [];
  readonly #statuses: ExitStatus[] = [];

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  get isOver(): boolean {
    const { config, signal } = this.#parts;
    return signal.aborted || (config.exploration.stopOnFirstViolation && this.#statuses.includes(1));
  }

  async explore(path: string): Promise<void> {
    const { config, machinery, reporter, only, signal, shell, verbose } = this.#parts;
    const file = shownPath(path, shell.cwd);
    let name = nameOfFile(path);
    const onEvent = (event: ExplorationEvent): void => {
      if (event.kind === "started") ({ name } = event);
      reporter.event(name, event);
    };
    try {
      const result = await machinery.exploreFile({ entry: path, config, name, signal, onEvent, ...(only === undefined ? {} : { only }) });
      if (result === undefined) return;
      const explored = { name, file, result };
      this.#explorations.push(explored);
      this.#statuses.push(statusOfResult(result, config.failOnSeverity));
      reporter.explored(explored);
    } catch (error) {
      this.#fail(naming(file, path, error), file, reporter, verbose);
    }
  }

  #fail(error: unknown, file: string, reporter: Reporter, verbose: boolean): void {
    if (this.#parts.signal.aborted && (error as Error | undefined)?.name === "AbortError") return;
    const known = error instanceof SeqqaError;
    const message = error instanceof Error ? error.message : String(error);
    this.#failures.push({ file, code: known ? error.code : "INTERNAL", message, hint: known ? error.hint : undefined });
    this.#statuses.push(statusOfError(error));
    reporter.message(errorText(error, verbose));
  }

  /** Reports and writes; the exit status of the run. */
  end(version: string): ExitStatus {
    const { config, only, reporter, signal, verbose } = this.#parts;
    if (this.#explorations.length === 0 && this.#failures.length === 0 && !signal.aborted) {
      throw new SeqqaError("USAGE", `No exploration's name contains ${JSON.stringify(only ?? "")}.`, {
        exitStatus: 2,
        hint: "Look at the names of the agents, or leave --only out.",
      });
    }
    if (signal.aborted) this.#statuses.push(130);
    const report = { version, explorations: this.#explorations, failures: this.#failures, exitStatus: worst(this.#statuses) };
    let exitStatus: ExitStatus = report.exitStatus;
    try {
      writeReports(config, report);
    } catch (error) {
      reporter.message(errorText(error, verbose));
      exitStatus = worst([exitStatus, statusOfError(error)]);
    }
    reporter.ended({ ...report, exitStatus });
    return exitStatus;
  }
}

/** An error of several files must say which one it is about. */
function naming(file: string, path: string, error: unknown): unknown {
  if (!(error instanceof SeqqaError) || error.exitStatus !== 2 || error.message.includes(file) || error.message.includes(path))
    return error;
  return new SeqqaError(error.code, `${file}: ${error.message}`, { hint: error.hint, exitStatus: error.exitStatus, cause: error });
}

function shownPath(path: string, cwd: string): string {
  const fromHere = relative(cwd, path);
  return (fromHere.startsWith("..") || isAbsolute(fromHere) ? path : fromHere).split(sep).join("/");
}
