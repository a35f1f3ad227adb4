import { OutputLog } from "./output-log.ts";
import { printable } from "./output-tail.ts";

/** Number of lines that are kept with their times, and of characters in one. */
const KEPT = 2_000;
const LINE = 400;
/** Longest unfinished line, in characters, that is held back so that a secret in it is seen whole. */
const LONGEST = 64 * 1024;
/** Number of lines shown for one step. */
const SHOWN = 40;

/** The output of a lane's target, as it may be shown: all of it in a file of limited size, and the last lines with their times of arrival. */
export class TargetOutput {
  readonly #file: string;
  readonly #hide: (line: string) => string;
  #log: OutputLog | undefined;
  #lines: { readonly atMs: number; readonly text: string }[] = [];
  #rest = "";

  /** @param hide Returns a line without secrets. The file is made when the first text arrives. */
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

  /** Returns the last lines that arrived in an interval, in milliseconds since 1970. */
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

  #take(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const shown = lines.map((line) => this.#hide(printable(line)).trimEnd());
    this.#log ??= new OutputLog(this.#file);
    this.#log.write(`${shown.join("\n")}\n`);
    const atMs = Date.now();
    for (const text of shown) this.#lines.push({ atMs, text: text.slice(0, LINE) });
    if (this.#lines.length > 2 * KEPT) this.#lines = this.#lines.slice(-KEPT);
  }
}
