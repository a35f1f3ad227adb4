import { join, relative, sep } from "node:path";
import { withoutPasswords, type Config } from "../../config/index.ts";
import type { ExplorationEvent, TriedStep } from "../../engine/events.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";
import { shownPath } from "../../reports/console/text/shown-path.ts";
import {
  journeyJson,
  redactFailure,
  redactor,
  resultOfEntry,
  runDocument,
  statusOfResult,
  unverifiedIfCut,
  type Redactor,
  type ReportedExploration,
  type ReportedFailure,
  type ReportedJourney,
  type RunDocument,
  type RunReport,
  type SourcePlace,
  type WholeReporter,
} from "../../reports/index.ts";
import { newRunId, OWN_ONLY, RunLog, writeWhole, type ConfigRow, type ExplorationKeeper } from "../../run-log/index.ts";
import type { MeasuredCode } from "../coverage/code/code-coverage.ts";
import type { CountedDescription } from "../coverage/read-operations.ts";
import type { ExploreFileRequest } from "../prepare/explore-request.ts";
import type { FoundJourneys, JourneyEvent } from "../journeys/journey-run.ts";
import { statusOfError, statusOfJourney, worst, type ExitStatus } from "./exit-status.ts";
import { hearSignals } from "./hear-signals.ts";
import { marked, type Known } from "./known.ts";
import type { ResumedRun } from "./resumed-run.ts";
import type { RunEngine } from "./run-engine.ts";

/** The input of a run, which comes from the command line or from `explore()` with the option `resume`. */
export interface SessionInput {
  readonly config: Config;
  readonly version: string;
  /** Aborting the signal interrupts the run. */
  readonly signal: AbortSignal;
  /** Paths are shown relative to this folder. */
  readonly cwd: string;
  /** Receives the events of the run, except the event `ended`. */
  readonly reporter: Omit<WholeReporter, "ended">;
  /** Called for every error that makes the run fail. */
  readonly onError: (error: unknown) => void;
  /** `false` if the run has no run log. */
  readonly isKept: boolean;
  /** Returns the error for a file that cannot be written. */
  readonly cannotWrite: (path: string, cause: unknown, exitStatus: 2 | 3) => SeqqaError;
  /** Writes the reports from the finished run log, and returns their paths. Default: no reports are written. */
  readonly writeReports?: (id: string) => readonly string[];
  /** The place of the user's code (editor, GitHub repository), for links in reports. Default: no links. */
  readonly source?: SourcePlace | undefined;
  /** The command-line flags with which commands find this run; see `commandFlags` of {@link RunDocument}. Default: none. */
  readonly commandFlags?: string | undefined;
  /** The operations of the OpenAPI description, if they are counted. */
  readonly operations?: CountedDescription | undefined;
  readonly known?: Known | undefined;
  readonly resumed?: ResumedRun | undefined;
  /** The command-line flags that are stored, so that a resumed run uses them too. */
  readonly flags?: readonly ConfigRow[] | undefined;
}

/** An exploration whose result is merged from several runs. */
export interface MergedExploration {
  readonly file: string;
  readonly name: string;
  readonly merge: (keep: ExplorationKeeper | undefined) => ExplorationResult;
}

export interface NamedResult {
  readonly name: string;
  readonly result: ExplorationResult;
}

/** Codes of errors that say that an option of the command line cannot be used, such as --parallel with a target that already runs. */
const OF_OPTIONS: ReadonlySet<string> = new Set(["USAGE", "SHARD_IMPOSSIBLE", "LANES_IMPOSSIBLE"]);

/** One run: its explorations or journeys, its run log and its exit status. */
export class RunSession {
  readonly #input: SessionInput;
  readonly #startedAt: Date;
  readonly #id: string;
  /** The run log; `undefined` if the run has none. */
  #store: RunLog | undefined;
  readonly #explorations: ReportedExploration[] = [];
  readonly #journeys: ReportedJourney[] = [];
  readonly #failures: ReportedFailure[] = [];
  readonly #statuses: ExitStatus[] = [];
  readonly #hide: Redactor;
  /** The number of unfinished explorations of the resumed run that --only leaves out. */
  #leftOut = 0;
  #lostService = false;
  /** The folder to which targets write the coverage of their code. `undefined` if coverage is not measured. */
  #coverageFolder: string | undefined;
  #code: MeasuredCode | undefined;
  /** `true` if this session found something that makes the run fail. Findings of earlier sessions of a resumed run do not count. */
  #foundHere = false;

  /**
   * Creates or resumes the run log.
   * @throws SeqqaError `RUN_GOES_ON` with exit status 2, or the error of `cannotWrite` if the run log cannot be created
   */
  constructor(input: SessionInput) {
    this.#input = input;
    const { config, resumed, flags } = input;
    this.#hide = redactor(config.report.redact);
    this.#startedAt = resumed?.stored.startedAt ?? new Date();
    this.#id = resumed?.stored.id ?? newRunId(this.#startedAt);
    if (!input.isKept) return;
    try {
      // Store exit status 130 (interrupted) at the start. If the process is killed, the run log then shows an interrupted run.
      this.#store = new RunLog(config, this.#documentOf({ exitStatus: 130, known: undefined }), this.#hide, resumed !== undefined, flags);
    } catch (cause) {
      if (cause instanceof SeqqaError) throw cause;
      throw input.cannotWrite(config.report.outputDir, cause, 2);
    }
  }

  get id(): string {
    return this.#id;
  }

  get isOver(): boolean {
    const { config, signal } = this.#input;
    return signal.aborted || this.#lostService || (config.exploration.stopOnFirstViolation && this.#foundHere);
  }

  /** `true` if the run contains no exploration, no journey and no failure. Unfinished explorations that --only leaves out do not count. */
  get isEmpty(): boolean {
    return this.#explorations.length - this.#leftOut + this.#journeys.length + this.#failures.length === 0;
  }

  /** `true` if the run executed nothing, because an option cannot be used with any of its explorations. */
  get isRefused(): boolean {
    if (this.#explorations.length + this.#journeys.length > 0 || this.#input.resumed !== undefined) return false;
    return this.#failures.length > 0 && this.#failures.every(({ code }) => OF_OPTIONS.has(code));
  }

  /** The exit status that the run would have if it ended now. */
  get status(): ExitStatus {
    return worst(this.#statuses);
  }

  /** Returns the data of the run as one object, for writers that do not read the run log, such as CI reporters. */
  documentOf(report: RunReport): RunDocument {
    return runDocument(report, this.#input.config.report, this.#hide);
  }

  /**
   * Runs `work` while services are up. If a service does not start, or ends while `work` runs, the run fails and no further exploration is started.
   */
  async withServices({ withServices }: Pick<RunEngine, "withServices">, work: () => Promise<void>): Promise<void> {
    const { config, signal } = this.#input;
    const onProblem = (error: unknown): void => {
      this.#lostService = true;
      this.fail(error, config.file ?? join(config.folder, "seqqa.yaml"));
    };
    await withServices(config, { signal, onProblem }, work).catch(onProblem);
  }

  /** Does the work of the run, and measures the coverage of the targets' code if the configuration asks for it. */
  async measured({ withCodeCoverage }: Pick<RunEngine, "withCodeCoverage">, work: () => Promise<void>): Promise<void> {
    const { config, cwd } = this.#input;
    if (config.coverage?.code !== true) return work();
    let isDone = false;
    try {
      this.#code = await withCodeCoverage(config, cwd, async (folder) => {
        this.#coverageFolder = folder;
        await work();
        isDone = true;
      });
    } catch (error) {
      if (!isDone) throw error;
      // Only the measurement of the coverage failed. Record this error without throwing it, so that the results of the work are still reported.
      this.attempt(() => {
        throw error;
      });
    }
  }

  /**
   * Loads all exploration files, records the failures of those that do not load, and calls `work` with the loaded files. If no file could be loaded,
   * `work` is not called.
   */
  async withLoadedFiles(
    { withLoadedFiles }: Pick<RunEngine, "withLoadedFiles">,
    files: readonly string[],
    work: (usable: readonly Pick<ExploreFileRequest, "entry" | "loaded">[]) => Promise<void>,
  ): Promise<void> {
    await withLoadedFiles(files, async (loaded) => {
      const usable: Pick<ExploreFileRequest, "entry" | "loaded">[] = [];
      for (const entry of files) {
        const one = loaded.get(entry);
        if (one !== undefined && "error" in one) this.fail(one.error, entry);
        else usable.push({ entry, loaded: one });
      }
      if (usable.length > 0) await work(usable);
    });
  }

  /**
   * Explores a file. A failure is recorded as a failure of the run.
   * @param request The parts of the request that the session does not set itself.
   */
  async exploreFile(
    { exploreFile }: Pick<RunEngine, "exploreFile">,
    request: Pick<ExploreFileRequest, "entry" | "loaded" | "name" | "only" | "shard" | "distribution">,
  ): Promise<void> {
    const { config, reporter, signal, known, operations } = this.#input;
    const coverageFolder = this.#coverageFolder;
    const path = request.entry;
    if (this.#takeOver(this.#shown(path))) return;
    let { name } = request;
    const onEvent = (event: ExplorationEvent): void => {
      if (event.kind === "started") ({ name } = event);
      reporter.event(name, event.kind === "started" ? { ...event, file: this.#shown(path) } : event);
    };
    const onStep = reporter.tried && ((step: TriedStep): void => reporter.tried!(name, step));
    try {
      const taken = await this.record(path, async (keep) => {
        const result = await exploreFile({
          ...request,
          config,
          signal,
          onEvent,
          onStep,
          known: known?.ids,
          keep,
          operations,
          coverageFolder,
        });
        return result === undefined ? undefined : { name, result };
      });
      if (taken === undefined) this.#keepFailures(this.#shown(path));
      this.#foundHere ||= taken !== undefined && this.#statuses.at(-1) === 1;
    } catch (error) {
      this.fail(error, path);
    }
  }

  /**
   * Calls `work`, which explores with a run log, and records the result.
   * @returns `undefined` if the exploration was left out
   * @throws errors of `work`; the stored part of the exploration can be resumed
   */
  async record(
    path: string,
    work: (keep: ExplorationKeeper | undefined) => Promise<NamedResult | undefined>,
  ): Promise<ExplorationResult | undefined> {
    const file = this.#shown(path);
    const keep = this.#keeperOf(file);
    try {
      const found = await work(keep);
      return found === undefined ? undefined : this.#ended(file, found, keep);
    } catch (error) {
      keep?.failed();
      throw error;
    }
  }

  /** Records the merged result of an exploration. */
  merged({ file, name, merge }: MergedExploration): void {
    const keep = this.#store?.exploration(file);
    try {
      this.#ended(file, { name, result: merge(keep) }, keep);
    } catch (error) {
      keep?.failed();
      this.fail(error, file);
    }
  }

  async journeys({ runJourneys }: Pick<RunEngine, "runJourneys">, { journeys, unusable }: FoundJourneys, bail: boolean): Promise<void> {
    const { config, reporter, signal } = this.#input;
    for (const { file, error } of unusable) this.fail(error, file);
    if (bail && unusable.length > 0) return;
    const told = new Map<string, JourneyResult>();
    const onEvent = (event: JourneyEvent): void => {
      if (event.kind === "journey_started") return reporter.step(event.name, null);
      if (event.kind === "step_ended") return reporter.step(event.name, event.step);
      told.set(event.name, event.result);
      const file = this.#shown(journeys.find(({ name }) => name === event.name)?.file ?? "");
      this.#store?.journey(journeyJson({ name: event.name, file, result: event.result, notes: [] }, config.report, this.#hide));
      reporter.journeyEnded(event.name, event.result);
    };
    try {
      const runs = await runJourneys({ journeys, config, bail, signal, onEvent, coverageFolder: this.#coverageFolder });
      for (const { file, ...run } of runs) this.#ran({ ...run, name: run.result.name }, file);
    } catch (error) {
      // The run failed. Report the journeys that ended before the error.
      for (const { name, file } of journeys) {
        const result = told.get(name);
        if (result !== undefined) this.#ran({ name, result, notes: [] }, file);
      }
      this.fail(error, journeys.length === 1 ? journeys[0]!.file : join(config.folder, "journeys"));
    }
    this.#store?.journeys(this.#journeys.map((journey) => journeyJson(journey, config.report, this.#hide)));
  }

  /** Records that a file could not be explored or run, unless the cause is an interruption. */
  fail(thrown: unknown, path: string): void {
    const { signal, config, cwd, reporter, onError } = this.#input;
    if (signal.aborted && (thrown as Error | undefined)?.name === "AbortError") return;
    const file = this.#shown(path);
    const error = naming(file, path, cwd, thrown);
    const isKnown = error instanceof SeqqaError;
    const message = withoutPasswords(error instanceof Error ? error.message : String(error));
    const hint = isKnown && error.hint !== undefined ? withoutPasswords(error.hint) : undefined;
    const failure = { file, code: isKnown ? error.code : "INTERNAL", message, hint };
    // A target that does not start fails in the same way for each exploration. Its output is printed only once.
    const same = this.#failures.find((one) => one.message === message && one.code === failure.code);
    this.#failures.push(failure);
    this.#store?.failure(redactFailure(failure, config.report, this.#hide));
    this.#statuses.push(statusOfError(error));
    if (same === undefined) onError(error);
    else reporter.message(`error: ${file}: the same error as in ${same.file}.`);
  }

  /** Returns the result of `work`. If `work` throws, records a failure of the run and returns `undefined`. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#input.onError(error);
      this.#statuses.push(statusOfError(error));
      return undefined;
    }
  }

  /** Deletes the run log. No reports are written then, so the files of the last run stay as they are. */
  discard(): void {
    this.#store?.discard();
    this.#store = undefined;
  }

  /** Completes the run log, writes the reports, and returns the run's report. @param whole `true` if no exploration or journey was left out */
  async end(whole: boolean): Promise<RunReport> {
    const { signal, known } = this.#input;
    if (signal.aborted) this.#statuses.push(130);
    const extent = { whole: whole && this.#failures.length === 0 && !this.isOver, interrupted: signal.aborted };
    const listed = this.attempt(() => known?.conclude(this.#explorations, extent));
    const report = this.#reportOf({ exitStatus: this.status, known: listed });
    const written = this.attempt(() => this.#write(report));
    // Let signals that arrived during the synchronous write be delivered. If the run was interrupted meanwhile, write the reports again.
    await hearSignals();
    if (signal.aborted && !this.#statuses.includes(130)) {
      this.#statuses.push(130);
      if (written !== undefined) this.attempt(() => this.#writeAgain({ ...report, exitStatus: 130 }));
    }
    return { ...report, exitStatus: this.status, files: (written ?? []).map((file) => this.#shown(file)) };
  }

  #shown(path: string): string {
    return shownPath(path, this.#input.cwd);
  }

  /**
   * Reports the stored result of an exploration that the resumed run does not continue. The findings of such a result do not stop the run again, even
   * if `stop_on_first_violation` is set.
   */
  #takeOver(file: string): boolean {
    const { resumed, reporter, known, config } = this.#input;
    const kept = resumed?.kept.get(file);
    const stored = resumed?.stored.explorations.find((one) => one.file === file);
    if (kept === undefined || stored === undefined) return false;
    const { reason, entry } = kept;
    if (entry === undefined) {
      this.#keepFailures(file);
      return true;
    }
    const { name, stopReason, steps } = entry;
    const why =
      reason === "over"
        ? `The exploration ${name} had already ended (${stopReason}) after ${steps} steps. seqqa keeps its result.`
        : `The exploration ${name} does not continue, because --only leaves it out. seqqa keeps its result of ${steps} steps.`;
    reporter.message(why);
    const found = resultOfEntry(entry);
    const result = unverifiedIfCut(marked(found, known), config.failOnSeverity);
    if (result !== found || stored.outcome !== "ended") this.#store?.explorationTaken(stored).ended(name, result);
    if (reason === "left_out") this.#leftOut++;
    if (result.stopReason !== "interrupted") {
      this.#takeIn({ name, file, result }, statusOfResult(result, config.failOnSeverity));
      return true;
    }
    const unverified = [...result.unverified, "The exploration was interrupted, and --only leaves it out."];
    // The earlier session was interrupted, but the present session is not, so the exit status is not 130.
    const status = statusOfResult({ ...result, unverified, stopReason: "max_time" }, config.failOnSeverity);
    this.#takeIn({ name, file, result: { ...result, unverified } }, status);
    return true;
  }

  /** Records the failures of an earlier session of the run again, for a file that --only leaves out. */
  #keepFailures(file: string): void {
    for (const { error } of this.#input.resumed?.failures.filter((failure) => failure.file === file) ?? []) {
      this.#input.reporter.message(`${file} had failed. --only leaves it out, so it still counts as failed.`);
      this.fail(error, file);
      this.#leftOut++;
    }
  }

  #keeperOf(file: string): ExplorationKeeper | undefined {
    const { resumed, reporter } = this.#input;
    const stored = resumed?.stored.explorations.find((one) => one.file === file);
    if (stored?.beginning === undefined) return this.#store?.exploration(file);
    reporter.message(
      `The exploration ${stored.name} continues after ${stored.steps} steps and ${stored.states} states of the earlier run.`,
    );
    return this.#store?.explorationAgain(stored, stored.beginning);
  }

  #ended(file: string, { name, result: found }: NamedResult, keep: ExplorationKeeper | undefined): ExplorationResult {
    const result = unverifiedIfCut(marked(found, this.#input.known), this.#input.config.failOnSeverity);
    keep?.ended(name, result);
    this.#takeIn({ name, file, result }, statusOfResult(result, this.#input.config.failOnSeverity));
    return result;
  }

  #takeIn(explored: ReportedExploration, status: ExitStatus): void {
    this.#explorations.push(explored);
    this.#statuses.push(status);
    this.#input.reporter.explored(explored);
  }

  #ran(run: Omit<ReportedJourney, "file">, path: string): void {
    const journey = { ...run, file: this.#shown(path) };
    this.#journeys.push(journey);
    this.#statuses.push(statusOfJourney(journey));
    this.#input.reporter.journeyDone(journey);
  }

  /**
   * Completes the run log, and writes the reports from the run log, as a later `seqqa report` does.
   * @returns the reports' paths; `undefined` without a run log
   */
  #write(report: RunReport): readonly string[] | undefined {
    const store = this.#store;
    if (store === undefined) return undefined;
    this.#writing(store.file, () => store.end(this.#documentOf(report)));
    const files = this.#input.writeReports?.(report.run) ?? [];
    const code = this.#code;
    if (code === undefined || this.#input.writeReports === undefined) return files;
    const lcov = join(this.#input.config.report.outputDir, "lcov.info");
    this.#writing(lcov, () => writeWhole(lcov, [code.lcov], OWN_ONLY));
    return [...files, lcov];
  }

  #writeAgain(report: RunReport): void {
    const store = this.#store;
    if (store === undefined) return;
    this.#writing(store.file, () => store.amend(this.#documentOf(report)));
    this.#input.writeReports?.(report.run);
  }

  #writing(file: string, work: () => void): void {
    try {
      work();
    } catch (cause) {
      throw cause instanceof SeqqaError ? cause : this.#input.cannotWrite(file, cause, 3);
    }
  }

  #reportOf(end: Pick<RunReport, "exitStatus" | "known">): RunReport {
    const { version, config, source, commandFlags, cwd } = this.#input;
    return {
      source,
      folder: relative(config.report.outputDir, cwd).replaceAll(sep, "/") || ".",
      commandFlags: commandFlags === "" ? undefined : commandFlags,
      version,
      run: this.#id,
      startedAt: this.#startedAt,
      failOnSeverity: config.failOnSeverity,
      explorations: this.#explorations,
      journeys: this.#journeys,
      failures: this.#failures,
      ...(this.#code !== undefined && { coverage: { code: this.#code.coverage } }),
      ...end,
    };
  }

  /** Returns the data of the run as one object, without the lists that have their own tables in the run log. */
  #documentOf(end: Pick<RunReport, "exitStatus" | "known">): RunDocument {
    return runDocument({ ...this.#reportOf(end), explorations: [], journeys: [], failures: [] }, this.#input.config.report);
  }
}

/** Adds the file name to a configuration error that does not mention it. */
function naming(file: string, path: string, cwd: string, error: unknown): unknown {
  if (!(error instanceof SeqqaError) || error.exitStatus !== 2) return error;
  const shown = error.message.replaceAll(path, shownPath(path, cwd));
  const message = shown.includes(file) ? shown : `${file}: ${shown}`;
  return message === error.message
    ? error
    : new SeqqaError(error.code, message, { hint: error.hint, exitStatus: error.exitStatus, cause: error });
}
