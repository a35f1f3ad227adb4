import type { ExplorationEvent } from "../../engine/events.ts";
import { cut, printable, printableLines } from "../console/text/printable.ts";
import { updateLines } from "../console/summary/end-text.ts";
import { redactText } from "../redaction/redact.ts";
import { redactor, type Redactor } from "../redaction/redactor.ts";
import type { Reporter, ReporterOptions } from "../reporter.ts";
import { runDocument } from "../document/run-document.ts";
import type { RunReport } from "../document/run-report.ts";
import { agentLines } from "./agent-lines.ts";

/** The reporter for coding agents and logs: prints a compact summary without colours when the run has ended. */
export class AgentReporter implements Reporter {
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

  ended(report: RunReport): void {
    const document = runDocument(report, this.#options.visibility, this.#hide);
    const lines = [...agentLines(document, report), ...updateLines(report.known)];
    this.#options.stdout.write(`${lines.map((line) => cut(printable(line), 1000)).join("\n")}\n`);
  }
}
