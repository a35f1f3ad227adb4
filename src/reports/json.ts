import type { ExplorationEvent } from "../engine/events.ts";
import { jsonText } from "./json-text.ts";
import { printableLines } from "./printable.ts";
import type { Reporter, ReporterOptions } from "./reporter.ts";
import { runDocument } from "./run-document.ts";
import type { RunReport } from "./run-report.ts";
import { updateLines } from "./totals.ts";

/** For programs: one document on standard output when the run is over, and nothing else there. */
export class JsonReporter implements Reporter {
  readonly #options: ReporterOptions;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  event(_name: string, event: ExplorationEvent): void {
    if (this.#options.verbose && event.kind === "note") this.message(`note: ${event.message}`);
  }

  explored(): void {
    // Everything is in the document.
  }

  step(): void {
    // The same.
  }

  journeyEnded(): void {
    // The same.
  }

  journeyDone(): void {
    // The same.
  }

  message(text: string): void {
    this.#options.stderr.write(`${printableLines(text)}\n`);
  }

  ended(report: RunReport): void {
    for (const line of updateLines(report.known)) this.message(line);
    this.#options.stdout.write(jsonText(runDocument(report, this.#options.visibility)));
  }
}
