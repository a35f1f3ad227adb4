import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { afterAll, beforeAll } from "vitest";
import { bundleOf } from "./bundles.ts";

/** The class of each adapter, by the name of its folder. */
const CLASSES = { postgres: "PostgresAdapter", mysql: "MysqlAdapter", redis: "RedisAdapter" } as const;

/**
 * Runs code with an adapter in other processes, which can be killed. The parameter `body` is the body of an async function that can use the adapter's
 * class, `stores` and `say(value)`. After the function has ended, the process stays until it is killed.
 */
export function otherRuns(
  adapter: keyof typeof CLASSES,
  environment: () => Readonly<Record<string, string>> = () => ({}),
): { start: (body: string) => OtherRun } {
  let bundle = "";
  const runs: OtherRun[] = [];
  beforeAll(async () => {
    bundle = await bundleOf(adapter);
  });
  afterAll(async () => {
    for (const run of runs) await run.kill();
  });
  return {
    start: (body) => {
      const program = `const { ${CLASSES[adapter]}, stores } = require(${JSON.stringify(bundle)});
        const say = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
        setInterval(() => {}, 1000);
        (async () => { ${body} })().catch((error) => say({ error: String(error.code) + " " + error.message }));`;
      const run = new OtherRun(spawn(process.execPath, ["-e", program], { stdio: "pipe", env: { ...process.env, ...environment() } }));
      runs.push(run);
      return run;
    },
  };
}

class OtherRun {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #said: unknown[] = [];
  #listener: (() => void) | undefined;
  #errors = "";

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    child.stderr.on("data", (data: Buffer) => (this.#errors += data.toString()));
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.#said.push(JSON.parse(line));
      this.#listener?.();
    });
    child.on("exit", () => this.#listener?.());
  }

  /** Returns the next value that the process passes to `say`. */
  async said(): Promise<unknown> {
    while (this.#said.length === 0) {
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) throw new Error(`It ended: ${this.#errors}`);
      await new Promise<void>((resolve) => (this.#listener = resolve));
    }
    return this.#said.shift();
  }

  /** Kills the process with SIGKILL, so that none of its code runs any more. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = new Promise((resolve) => this.#child.on("exit", resolve));
    this.#child.kill("SIGKILL");
    await gone;
  }
}
