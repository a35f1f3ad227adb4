import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll } from "vitest";

/** Runs `doomed-run.ts` in processes of their own, as plain JavaScript. `quiet`: it stands in a state that it recorded. `wait`: until it has begun; default true. */
export function doomedRuns(): { start: (file: string, how: "busy" | "quiet", seed: number, wait?: boolean) => Promise<DoomedRun> } {
  // Inside the repository, where the driver is found.
  const directory = fileURLToPath(new URL(`../../../../node_modules/.cache/seqqa-doomed-${process.pid}`, import.meta.url));
  const program = join(directory, "doomed-run.mjs");
  const runs: DoomedRun[] = [];
  beforeAll(async () => {
    mkdirSync(directory, { recursive: true });
    const entry = fileURLToPath(new URL("doomed-run.ts", import.meta.url));
    await build({ entryPoints: [entry], bundle: true, platform: "node", format: "esm", packages: "external", outfile: program });
  });
  afterAll(async () => {
    for (const run of runs) await run.kill();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    start: async (file, how, seed, wait = true) => {
      const run = new DoomedRun(spawn(process.execPath, [program, file, how, String(seed)], { stdio: ["ignore", "pipe", "pipe"] }));
      runs.push(run);
      if (wait) await run.begun();
      return run;
    },
  };
}

export class DoomedRun {
  readonly #child: ChildProcess;
  readonly pid: number;
  #said = "";
  #errors = "";

  constructor(child: ChildProcess) {
    this.#child = child;
    this.pid = child.pid!;
    child.stdout?.on("data", (text: Buffer) => (this.#said += text.toString()));
    child.stderr?.on("data", (text: Buffer) => (this.#errors += text.toString()));
  }

  async begun(): Promise<void> {
    while (this.#said === "") {
      if (this.#child.exitCode !== null) throw new Error(`It ended: ${this.#errors}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** SIGKILL: nothing of it runs any more. @throws what ended it before */
  async kill(): Promise<void> {
    if (this.#child.signalCode !== null) return;
    if (this.#child.exitCode !== null) throw new Error(`It ended by itself: ${this.#errors}`);
    const gone = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await gone;
  }
}
