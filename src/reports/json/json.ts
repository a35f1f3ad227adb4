import type { ExplorationEvent } from "../../engine/events.ts";
import { jsonPieces } from "./json-text.ts";
import { printableLines } from "../console/text/printable.ts";
import { redactText } from "../redaction/redact.ts";
import { redactor, type Redactor } from "../redaction/redactor.ts";
import type { Reporter, ReporterOptions } from "../reporter.ts";
import { runDocument } from "../document/run-document.ts";
import type { RunReport } from "../document/run-report.ts";
import { updateLines } from "../console/summary/end-text.ts";
import { writePieces } from "./write-pieces.ts";

/** The reporter for programs: writes one JSON document to standard output when the run has ended, and nothing else. */
export class JsonReporter implements Reporter {
  readonly #options: ReporterOptions;
  readonly #hide: Redactor;

  constructor(options: ReporterOptions) {
    this.#options = options;
    this.#hide = redactor(options.visibility.redact);
  }

  event(_name: string, event: ExplorationEvent): void {
    if (this.#options.verbose && event.kind === "note") this.message(`note: ${event.message}`);
  }

  message(text: string): void {
    this.#options.stderr.write(`${printableLines(redactText(text, this.#options.visibility, this.#hide))}\n`);
  }

  async ended(report: RunReport): Promise<void> {
    for (const line of updateLines(report.known)) this.message(line);
    await writePieces(this.#options.stdout, jsonPieces(runDocument(report, this.#options.visibility)));
  }
}
