import { OutputLog } from "./output-log.ts";
import { printable } from "./output-tail.ts";
import { withoutSecrets } from "./without-secrets.ts";

/** Lines that are known with their times, and the characters of one. */
const KEPT = 2_000;
const LINE = 400;
/** How long a line may take from the target's pipe to us, in milliseconds. */
const PIPE_MS = 50;
/** Lines of one step that are shown. */
const SHOWN = 40;

/** The output of a lane's target: all of it in a bounded file, and the last lines with the times at which they came. */
export class TargetOutput {
  readonly #file: string;
  readonly #passwords: readonly string[];
  #log: OutputLog | undefined;
  #lines: { readonly atMs: number; readonly text: string }[] = [];
  #rest = "";

  /** @param passwords Hidden wherever they stand. The file is made when something is printed. */
  constructor(file: string, passwords: readonly string[]) {
    this.#file = file;
    this.#passwords = passwords;
  }

  write(text: string): void {
    this.#log ??= new OutputLog(this.#file, this.#passwords);
    this.#log.write(text);
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(-LINE);
    const atMs = Date.now();
    for (const line of lines) this.#lines.push({ atMs, text: line.slice(0, LINE) });
    if (this.#lines.length > 2 * KEPT) this.#lines = this.#lines.slice(-KEPT);
  }

  /** The lines that came in a time, in milliseconds since 1970: the last of them where there are many. Without passwords and control characters. */
  between(fromMs: number, toMs: number): readonly string[] {
    const lines = this.#lines.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs + PIPE_MS).map(({ text }) => text.trimEnd());
    return lines
      .filter((line) => line !== "")
      .slice(-SHOWN)
      .map((line) => withoutSecrets(printable(line), this.#passwords));
  }

  close(): void {
    this.#log?.close();
    this.#log = undefined;
  }
}
