interface LineOutput {
  write(text: string): unknown;
  readonly columns?: number | undefined;
}

/** Lines that are rewritten in place, and make way for other output. */
export class ProgressLine {
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
