import { withoutSecrets } from "./without-secrets.ts";

const KEPT_CHARACTERS = 64 * 1024;
const SHOWN_LINES = 20;

/** The last of what a process printed, bounded. */
export class OutputTail {
  #chunks: string[] = [];
  #length = 0;

  push(text: string): void {
    this.#chunks.push(text);
    this.#length += text.length;
    if (this.#length > 2 * KEPT_CHARACTERS) this.#shorten();
  }

  /** As it came. */
  get raw(): string {
    this.#shorten();
    return this.#chunks.join("");
  }

  /** For people: without escape sequences, control characters and passwords. */
  get text(): string {
    return withoutSecrets(printable(this.raw));
  }

  #shorten(): void {
    const kept = this.#chunks.join("").slice(-KEPT_CHARACTERS);
    this.#chunks = [kept];
    this.#length = kept.length;
  }
}

/** The last lines, indented, to be put below a message; empty when nothing was printed. */
export function quoted(text: string): string {
  const lines = text.split("\n").map((line) => line.trimEnd().slice(0, 400));
  const shown = lines.filter((line) => line !== "").slice(-SHOWN_LINES);
  return shown.map((line) => `\n  | ${line}`).join("");
}

/** Terminals take orders from control characters, and a target may print anything. */
export function printable(text: string): string {
  // oxlint-disable no-control-regex -- they are what is looked for
  return text
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[@-Z\\-_])/g, "")
    .replace(/\r\n/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "");
  // oxlint-enable no-control-regex
}
