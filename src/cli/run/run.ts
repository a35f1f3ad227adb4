import { join } from "node:path";
import { withoutPasswords, type Config } from "../../config/index.ts";
import type { ExplorationEvent } from "../../engine/events.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { ExplorationResult } from "../../model/results/result.ts";
import type { JourneyResult } from "../../model/results/journey-result.ts";
import {
  journeyJson,
  onGithub,
  redactFailure,
  redactor,
  reportToGithub,
  resultOfEntry,
  runDocument,
  statusOfResult,
  type Redactor,
  type ReportedExploration,
  type ReportedFailure,
  type ReportedJourney,
  type RunDocument,
  type RunReport,
  type WholeReporter,
} from "../../reports/index.ts";
import type { Distribution, FoundJourney, JourneyEvent, UnusableFile } from "../../run/index.ts";
import { newRunId, RunLog, type ConfigRow, type ExplorationKeeper, type StoredRun } from "../../run-log/index.ts";
import { errorText, statusOfError } from "../process/error-text.ts";
import { statusOfJourney, worst, type ExitStatus } from "../process/exit-status.ts";
import { nameOfFile } from "../arguments/find-explorations.ts";
import { hearSignals } from "../process/hear-signals.ts";
import type { Known } from "./known.ts";
import type { Machinery } from "./machinery.ts";
import { cannotWrite, writeReports, writing, type LoadedFormat } from "./report-files.ts";
import { usage } from "../arguments/run-options.ts";
import type { Shell } from "../process/shell.ts";
import { shownMessage, shownPath } from "../process/shown-path.ts";

interface RunParts {
  readonly config: Config;
  readonly shell: Shell;
  readonly machinery: Machinery;
  readonly reporter: WholeReporter;
  /** The formats of the reports. */
  readonly formats: readonly LoadedFormat[];
  readonly verbose: boolean;
  readonly only: string | undefined;
  readonly signal: AbortSignal;
  readonly known: Known | undefined;
  readonly version: string;
  readonly resumed: ResumedRun | undefined;
  /** The shard, for example `2/4`. */
  readonly shard: string | undefined;
  /** The workers that expand nodes, if there are any. */
  readonly distribution?: Distribution | undefined;
  /** The flags of the command line, stored for resuming the run. */
  readonly flags?: readonly ConfigRow[] | undefined;
}

/** A run that is resumed. */
export interface ResumedRun {
  readonly stored: StoredRun;
  /** By file: the explorations that are finished. */
  readonly finished: ReadonlyMap<string, RunDocument["explorations"][number]>;
}

/** An exploration whose parts were made by several runs. */
export interface MergedExploration {
  readonly file: string;
  readonly name: string;
  readonly merge: (keep: ExplorationKeeper | undefined) => ExplorationResult;
}

/** One run: its explorations one after another, or its journeys, and their results. */
export class Run {
  readonly #parts: RunParts;
  readonly #startedAt: Date;
  readonly #id: string;
  /** The log of the run while it is in progress; `undefined` when no reports are wanted. */
  readonly #store: RunLog | undefined;
  readonly #explorations: ReportedExploration[] = [];
  readonly #journeys: ReportedJourney[] = [];
  readonly #failures: ReportedFailure[] = [];
  readonly #statuses: ExitStatus[] = [];
  readonly #hide: Redactor;
  #lostService = false;
  /** A finding of this session fails the run. */
  #foundHere = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#hide = redactor(parts.config.report.redact);
    const { config, resumed, flags } = parts;
    this.#startedAt = resumed?.stored.startedAt ?? new Date();
    this.#id = resumed?.stored.id ?? newRunId(this.#startedAt);
    if (config.report.formats.length === 0) return;
    try {
      // Any end of the process from here on is an interruption.
      this.#store = new RunLog(config, this.#documentOf({ exitStatus: 130, known: undefined }), this.#hide, resumed !== undefined, flags);
    } catch (cause) {
      if (cause instanceof SeqqaError) throw cause;
      throw cannotWrite(config.report.outputDir, cause, 2);
    }
  }

  get isOver(): boolean {
    const { config, signal } = this.#parts;
    return signal.aborted || this.#lostService || (config.exploration.stopOnFirstViolation && this.#foundHere);
  }

  /**
   * Does work while services are up. A service that does not start, or does not stay up, is a failure of the run like a failure of its files; no
   * further exploration is begun then.
   */
  async withServices(work: () => Promise<void>): Promise<void> {
    const { config, machinery, signal } = this.#parts;
    const onProblem = (error: unknown): void => {
      this.#lostService = true;
      this.#fail(error, config.file ?? join(config.folder, "seqqa.yaml"));
    };
    await machinery.withServices(config, { signal, onProblem }, work).catch(onProblem);
  }

  async explore(path: string): Promise<void> {
    const { config, machinery, reporter, only, signal, shell, known, shard, distribution } = this.#parts;
    const file = shownPath(path, shell.cwd);
    let name = nameOfFile(path);
    if (this.#takeOver(file)) return;
    const keep = this.#keeperOf(file);
    const onEvent = (event: ExplorationEvent): void => {
      if (event.kind === "started") ({ name } = event);
      reporter.event(name, event);
    };
    try {
      const found = await machinery.exploreFile({
        entry: path,
        config,
        name,
        signal,
        onEvent,
        only,
        known: known?.ids,
        keep,
        shard,
        distribution,
      });
      if (found === undefined) return;
      const result = known?.mark(found) ?? found;
      keep?.ended(name, result);
      this.#takeIn({ name, file, result });
      this.#foundHere ||= this.#statuses.at(-1) === 1;
    } catch (error) {
      keep?.failed();
      this.#fail(error, path);
    }
  }

  /** Reports a finished exploration as it was. Its findings ended the run once, and do not end it again: the resumed run continues after them. */
  #takeOver(file: string): boolean {
    const { resumed, reporter, known } = this.#parts;
    const entry = resumed?.finished.get(file);
    const stored = resumed?.stored.explorations.find((one) => one.file === file);
    if (entry === undefined || stored === undefined) return false;
    const { name, stopReason, steps } = entry;
    reporter.message(`${name} was over (${stopReason}) after ${steps} steps: it is taken over as it is.`);
    const found = resultOfEntry(entry);
    const result = known?.mark(found) ?? found;
    if (known !== undefined) this.#store?.explorationTaken(stored).ended(name, result);
    this.#takeIn({ name, file, result });
    return true;
  }

  #takeIn(explored: ReportedExploration): void {
    const { config, reporter } = this.#parts;
    this.#explorations.push(explored);
    this.#statuses.push(statusOfResult(explored.result, config.failOnSeverity));
    reporter.explored(explored);
  }

  /** Takes in an exploration that other runs made. */
  merged({ file, name, merge }: MergedExploration): void {
    const { known } = this.#parts;
    const keep = this.#store?.exploration(file);
    try {
      const found = merge(keep);
      const result = known?.mark(found) ?? found;
      keep?.ended(name, result);
      this.#takeIn({ name, file, result });
    } catch (error) {
      keep?.failed();
      this.#fail(error, file);
    }
  }

  #keeperOf(file: string): ExplorationKeeper | undefined {
    const { resumed, reporter } = this.#parts;
    const stored = resumed?.stored.explorations.find((one) => one.file === file);
    if (stored?.beginning === undefined) return this.#store?.exploration(file);
    reporter.message(`${stored.name} goes on from ${stored.steps} steps and ${stored.states} states.`);
    return this.#store?.explorationAgain(stored, stored.beginning);
  }

  async journeys(
    { journeys, unusable }: { readonly journeys: readonly FoundJourney[]; readonly unusable: readonly UnusableFile[] },
    bail: boolean,
  ): Promise<void> {
    const { config, machinery, reporter, signal } = this.#parts;
    for (const { file, error } of unusable) this.#fail(error, file);
    if (bail && unusable.length > 0) return;
    const told = new Map<string, JourneyResult>();
    const onEvent = (event: JourneyEvent): void => {
      if (event.kind === "journey_started") return reporter.step(event.name, null);
      if (event.kind === "step_ended") return reporter.step(event.name, event.step);
      told.set(event.name, event.result);
      const file = shownPath(journeys.find(({ name }) => name === event.name)?.file ?? "", this.#parts.shell.cwd);
      this.#store?.journey(journeyJson({ name: event.name, file, result: event.result, notes: [] }, config.report, this.#hide));
      reporter.journeyEnded(event.name, event.result);
    };
    try {
      const runs = await machinery.runJourneys({ journeys, config, bail, signal, onEvent });
      for (const { file, ...run } of runs) this.#ran({ ...run, name: run.result.name }, file);
    } catch (error) {
      // Journeys that ended before the error are reported.
      for (const { name, file } of journeys) {
        const result = told.get(name);
        if (result !== undefined) this.#ran({ name, result, notes: [] }, file);
      }
      this.#fail(error, journeys.length === 1 ? journeys[0]!.file : join(config.folder, "journeys"));
    }
    this.#store?.journeys(this.#journeys.map((journey) => journeyJson(journey, config.report, this.#hide)));
  }

  #ran(run: Omit<ReportedJourney, "file">, path: string): void {
    const journey = { ...run, file: shownPath(path, this.#parts.shell.cwd) };
    this.#journeys.push(journey);
    this.#statuses.push(statusOfJourney(journey));
    this.#parts.reporter.journeyDone(journey);
  }

  #fail(thrown: unknown, path: string): void {
    const { signal, reporter, shell, verbose } = this.#parts;
    if (signal.aborted && (thrown as Error | undefined)?.name === "AbortError") return;
    const file = shownPath(path, shell.cwd);
    const error = naming(file, path, shell.cwd, thrown);
    const known = error instanceof SeqqaError;
    const message = error instanceof Error ? error.message : String(error);
    const hint = known && error.hint !== undefined ? withoutPasswords(error.hint) : undefined;
    const failure = { file, code: known ? error.code : "INTERNAL", message: withoutPasswords(message), hint };
    this.#failures.push(failure);
    this.#store?.failure(redactFailure(failure, this.#parts.config.report, this.#hide));
    this.#statuses.push(statusOfError(error));
    reporter.message(errorText(error, verbose));
  }

  #tellGithub(report: RunReport): void {
    const { config, shell } = this.#parts;
    const summary = shell.env["GITHUB_STEP_SUMMARY"] ?? "$GITHUB_STEP_SUMMARY";
    writing(summary, () => reportToGithub(runDocument(report, config.report, this.#hide), shell));
  }

  /** Reports and writes; returns the exit status of the run. `whole`: nothing was left out. */
  async end(whole: boolean): Promise<ExitStatus> {
    const { shell, only, reporter, signal, verbose, known } = this.#parts;
    if (this.#explorations.length + this.#journeys.length + this.#failures.length === 0 && !signal.aborted) {
      this.#store?.discard();
      throw usage(
        `No exploration's name contains ${JSON.stringify(only ?? "")}.`,
        "Look at the names with seqqa list, or leave --only out.",
      );
    }
    if (signal.aborted) this.#statuses.push(130);
    const attempt = <T>(work: () => T): T | undefined => {
      try {
        return work();
      } catch (error) {
        reporter.message(errorText(error, verbose));
        this.#statuses.push(statusOfError(error));
        return undefined;
      }
    };
    const extent = { whole: whole && this.#failures.length === 0 && !this.isOver, interrupted: signal.aborted };
    const listed = attempt(() => known?.conclude(this.#explorations, extent));
    const report = this.#reportOf({ exitStatus: worst(this.#statuses), known: listed });
    const isWritten = attempt(() => this.#write(report)) ?? false;
    // The document is written in one go: a signal that came meanwhile is delivered now, and the reports must show it.
    await hearSignals();
    if (signal.aborted && !this.#statuses.includes(130)) {
      this.#statuses.push(130);
      if (isWritten) attempt(() => this.#writeAgain({ ...report, exitStatus: 130 }));
    }
    await reporter.ended({ ...report, exitStatus: worst(this.#statuses) });
    if (onGithub(shell.env)) attempt(() => this.#tellGithub({ ...report, exitStatus: worst(this.#statuses) }));
    await hearSignals();
    return signal.aborted ? 130 : worst(this.#statuses);
  }

  /**
   * Ends the log of the run and makes the reports from it, so that this run and every later `seqqa report` use the same way. `false`: no reports are
   * wanted.
   */
  #write(report: RunReport): boolean {
    const store = this.#store;
    if (store === undefined) return false;
    writing(store.file, () => store.end(this.#documentOf(report)));
    writeReports(this.#parts.config, this.#parts.formats, report.run);
    return true;
  }

  #writeAgain(report: RunReport): void {
    const store = this.#store;
    if (store === undefined) return;
    writing(store.file, () => store.amend(this.#documentOf(report)));
    writeReports(this.#parts.config, this.#parts.formats, report.run);
  }

  #reportOf(end: Pick<RunReport, "exitStatus" | "known">): RunReport {
    const { version, config } = this.#parts;
    return {
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
    return runDocument({ ...this.#reportOf(end), explorations: [], journeys: [], failures: [] }, this.#parts.config.report);
  }
}

/** Adds the file to an error that may concern one of several files, as the user would write it. */
function naming(file: string, path: string, cwd: string, error: unknown): unknown {
  if (!(error instanceof SeqqaError) || error.exitStatus !== 2) return error;
  const shown = shownMessage(error.message, path, cwd);
  const message = shown.includes(file) ? shown : `${file}: ${shown}`;
  return message === error.message
    ? error
    : new SeqqaError(error.code, message, { hint: error.hint, exitStatus: error.exitStatus, cause: error });
}
