import { withoutSecrets } from "../../model/text/url-secrets.ts";

const KEPT_CHARACTERS = 64 * 1024;
/** Maximum number of output lines that a message shows. This number is enough for an error of Node with its stack and properties. */
const SHOWN_LINES = 40;
/** Maximum number of characters that a message shows of each line. */
const LINE = 400;

export class OutputTail {
  readonly #passwords: readonly string[];
  #chunks: string[] = [];
  #length = 0;

  /** @param passwords Texts that {@link text} must not contain. */
  constructor(passwords: readonly string[] = []) {
    this.#passwords = passwords;
  }

  push(text: string): void {
    this.#chunks.push(text);
    this.#length += text.length;
    if (this.#length > 2 * KEPT_CHARACTERS) this.#shorten();
  }

  /** The output as the process printed it. */
  get raw(): string {
    this.#shorten();
    return this.#chunks.join("");
  }

  /** The output without escape sequences, control characters and passwords. */
  get text(): string {
    return withoutSecrets(printable(this.raw), this.#passwords);
  }

  #shorten(): void {
    const kept = this.#chunks.join("").slice(-KEPT_CHARACTERS);
    this.#chunks = [kept];
    this.#length = kept.length;
  }
}

/** Returns the last non-empty lines of an output. */
export function lastLines(text: string): readonly string[] {
  const lines = text.split("\n").map((line) => line.trimEnd().slice(0, LINE));
  return lines.filter((line) => line !== "").slice(-SHOWN_LINES);
}

/** Returns the lines, indented, as the end of a message. Returns an empty text if there are no lines. */
export function quoted(lines: readonly string[]): string {
  return lines.map((line) => `\n  | ${line}`).join("");
}

/** Returns the text without control characters and escape sequences, because a terminal would execute the sequences that a target prints. */
export function printable(text: string): string {
  // oxlint-disable no-control-regex -- control characters are searched for here
  return text
    .replace(/\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[@-Z\\-_])/g, "")
    .replace(/\r\n/g, "\n")
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, "");
  // oxlint-enable no-control-regex
}
