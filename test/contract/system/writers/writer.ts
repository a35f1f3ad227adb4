import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Another process that writes to a SQLite file. */
export class Writer {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  #errors = "";
  #waiting: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;

  private constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stderr.on("data", (data: Buffer) => (this.#errors += data.toString()));
    this.#lines = createInterface({ input: child.stdout });
    this.#lines.on("line", (line) => this.#waiting?.resolve(line));
    child.on("exit", () => this.#waiting?.reject(new Error(`The writer ended: ${this.#errors}`)));
  }

  static start(language: "node" | "python", file: string, journalMode: "wal" | "delete" = "wal"): Writer {
    const program = language === "node" ? "node-writer.mjs" : "python_writer.py";
    const command = language === "node" ? process.execPath : "python3";
    return new Writer(spawn(command, [fileURLToPath(new URL(program, import.meta.url)), file, journalMode], { stdio: "pipe" }));
  }

  /** Runs statements; gives how many were refused. */
  async run(...statements: readonly string[]): Promise<number> {
    const answer = new Promise<string>((resolve, reject) => (this.#waiting = { resolve, reject }));
    this.#child.stdin.write(`${JSON.stringify(statements)}\n`);
    const failed = Number(await answer);
    this.#waiting = undefined;
    return failed;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.on("exit", resolve));
    this.#waiting = undefined;
    this.#child.stdin.end();
    await ended;
  }
}
