import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** A program beside this file: it reads a JSON array of commands a line, executes them, and says how many were refused. */
type Program =
  | "node-writer.mjs"
  | "python_writer.py"
  | "postgres-writer.mjs"
  | "mysql-writer.mjs"
  | "redis-writer.mjs"
  | "queue-writer.mjs";

/** Another process that writes to a store; its commands are statements where the store speaks SQL. */
export class Writer<Command = string> {
  readonly #child: ChildProcessWithoutNullStreams;
  #errors = "";
  #waiting: { resolve: (line: string) => void; reject: (error: Error) => void } | undefined;

  /** `where`: the arguments by which the program finds the store. */
  constructor(program: Program, ...where: readonly string[]) {
    const command = program.endsWith(".py") ? "python3" : process.execPath;
    this.#child = spawn(command, [fileURLToPath(new URL(program, import.meta.url)), ...where], { stdio: "pipe" });
    this.#child.stderr.on("data", (data: Buffer) => (this.#errors += data.toString()));
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#waiting?.resolve(line));
    this.#child.on("exit", () => this.#waiting?.reject(new Error(`The writer ended: ${this.#errors}`)));
  }

  /** Runs commands; gives how many were refused. */
  async run(...commands: readonly Command[]): Promise<number> {
    const answer = new Promise<string>((resolve, reject) => (this.#waiting = { resolve, reject }));
    this.#child.stdin.write(`${JSON.stringify(commands)}\n`);
    const refused = Number(await answer);
    this.#waiting = undefined;
    return refused;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return;
    const ended = new Promise((resolve) => this.#child.on("exit", resolve));
    this.#waiting = undefined;
    this.#child.stdin.end();
    await ended;
  }
}
