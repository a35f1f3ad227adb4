import type { Progress } from "../engine/events.ts";
import { grouped } from "./numbers.ts";
import { printable } from "./printable.ts";

/** What a run is doing right now, on one line of at most `width` columns. */
export function progressText(name: string, progress: Progress, options: { readonly verbose: boolean; readonly width: number }): string {
  const parts = [
    printable(name),
    `${grouped(progress.states)} states`,
    `${grouped(progress.steps)}/${grouped(progress.maxSteps)} steps`,
    `${grouped(progress.stepsPerSecond)}/s`,
    `frontier ${grouped(progress.frontier)}`,
    `depth ${grouped(progress.depth)}`,
    `violations ${grouped(progress.violations)}`,
    ...(options.verbose && progress.laneUse.length > 0 ? [`lanes ${progress.laneUse.map((use) => `${Math.round(use * 100)}%`).join(" ")}`] : []),
  ];
  return fit(parts.join("  "), options.width);
}

/** Cuts by columns: what lies above the Latin, Greek and Cyrillic letters is taken to be two wide, so that a line never wraps. */
function fit(text: string, width: number): string {
  let columns = 0;
  let kept = "";
  for (const character of text) {
    columns += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1;
    if (columns > width) break;
    kept += character;
  }
  return kept;
}

interface LineOutput {
  write(text: string): unknown;
  readonly columns?: number | undefined;
}

/** A line that is rewritten in place, and gets out of the way of whatever else is printed. */
export class ProgressLine {
  readonly #output: LineOutput;
  #shown = false;

  constructor(output: LineOutput) {
    this.#output = output;
  }

  /** One less than the terminal has: a full last column makes some terminals wrap. */
  get width(): number {
    return Math.max(20, (this.#output.columns ?? 80) - 1);
  }

  show(text: string): void {
    this.#output.write(`\r${text}\x1b[K`);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#output.write("\r\x1b[K");
    this.#shown = false;
  }
}
