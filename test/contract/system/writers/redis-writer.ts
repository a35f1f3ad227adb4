import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A command: strings of one character a byte. `["sleep", ms]` waits. */
export type Command = readonly string[];

/** Another process that writes to a Redis database. */
export class RedisWriter {
  readonly #child: ChildProcessWithoutNullStreams;
  #errors = "";
  #waiting: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;

  constructor(url: string) {
    const { hostname, port, pathname } = new URL(url);
    const program = fileURLToPath(new URL("redis-writer.mjs", import.meta.url));
    this.#child = spawn(process.execPath, [program, hostname, port, pathname.slice(1) || "0"], { stdio: "pipe" });
    this.#child.stderr.on("data", (data: Buffer) => (this.#errors += data.toString()));
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#waiting?.resolve(line));
    this.#child.on("exit", () => this.#waiting?.reject(new Error(`The writer ended: ${this.#errors}`)));
  }

  /** Runs commands; gives how many were refused. */
  async run(...commands: readonly Command[]): Promise<number> {
    const answer = new Promise<string>((resolve, reject) => (this.#waiting = { resolve, reject }));
    this.#child.stdin.write(`${JSON.stringify(commands)}\n`);
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
