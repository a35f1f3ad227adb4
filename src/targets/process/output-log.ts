import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { SeqqaError } from "../../model/errors.ts";
import { withoutSecrets } from "../../model/text/url-secrets.ts";

/** Size limit of the file. A full file is renamed to `<file>.1`, so at most twice this size is kept. */
const MOST_BYTES = 4 * 1024 * 1024;
/**
 * The maximum number of characters of an incomplete line that wait in memory until the line ends. Passwords are searched for in whole lines, so that
 * a password that is split over two writes is found.
 */
const LONGEST_LINE = 64 * 1024;

/** Writes the output of a process to a file of limited size, without passwords. */
export class OutputLog {
  readonly #file: string;
  readonly #passwords: readonly string[];
  readonly #mostBytes: number;
  #descriptor: number | undefined;
  #bytes = 0;
  #rest = "";

  /** @param passwords Texts that the file must not contain. @throws SeqqaError `OUTPUT_LOG` if the file cannot be created */
  constructor(file: string, passwords: readonly string[] = [], mostBytes: number = MOST_BYTES) {
    this.#file = file;
    this.#passwords = passwords;
    this.#mostBytes = mostBytes;
    try {
      mkdirSync(dirname(file), { recursive: true });
      rmSync(`${file}.1`, { force: true });
      this.#descriptor = openSync(file, "w");
    } catch (cause) {
      const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
      throw new SeqqaError("OUTPUT_LOG", `seqqa cannot write the output of a process to ${file} (${code}).`, {
        exitStatus: 2,
        hint: "Check the permissions and the free space of this folder, or choose another folder with --output or report.output_dir.",
        cause,
      });
    }
  }

  write(text: string): void {
    const lines = this.#rest + text;
    const end = lines.length > LONGEST_LINE ? lines.length : lines.lastIndexOf("\n") + 1;
    this.#rest = lines.slice(end);
    this.#append(lines.slice(0, end));
  }

  close(): void {
    this.#append(this.#rest);
    this.#rest = "";
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  /** Writes text to the file. Ignores errors such as a full disk. */
  #append(text: string): void {
    if (text === "" || this.#descriptor === undefined) return;
    try {
      const bytes = Buffer.from(withoutSecrets(text, this.#passwords));
      if (this.#bytes > 0 && this.#bytes + bytes.length > this.#mostBytes) {
        closeSync(this.#descriptor);
        this.#descriptor = undefined;
        renameSync(this.#file, `${this.#file}.1`);
        this.#descriptor = openSync(this.#file, "w");
        this.#bytes = 0;
      }
      this.#bytes += writeSync(this.#descriptor, bytes);
    } catch {
      // Ignore the error, because only output of the process is lost.
    }
  }
}
