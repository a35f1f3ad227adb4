import { OutputLog } from "./output-log.ts";
import { printable } from "./output-tail.ts";

/** Lines that are known with their times, and the characters of one. */
const KEPT = 2_000;
const LINE = 400;
/** Characters of a line that is waited for to its end, so that a secret in it is seen whole. */
const LONGEST = 64 * 1024;
/** How long a line may take from the target's pipe to us, in milliseconds. */
const PIPE_MS = 50;
/** Lines of one step that are shown. */
const SHOWN = 40;

/** The output of a lane's target, as it may be shown: all of it in a bounded file, and the last lines with the times at which they came. */
export class TargetOutput {
  readonly #file: string;
  readonly #hide: (line: string) => string;
  #log: OutputLog | undefined;
  #lines: { readonly atMs: number; readonly text: string }[] = [];
  #rest = "";

  /** @param hide A line without what must not be shown. The file is made when something is printed. */
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

  /** The lines that came in a time, in milliseconds since 1970: the last of them where there are many. */
  between(fromMs: number, toMs: number): readonly string[] {
    const lines = this.#lines.filter(({ atMs, text }) => atMs >= fromMs && atMs <= toMs + PIPE_MS && text !== "");
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
