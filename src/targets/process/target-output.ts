import { OutputLog } from "./output-log.ts";
import { printable } from "./output-tail.ts";

/** Limits for the output in memory: `KEPT` lines, and `LINE` characters of each line. */
const KEPT = 2_000;
const LINE = 400;
/**
 * The maximum number of characters of an incomplete line that wait in memory until the line ends. Secrets are searched for in whole lines, so that a
 * secret that is split over two chunks is found.
 */
const LONGEST = 64 * 1024;
/** Maximum number of lines that the report of one step shows. */
const SHOWN = 40;

/**
 * The output of a lane's target, without secrets. The whole output goes to a file of limited size. The last lines are also kept in memory, with their
 * times.
 */
export class TargetOutput {
  readonly #file: string;
  readonly #hide: (line: string) => string;
  #log: OutputLog | undefined;
  #lines: { readonly atMs: number; readonly text: string }[] = [];
  #rest = "";
  /** `true` if the file could not be created. */
  #isLost = false;

  /** @param file The file for the output, which is created when the first text arrives. @param hide Returns a line without its secrets. */
  constructor(file: string, hide: (line: string) => string) {
    this.#file = file;
    this.#hide = hide;
  }

  write(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    if (this.#rest.length > LONGEST) {
      lines.push(this.#rest);
      this.#rest = "";
    }
    this.#take(lines);
  }

  /** Returns the last lines that the target printed in an interval. The bounds are in milliseconds since 1970. */
  between(fromMs: number, toMs: number): readonly string[] {
    const lines = this.#lines.filter(({ atMs, text }) => atMs >= fromMs && atMs <= toMs && text !== "");
    return lines.slice(-SHOWN).map(({ text }) => text);
  }

  close(): void {
    if (this.#rest !== "") this.#take([this.#rest]);
    this.#rest = "";
    this.#log?.close();
    this.#log = undefined;
  }

  /** Returns the open file; `undefined` if it cannot be written. This failure must not end the run, because only output of the target is lost. */
  #opened(): OutputLog | undefined {
    if (this.#isLost) return undefined;
    try {
      return new OutputLog(this.#file);
    } catch {
      this.#isLost = true;
      return undefined;
    }
  }

  #take(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const shown = lines.map((line) => this.#hide(printable(line)).trimEnd());
    this.#log ??= this.#opened();
    this.#log?.write(`${shown.join("\n")}\n`);
    const atMs = Date.now();
    for (const text of shown) this.#lines.push({ atMs, text: text.slice(0, LINE) });
    if (this.#lines.length > 2 * KEPT) this.#lines = this.#lines.slice(-KEPT);
  }
}
