import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";

/** Another process that writes to a PostgreSQL database. */
export class MysqlWriter {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: Interface;
  #errors = "";
  #waiting: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;

  constructor(url: string) {
    const program = fileURLToPath(new URL("mysql-writer.mjs", import.meta.url));
    this.#child = spawn(process.execPath, [program, url], { stdio: "pipe" });
    this.#child.stderr.on("data", (data: Buffer) => (this.#errors += data.toString()));
    this.#lines = createInterface({ input: this.#child.stdout });
    this.#lines.on("line", (line) => this.#waiting?.resolve(line));
    this.#child.on("exit", () => this.#waiting?.reject(new Error(`The writer ended: ${this.#errors}`)));
  }

  /** Runs statements; gives how many were refused. */
  async run(...statements: readonly string[]): Promise<number> {
    const answer = new Promise<string>((resolve, reject) => (this.#waiting = { resolve, reject }));
    this.#child.stdin.write(`${JSON.stringify(statements)}\n`);
    const refused = Number(await answer);
    this.#waiting = undefined;
    return refused;
  }

  get errors(): string {
    return this.#errors;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.on("exit", resolve));
    this.#waiting = undefined;
    this.#child.stdin.end();
    await ended;
  }
}
