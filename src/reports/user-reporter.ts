import type { ExplorationEvent, TriedStep } from "../engine/events.ts";
import { SeqqaError } from "../model/errors.ts";
import type { JourneyResult, StepResult } from "../model/results/journey-result.ts";
import { printable, printableLines } from "./console/text/printable.ts";
import type { ReportedExploration, ReportedJourney, RunReport } from "./document/run-report.ts";
import { redactJourney, redactJourneyStep } from "./redaction/redact-journey.ts";
import { redactDivergence, redactError, redactEvent, redactFailure, redactResult, redactText, redactTried } from "./redaction/redact.ts";
import { redactor, type Redactor } from "./redaction/redactor.ts";
import type { Reporter, ReporterOptions, WholeReporter } from "./reporter.ts";

/** The default time limit in milliseconds for `ended` of a user's reporter. */
const MOST_MS = 30_000;

export interface UserReporterOptions extends ReporterOptions {
  /** The name of the reporter, as the user wrote it on the command line. */
  readonly name: string;
  /** `true` if no other reporter writes messages to standard error. */
  readonly isAlone: boolean;
  /** The time limit in milliseconds for `ended`. Default: 30,000. */
  readonly mostMs?: number | undefined;
}

/**
 * Calls a user's reporter with redacted copies of all data. An exception in the reporter does not end the run: a warning names the reporter, and the
 * reporter is not called again.
 */
export class UserReporter implements WholeReporter {
  readonly #reporter: Reporter;
  readonly #options: UserReporterOptions;
  readonly #hide: Redactor;
  #isOut = false;
  readonly tried?: ((name: string, step: TriedStep) => void) | undefined;

  constructor(reporter: Reporter, options: UserReporterOptions) {
    this.#reporter = reporter;
    this.#options = options;
    this.#hide = redactor(options.visibility.redact);
    if (typeof reporter.tried === "function")
      this.tried = (name, step) => void this.#call("tried", () => [name, redactTried(step, options.visibility, this.#hide)]);
  }

  event(name: string, event: ExplorationEvent): void {
    const { visibility } = this.#options;
    void this.#call("event", () => {
      const shown = redactEvent(event, visibility, this.#hide);
      return [name, shown.kind === "finished" ? { ...shown, result: redactResult(shown.result, visibility, this.#hide) } : shown];
    });
  }

  explored(exploration: ReportedExploration): void {
    void this.#call("explored", () => [this.#exploration(exploration)]);
  }

  step(name: string, step: StepResult | null): void {
    void this.#call("step", () => [name, step === null ? null : redactJourneyStep(step, this.#options.visibility, this.#hide)]);
  }

  journeyEnded(name: string, result: JourneyResult): void {
    void this.#call("journeyEnded", () => [name, redactJourney(result, this.#options.visibility, this.#hide)]);
  }

  journeyDone(journey: ReportedJourney): void {
    void this.#call("journeyDone", () => [this.#journey(journey)]);
  }

  message(text: string): void {
    const shown = redactText(text, this.#options.visibility, this.#hide);
    if (!this.#isOut && typeof this.#reporter.message === "function") void this.#call("message", () => [shown]);
    else if (this.#options.isAlone) this.#write(shown);
  }

  async ended(report: RunReport): Promise<void> {
    const { visibility, mostMs = MOST_MS } = this.#options;
    const over = this.#call("ended", () => [
      {
        ...report,
        explorations: report.explorations.map((one) => this.#exploration(one)),
        journeys: report.journeys.map((one) => this.#journey(one)),
        failures: report.failures.map((one) => redactFailure(one, visibility, this.#hide)),
      },
    ]);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#leaveOut(`did not finish ended() within ${mostMs / 1000} s`);
        resolve();
      }, mostMs);
    });
    await Promise.race([over, late]);
    clearTimeout(timer);
  }

  #exploration(exploration: ReportedExploration): ReportedExploration {
    return { ...exploration, result: redactResult(exploration.result, this.#options.visibility, this.#hide) };
  }

  #journey({ result, notes, error, notPutBack, ...journey }: ReportedJourney): ReportedJourney {
    const { visibility } = this.#options;
    const hide = this.#hide;
    return {
      ...journey,
      result: redactJourney(result, visibility, hide),
      notes: notes.map((note) => redactText(note, visibility, hide)),
      ...(error !== undefined && { error: redactError(error, visibility, hide) }),
      ...(notPutBack !== undefined && { notPutBack: redactDivergence(notPutBack, visibility, hide) }),
    };
  }

  /** Calls a method of the user's reporter, if the reporter has it, and waits for the promise that the method returns. */
  async #call<Method extends keyof WholeReporter>(
    method: Method,
    given: () => Parameters<NonNullable<WholeReporter[Method]>>,
  ): Promise<void> {
    const call = this.#reporter[method] as ((...values: Parameters<NonNullable<WholeReporter[Method]>>) => unknown) | undefined;
    if (this.#isOut || typeof call !== "function") return;
    try {
      await call.apply(this.#reporter, given());
    } catch (error) {
      this.#leaveOut(`threw in ${method}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #leaveOut(why: string): void {
    if (this.#isOut) return;
    this.#isOut = true;
    const { name, visibility } = this.#options;
    const text = `warning: The reporter ${printable(name)} ${redactText(why, visibility, this.#hide)}. The run continues without this reporter.`;
    this.#write(text);
  }

  #write(text: string): void {
    this.#options.stderr.write(`${printableLines(text)}\n`);
  }
}

/**
 * Creates a reporter from a module's default export: an object with the methods of {@link Reporter}, a class of such objects, or a function that
 * returns one.
 * @throws SeqqaError `REPORTER_INVALID` with exit status 2
 */
export async function userReporter(exported: unknown, options: UserReporterOptions): Promise<UserReporter> {
  const { name } = options;
  const made = typeof exported === "function" ? await make(exported as Maker, options) : exported;
  if (typeof made !== "object" || made === null || typeof (made as Partial<Reporter>).ended !== "function") {
    const from = typeof exported === "function" ? "the result of its default export" : "its default export";
    throw new SeqqaError(
      "REPORTER_INVALID",
      `The module ${name} of --reporter exports no reporter, because ${from} has no method ended().`,
      {
        exitStatus: 2,
        hint: "Export a class, an object, or a function that returns an object, with ended(report) and any other methods of the type Reporter.",
      },
    );
  }
  return new UserReporter(made as Reporter, options);
}

type Maker = (new (options: ReporterOptions) => unknown) & ((options: ReporterOptions) => unknown);

async function make(Exported: Maker, { stdout, stderr, env, verbose, visibility, now, name }: UserReporterOptions): Promise<unknown> {
  const options: ReporterOptions = { stdout, stderr, env, verbose, visibility, now };
  try {
    // Distinguish a class from a function, because a class must be called with `new`. The `prototype` of a class is not writable, and an arrow
    // function has none.
    const isClass = Object.getOwnPropertyDescriptor(Exported, "prototype")?.writable === false;
    return isClass ? new Exported(options) : await Exported(options);
  } catch (cause) {
    throw new SeqqaError(
      "REPORTER_INVALID",
      `The default export of ${name} (--reporter) threw while it created the reporter: ${cause instanceof Error ? cause.message : String(cause)}.`,
      { exitStatus: 2, hint: "Correct the default export of this module.", cause },
    );
  }
}
