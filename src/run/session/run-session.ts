import { join } from "node:path";
import { withoutPasswords, type Config } from "../../config/index.ts";
import type { ExplorationEvent, TriedStep } from "../../engine/events.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";
import { shownPath } from "../../reports/console/shown-path.ts";
import {
  journeyJson,
  redactFailure,
  redactor,
  resultOfEntry,
  runDocument,
  statusOfResult,
  type Redactor,
  type ReportedExploration,
  type ReportedFailure,
  type ReportedJourney,
  type RunDocument,
  type RunReport,
  type SourcePlace,
  type WholeReporter,
} from "../../reports/index.ts";
import { newRunId, RunLog, type ConfigRow, type ExplorationKeeper } from "../../run-log/index.ts";
import type { ExploreFileRequest } from "../prepare/explore-request.ts";
import type { FoundJourneys, JourneyEvent } from "../journeys/journey-run.ts";
import { statusOfError, statusOfJourney, worst, type ExitStatus } from "./exit-status.ts";
import { hearSignals } from "./hear-signals.ts";
import type { Known } from "./known.ts";
import type { ResumedRun } from "./resumed-run.ts";
import type { RunEngine } from "./run-engine.ts";

/** A run that begins: of the command line, or of `explore()` with `resume`. */
export interface SessionInput {
  readonly config: Config;
  /** The version of seqqa. */
  readonly version: string;
  /** Aborting it interrupts the run. */
  readonly signal: AbortSignal;
  /** The folder that files are shown relative to. */
  readonly cwd: string;
  /** Hears what happens. {@link RunSession.end} leaves its `ended` to the caller. */
  readonly reporter: Omit<WholeReporter, "ended">;
  /** Hears every error that makes the run fail. */
  readonly onError: (error: unknown) => void;
  /** `false`: the run has no run log. */
  readonly isKept: boolean;
  /** Returns the error for a file that cannot be written. */
  readonly cannotWrite: (path: string, cause: unknown, exitStatus: 2 | 3) => SeqqaError;
  /** Writes the reports of the run with this id, once its log has ended, and returns their paths. Default: none are written. */
  readonly writeReports?: (id: string) => readonly string[];
  /** Where the user's code is, for the links of reports. Default: there are none. */
  readonly source?: SourcePlace | undefined;
  /** The list of known findings, if there is one. */
  readonly known?: Known | undefined;
  readonly resumed?: ResumedRun | undefined;
  /** The flags of the command line, stored for resuming the run. */
  readonly flags?: readonly ConfigRow[] | undefined;
}

/** An exploration whose parts were made by several runs. */
export interface MergedExploration {
  readonly file: string;
  readonly name: string;
  readonly merge: (keep: ExplorationKeeper | undefined) => ExplorationResult;
}

/** The end of an exploration, with its name. */
export interface NamedResult {
  readonly name: string;
  readonly result: ExplorationResult;
}

/** One run: its explorations one after another, or its journeys, its run log and its exit status. */
export class RunSession {
  readonly #input: SessionInput;
  readonly #startedAt: Date;
  readonly #id: string;
  /** The log of the run while it is in progress. */
  readonly #store: RunLog | undefined;
  readonly #explorations: ReportedExploration[] = [];
  readonly #journeys: ReportedJourney[] = [];
  readonly #failures: ReportedFailure[] = [];
  readonly #statuses: ExitStatus[] = [];
  readonly #hide: Redactor;
  #lostService = false;
  /** A finding of this session fails the run. */
  #foundHere = false;

  /** @throws SeqqaError `RUN_GOES_ON` with exit status 2, and the error of `cannotWrite` if the run log cannot be made */
  constructor(input: SessionInput) {
    this.#input = input;
    const { config, resumed, flags } = input;
    this.#hide = redactor(config.report.redact);
    this.#startedAt = resumed?.stored.startedAt ?? new Date();
    this.#id = resumed?.stored.id ?? newRunId(this.#startedAt);
    if (!input.isKept) return;
    try {
      // Any end of the process from here on is an interruption.
      this.#store = new RunLog(config, this.#documentOf({ exitStatus: 130, known: undefined }), this.#hide, resumed !== undefined, flags);
    } catch (cause) {
      if (cause instanceof SeqqaError) throw cause;
      throw input.cannotWrite(config.report.outputDir, cause, 2);
    }
  }

  get isOver(): boolean {
    const { config, signal } = this.#input;
    return signal.aborted || this.#lostService || (config.exploration.stopOnFirstViolation && this.#foundHere);
  }

  /** `true` if nothing was explored or run, and nothing failed. */
  get isEmpty(): boolean {
    return this.#explorations.length + this.#journeys.length + this.#failures.length === 0;
  }

  /** The exit status as if the run ended here. */
  get status(): ExitStatus {
    return worst(this.#statuses);
  }

  /** Returns a run document for other writers than the run log, such as CI systems. */
  documentOf(report: RunReport): RunDocument {
    return runDocument(report, this.#input.config.report, this.#hide);
  }

  /**
   * Does work while services are up. A service that does not start, or does not stay up, is a failure of the run like a failure of its files; no
   * further exploration is begun then.
   */
  async withServices({ withServices }: Pick<RunEngine, "withServices">, work: () => Promise<void>): Promise<void> {
    const { config, signal } = this.#input;
    const onProblem = (error: unknown): void => {
      this.#lostService = true;
      this.fail(error, config.file ?? join(config.folder, "seqqa.yaml"));
    };
    await withServices(config, { signal, onProblem }, work).catch(onProblem);
  }

  /** Explores a file. `request`: its parts that the session does not know. A failure is one of the run. */
  async exploreFile(
    { exploreFile }: Pick<RunEngine, "exploreFile">,
    request: Pick<ExploreFileRequest, "entry" | "name" | "only" | "shard" | "distribution">,
  ): Promise<void> {
    const { config, reporter, signal, known } = this.#input;
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
        const result = await exploreFile({ ...request, config, signal, onEvent, onStep, known: known?.ids, keep });
        return result === undefined ? undefined : { name, result };
      });
      this.#foundHere ||= taken !== undefined && this.#statuses.at(-1) === 1;
    } catch (error) {
      this.fail(error, path);
    }
  }

  /** Explores, and takes in the result. `undefined`: the exploration was left out. @throws errors of `work`; its log can be resumed */
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

  /** Takes in an exploration that other runs made. */
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
      const runs = await runJourneys({ journeys, config, bail, signal, onEvent });
      for (const { file, ...run } of runs) this.#ran({ ...run, name: run.result.name }, file);
    } catch (error) {
      // Journeys that ended before the error are reported.
      for (const { name, file } of journeys) {
        const result = told.get(name);
        if (result !== undefined) this.#ran({ name, result, notes: [] }, file);
      }
      this.fail(error, journeys.length === 1 ? journeys[0]!.file : join(config.folder, "journeys"));
    }
    this.#store?.journeys(this.#journeys.map((journey) => journeyJson(journey, config.report, this.#hide)));
  }

  /** Adds a failure of a file, except an interruption. */
  fail(thrown: unknown, path: string): void {
    const { signal, config, cwd, onError } = this.#input;
    if (signal.aborted && (thrown as Error | undefined)?.name === "AbortError") return;
    const file = this.#shown(path);
    const error = naming(file, path, cwd, thrown);
    const isKnown = error instanceof SeqqaError;
    const message = error instanceof Error ? error.message : String(error);
    const hint = isKnown && error.hint !== undefined ? withoutPasswords(error.hint) : undefined;
    const failure = { file, code: isKnown ? error.code : "INTERNAL", message: withoutPasswords(message), hint };
    this.#failures.push(failure);
    this.#store?.failure(redactFailure(failure, config.report, this.#hide));
    this.#statuses.push(statusOfError(error));
    onError(error);
  }

  /** Returns the result of `work`; `undefined` if it fails, which is a failure of the run. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#input.onError(error);
      this.#statuses.push(statusOfError(error));
      return undefined;
    }
  }

  /** Removes the log of a run that did nothing. */
  discard(): void {
    this.#store?.discard();
  }

  /** Ends the run log, writes the reports, and returns what there is to report. `whole`: nothing was left out. */
  async end(whole: boolean): Promise<RunReport> {
    const { signal, known } = this.#input;
    if (signal.aborted) this.#statuses.push(130);
    const extent = { whole: whole && this.#failures.length === 0 && !this.isOver, interrupted: signal.aborted };
    const listed = this.attempt(() => known?.conclude(this.#explorations, extent));
    const report = this.#reportOf({ exitStatus: this.status, known: listed });
    const written = this.attempt(() => this.#write(report));
    // The document is written in one go: a signal that came meanwhile is delivered now, and the reports must show it.
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

  /** Reports a finished exploration as it was. Its findings ended the run once, and do not end it again: the resumed run continues after them. */
  #takeOver(file: string): boolean {
    const { resumed, reporter, known } = this.#input;
    const entry = resumed?.finished.get(file);
    const stored = resumed?.stored.explorations.find((one) => one.file === file);
    if (entry === undefined || stored === undefined) return false;
    const { name, stopReason, steps } = entry;
    reporter.message(`${name} had already ended (${stopReason}) after ${steps} steps: its result is kept.`);
    const found = resultOfEntry(entry);
    const result = known?.mark(found) ?? found;
    if (known !== undefined) this.#store?.explorationTaken(stored).ended(name, result);
    this.#takeIn({ name, file, result });
    return true;
  }

  #keeperOf(file: string): ExplorationKeeper | undefined {
    const { resumed, reporter } = this.#input;
    const stored = resumed?.stored.explorations.find((one) => one.file === file);
    if (stored?.beginning === undefined) return this.#store?.exploration(file);
    reporter.message(`${stored.name} continues after ${stored.steps} steps and ${stored.states} states.`);
    return this.#store?.explorationAgain(stored, stored.beginning);
  }

  #ended(file: string, { name, result: found }: NamedResult, keep: ExplorationKeeper | undefined): ExplorationResult {
    const result = this.#input.known?.mark(found) ?? found;
    keep?.ended(name, result);
    this.#takeIn({ name, file, result });
    return result;
  }

  #takeIn(explored: ReportedExploration): void {
    const { config, reporter } = this.#input;
    this.#explorations.push(explored);
    this.#statuses.push(statusOfResult(explored.result, config.failOnSeverity));
    reporter.explored(explored);
  }

  #ran(run: Omit<ReportedJourney, "file">, path: string): void {
    const journey = { ...run, file: this.#shown(path) };
    this.#journeys.push(journey);
    this.#statuses.push(statusOfJourney(journey));
    this.#input.reporter.journeyDone(journey);
  }

  /** Ends the log of the run and makes the reports from it, so that this run and every later `seqqa report` use the same way. Returns the reports' paths; `undefined`: there is no log. */
  #write(report: RunReport): readonly string[] | undefined {
    const store = this.#store;
    if (store === undefined) return undefined;
    this.#writing(store.file, () => store.end(this.#documentOf(report)));
    return this.#input.writeReports?.(report.run) ?? [];
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
    const { version, config, source } = this.#input;
    return {
      source,
      version,
      run: this.#id,
      startedAt: this.#startedAt,
      failOnSeverity: config.failOnSeverity,
      explorations: this.#explorations,
      journeys: this.#journeys,
      failures: this.#failures,
      ...end,
    };
  }

  /** Returns the document of the run, without the parts for which the run log has tables. */
  #documentOf(end: Pick<RunReport, "exitStatus" | "known">): RunDocument {
    return runDocument({ ...this.#reportOf(end), explorations: [], journeys: [], failures: [] }, this.#input.config.report);
  }
}

/** Adds the file to an error that may concern one of several files, as the user would write it. */
function naming(file: string, path: string, cwd: string, error: unknown): unknown {
  if (!(error instanceof SeqqaError) || error.exitStatus !== 2) return error;
  const shown = error.message.replaceAll(path, shownPath(path, cwd));
  const message = shown.includes(file) ? shown : `${file}: ${shown}`;
  return message === error.message
    ? error
    : new SeqqaError(error.code, message, { hint: error.hint, exitStatus: error.exitStatus, cause: error });
}
