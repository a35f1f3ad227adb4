import type { ExplorationEvent } from "../engine/events.ts";
import { jsonText } from "./json-text.ts";
import { printableLines } from "./printable.ts";
import type { Reporter, ReporterOptions } from "./reporter.ts";
import { runDocument, type RunReport } from "./run-report.ts";

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

  message(text: string): void {
    this.#options.stderr.write(`${printableLines(text)}\n`);
  }

  ended(report: RunReport): void {
    this.#options.stdout.write(jsonText(runDocument(report, this.#options.visibility)));
  }
}
