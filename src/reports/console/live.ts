import type { ExplorationEvent } from "../../engine/events.ts";
import type { StepResult } from "../../model/results/journey-result.ts";
import { plural } from "./numbers.ts";
import { cut, printable, printableLines } from "./printable.ts";
import { confirmingText, progressLines, faultingText, racingText } from "./progress-text.ts";
import { TimeLeft, type Share } from "./time-left.ts";
import type { ReporterOptions } from "../reporter.ts";
import { targetLines } from "./violation-text.ts";

interface LineOutput {
  write(text: string): unknown;
  readonly columns?: number | undefined;
}

/** Without a person who watches a changing line, one line is printed after this number of milliseconds. */
const EVERY = 10_000;

/** Shows people on standard error how far a run is. */
export class Live {
  readonly #line: ProgressLine | undefined;
  #stepsOver = 0;
  readonly #options: Pick<ReporterOptions, "stderr" | "verbose">;
  readonly #quoted: Set<string> = new Set();
  readonly #now: () => number;
  #printedAt: number;
  readonly #timeLeft: TimeLeft;

  /** The line that is rewritten in place needs a terminal that a person watches. */
  constructor(options: Pick<ReporterOptions, "stderr" | "env" | "verbose" | "now">) {
    const ci = options.env["CI"] ?? "";
    const watched = options.stderr.isTTY === true && (ci === "" || ci === "false" || ci === "0") && options.env["TERM"] !== "dumb";
    this.#line = watched ? new ProgressLine(options.stderr) : undefined;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#printedAt = this.#now();
    this.#timeLeft = new TimeLeft(this.#now);
  }

  event(name: string, event: ExplorationEvent): void {
    const left = (share: Share): number | undefined => this.#timeLeft.of(`${name} ${event.kind}`, share);
    switch (event.kind) {
      case "started":
        if (this.#options.verbose) this.message(`${printable(event.name)}: ${plural(event.lanes, "lane")}`);
        for (const note of event.notes) this.message(`note: ${printable(note)}`);
        return;
      case "progress":
        this.#show((width) => progressLines(name, event, { verbose: this.#options.verbose, width }));
        return;
      case "violation":
        if (this.#options.verbose) this.message(`found ${event.invariant} after ${event.path.join(" -> ")}`);
        return;
      case "note":
        this.message(`note: ${printable(event.message)}`);
        if (event.target !== undefined) this.#quote(targetLines(event.target));
        return;
      case "confirming":
        return this.#phase(name, confirmingText(event, left({ done: event.replayed, all: event.violations })));
      case "racing":
        return this.#phase(name, racingText(event, left({ done: event.probed, all: event.planned })));
      case "faulting":
        return this.#phase(name, faultingText(event, left({ done: event.probed, all: event.planned })));
      case "again":
        return;
      case "finished":
        this.clear();
    }
  }

  #phase(name: string, text: string): void {
    this.#show((width) => [cut(`${printable(name)}  ${text}`, width)]);
  }

  /** Shows the progress of a journey by the number of its finished steps. */
  step(name: string, step: StepResult | null): void {
    this.#stepsOver = step === null ? 0 : this.#stepsOver + 1;
    const over = step === null ? "" : `, ${printable(step.name)} ${step.status.replace("_", " ")}`;
    this.#show((width) => [cut(`${printable(name)}  ${plural(this.#stepsOver, "step")}${over}`, width)]);
  }

  /** Rewrites the line in place on a terminal. Elsewhere it prints a new line, not more often than every ten seconds. */
  #show(lines: (width: number) => readonly string[]): void {
    if (this.#line !== undefined) return this.#line.show(lines(this.#line.width));
    if (this.#now() - this.#printedAt < EVERY) return;
    this.#printedAt = this.#now();
    this.message(lines(Infinity).join("\n"));
  }

  /** Prints lines only once: one crash affects several lanes in turn, and all of them report the same lines. */
  #quote(lines: readonly string[]): void {
    const text = lines.map((line) => `  ${line}`).join("\n");
    if (this.#quoted.has(text)) return;
    this.#quoted.add(text);
    this.message(text);
  }

  /** Prints below the present output, after the progress line was removed. */
  message(text: string): void {
    this.clear();
    this.#options.stderr.write(`${printableLines(text)}\n`);
  }

  clear(): void {
    this.#line?.clear();
  }
}

/** Lines that are rewritten in place, and make way for other output. */
class ProgressLine {
  readonly #output: LineOutput;
  #shown = 0;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  /** One column less than the terminal has: a full last column makes some terminals wrap. */
  get width(): number {
    return Math.max(20, (this.#output.columns ?? 80) - 1);
  }

  show(lines: readonly string[]): void {
    this.#output.write(`${this.#back()}${lines.map((line) => `${line}\x1b[K`).join("\n")}${lines.length < this.#shown ? "\x1b[J" : ""}`);
    this.#shown = lines.length;
  }

  clear(): void {
    if (this.#shown > 0) this.#output.write(`${this.#back()}\x1b[${this.#shown > 1 ? "J" : "K"}`);
    this.#shown = 0;
  }

  /** Returns the sequence that moves to the beginning of the first shown line. */
  #back(): string {
    return `\r${this.#shown > 1 ? `\x1b[${this.#shown - 1}A` : ""}`;
  }
}
