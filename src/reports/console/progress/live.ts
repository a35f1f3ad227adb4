import type { ExplorationEvent } from "../../../engine/events.ts";
import type { StepResult } from "../../../model/results/journey-result.ts";
import { plural } from "../text/numbers.ts";
import { cut, printable, printableLines } from "../text/printable.ts";
import { confirmingText, progressLines, faultingText, racingText } from "./progress-text.ts";
import { TimeLeft, type Share } from "./time-left.ts";
import type { ReporterOptions } from "../../reporter.ts";
import { targetLines } from "../findings/violation-text.ts";

interface LineOutput {
  write(text: string): unknown;
  readonly columns?: number | undefined;
}

/** The minimum number of milliseconds between two progress lines on an output where lines cannot be overwritten. */
const EVERY = 10_000;

/** Shows the progress of a run on standard error. */
export class Live {
  readonly #line: ProgressLine | undefined;
  #stepsOver = 0;
  readonly #options: Pick<ReporterOptions, "stderr" | "verbose">;
  readonly #quoted: Set<string> = new Set();
  readonly #now: () => number;
  #printedAt: number;
  readonly #timeLeft: TimeLeft;

  /** Progress lines are overwritten only on a terminal that a person watches, so not in CI. */
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

  /** Shows how many steps of a journey have ended. `step` is `null` at the beginning of the journey. */
  step(name: string, step: StepResult | null): void {
    this.#stepsOver = step === null ? 0 : this.#stepsOver + 1;
    const over = step === null ? "" : `, ${printable(step.name)} ${step.status.replace("_", " ")}`;
    this.#show((width) => [cut(`${printable(name)}  ${plural(this.#stepsOver, "step")}${over}`, width)]);
  }

  /** On a terminal, overwrites the previous progress lines. Elsewhere, prints a new line, at most once every ten seconds. */
  #show(lines: (width: number) => readonly string[]): void {
    if (this.#line !== undefined) return this.#line.show(lines(this.#line.width));
    if (this.#now() - this.#printedAt < EVERY) return;
    this.#printedAt = this.#now();
    this.message(lines(Infinity).join("\n"));
  }

  /** Prints lines of the target's output, each text only once, because several lanes may report the same crash. */
  #quote(lines: readonly string[]): void {
    const text = lines.map((line) => `  ${line}`).join("\n");
    if (this.#quoted.has(text)) return;
    this.#quoted.add(text);
    this.message(text);
  }

  message(text: string): void {
    this.clear();
    this.#options.stderr.write(`${printableLines(text)}\n`);
  }

  clear(): void {
    this.#line?.clear();
  }
}

/** Progress lines at the bottom of a terminal. New progress overwrites these lines, and other output removes them. */
class ProgressLine {
  readonly #output: LineOutput;
  #shown = 0;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  /** The number of usable columns: one less than the terminal has, because some terminals begin a new line when the last column is full. */
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

  /** Returns the escape sequence that moves the cursor to the beginning of the first progress line. */
  #back(): string {
    return `\r${this.#shown > 1 ? `\x1b[${this.#shown - 1}A` : ""}`;
  }
}
