import type { ExplorationEvent, TriedStep } from "../../engine/events.ts";
import type { JourneyResult, StepResult } from "../../model/results/journey-result.ts";
import type { Divergence, ExplorationResult, RunError } from "../../model/results/result.ts";
import { coloursFor, type Colours } from "./text/colours.ts";
import { Live } from "./progress/live.ts";
import { endLines } from "./summary/end-text.ts";
import { findingLines } from "./findings/findings-text.ts";
import { journeyLines } from "./journey-lines.ts";
import { grouped } from "./text/numbers.ts";
import { printable, printableLines } from "./text/printable.ts";
import { redactJourney } from "../redaction/redact-journey.ts";
import { redactDivergence, redactError, redactEvent, redactResult, redactText, redactTried } from "../redaction/redact.ts";
import { redactor, type Redactor } from "../redaction/redactor.ts";
import type { ReporterOptions, WholeReporter } from "../reporter.ts";
import type { ReportedExploration, ReportedJourney, RunReport } from "../document/run-report.ts";
import { summaryLines } from "./summary/summary.ts";
import { triedLines } from "./progress/tried-text.ts";

/** The reporter for people: writes progress and notes to standard error, and results to standard output. */
export class ConsoleReporter implements WholeReporter {
  readonly #options: ReporterOptions;
  readonly #live: Live;
  readonly #colours: Colours;
  readonly #hide: Redactor;
  /** The notes of the current exploration that the reader has already seen, so that they are not repeated with the results. */
  #seen: readonly string[] = [];
  #endsBlank = false;
  /** Prints each request of a step. The method exists only with `verbose`. */
  readonly tried?: (name: string, step: TriedStep) => void;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#live = new Live(options);
    this.#colours = coloursFor(options.stdout, options.env);
    this.#hide = redactor(options.visibility.redact);
    if (!options.verbose) return;
    this.tried = (_name, step) => {
      for (const line of triedLines(redactTried(step, options.visibility, this.#hide))) this.#live.message(line);
    };
  }

  event(name: string, event: ExplorationEvent): void {
    const { stdout, stderr } = this.#options;
    // If only one of the two streams is a terminal, the reader of the results has not seen the notes, so repeat them.
    const isOnePlace = (stdout.isTTY === true) === (stderr.isTTY === true);
    if (event.kind === "started") this.#seen = isOnePlace ? event.notes : [];
    if (event.kind === "note" && isOnePlace) this.#seen = [...this.#seen, event.message];
    this.#live.event(name, redactEvent(event, this.#options.visibility, this.#hide));
  }

  explored({ name, result }: ReportedExploration): void {
    const notes = result.notes.filter((note) => !this.#seen.includes(note));
    const shown = redactResult({ ...result, notes }, this.#options.visibility, this.#hide);
    this.#print(resultLines(name, shown, this.#colours, this.#options.verbose));
  }

  step(name: string, step: StepResult | null): void {
    this.#live.step(name, step);
  }

  journeyEnded(name: string, result: JourneyResult): void {
    this.#print(journeyLines(name, redactJourney(result, this.#options.visibility, this.#hide), this.#colours, this.#options.verbose));
  }

  journeyDone({ name, notes, error, notPutBack }: ReportedJourney): void {
    const { visibility, verbose } = this.#options;
    const hide = this.#hide;
    this.#print([
      ...(error === undefined ? [] : errorLines(redactError(error, visibility, hide), this.#colours, verbose)),
      ...(notPutBack === undefined ? [] : divergenceLines(redactDivergence(notPutBack, visibility, hide), this.#colours)),
      ...notes.map((note) => `note: ${printable(name)}: ${printable(redactText(note, visibility, hide))}`),
    ]);
  }

  message(text: string): void {
    this.#live.message(redactText(text, this.#options.visibility, this.#hide));
  }

  ended(report: RunReport): void {
    this.#print(endLines(report, this.#colours));
  }

  /** Prints lines, but never two blank lines in a row. */
  #print(lines: readonly string[]): void {
    this.#live.clear();
    const shown = this.#endsBlank && lines[0] === "" ? lines.slice(1) : lines;
    if (shown.length === 0) return;
    this.#endsBlank = shown.at(-1) === "";
    this.#options.stdout.write(`${shown.join("\n")}\n`);
  }
}

/**
 * Returns the lines for the result of an exploration: findings, divergences, errors, notes, the reasons why the result is unverified, and the
 * summary.
 */
export function resultLines(name: string, result: ExplorationResult, colours: Colours, verbose: boolean): readonly string[] {
  const { divergences, errors, notes, unverified } = result;
  const before = [
    ...findingLines(result, colours),
    ...divergences.flatMap((divergence) => divergenceLines(divergence, colours)),
    ...errors.flatMap((error) => errorLines(error, colours, verbose)),
    ...notes.map((note) => `note: ${printable(note)}`),
    ...unverified.map((why) => colours.yellow(`unverified: ${printable(why)}`)),
  ];
  return [...before, ...(["", undefined].includes(before.at(-1)) ? [] : [""]), ...summaryLines(name, result, { verbose, colours })];
}

function divergenceLines({ kind, path, message, differences, hint }: Divergence, colours: Colours): readonly string[] {
  return [
    colours.yellow(`Divergence (${kind.replaceAll("_", " ")})`),
    `  ${printable(message)}`,
    `  path      ${pathText(path)}`,
    ...differences.map((line) => `    ${printable(line)}`),
    ...(hint === undefined ? [] : [`  hint      ${printable(hint)}`]),
    "",
  ];
}

function errorLines({ code, message, path, source, stack, count }: RunError, colours: Colours, verbose: boolean): readonly string[] {
  const where = stack === undefined ? undefined : userLine(stack);
  return [
    colours.red(`Error in ${printable(source)} (${printable(code)}${count > 1 ? `, ${grouped(count)} times` : ""})`),
    ...printableLines(message)
      .split("\n")
      .map((line) => `  ${line}`),
    `  path      ${pathText(path)}`,
    ...(where === undefined ? [] : [`  where     ${printable(where)}`]),
    ...(verbose && stack !== undefined
      ? printableLines(stack)
          .split("\n")
          .map((line) => `    ${line}`)
      : []),
    "",
  ];
}

/**
 * Returns the first place (`file:line:column`) in a stack trace; `undefined` if there is none. Stack traces in reports contain only files of the
 * user.
 */
function userLine(stack: string): string | undefined {
  return /^\s+at (?:.*\()?((?:file:\/\/)?[^\s()]+:\d+:\d+)\)?$/m.exec(stack)?.[1]?.replace(/^file:\/\//, "");
}

function pathText(path: readonly string[]): string {
  return path.length === 0 ? "(the root state)" : printable(path.join(" -> "));
}
