import { fork, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { atEnd } from "../at-end.ts";
import { root, userEnvironment, type Document, type Explored, type Ran } from "../e2e.ts";
import { actionsOf } from "./model.ts";
import type { Spec } from "./spec.ts";

const here = join(root, "test/support/soundness");
/** The time limit for a run. After it, the process is killed, and the run has no exit status. */
const TIMEOUT_MS = 120_000;

export interface Outcome {
  readonly status: number | null;
  readonly explored: Explored | undefined;
  readonly said: string;
}

/** Processes of {@link runTarget} that wait for the next run. */
const idle: ChildProcess[] = [];

export interface TargetOptions {
  /** `true`: the target has its defect. `false`: it is the correct twin. */
  readonly bug: boolean;
  /** The URL of the store that is copied for each lane. Not set for SQLite and memory. */
  readonly url?: string | undefined;
  /** `exploration.max_time` in seconds. Default: 40. */
  readonly maxTime?: number;
}

export interface RunOptions extends TargetOptions {
  readonly lanes: number;
  /** `--max-depth`. Default: 9. */
  readonly depth?: number;
}

/** Runs the built command on a target, in a process that earlier runs may have used. Calls at the same time use several processes. */
export async function runTarget(spec: Spec, options: RunOptions): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "seqqa-sound-"));
  try {
    writeTarget(folder, spec, options);
    const { lanes, depth = 9 } = options;
    const args = ["run", ".", "--parallel", String(lanes), "--output", "out", "--max-depth", String(depth)];
    const { status, stdout, stderr } = await command(args, folder);
    let explored: Explored | undefined;
    try {
      explored = (JSON.parse(readFileSync(join(folder, "out/results.json"), "utf8")) as Document).explorations[0];
    } catch {
      // The run ended before it wrote results.
    }
    return { status, explored, said: stdout + stderr };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Said = Pick<Ran, "status" | "stdout" | "stderr">;

async function command(args: readonly string[], cwd: string): Promise<Said> {
  const worker = idle.pop() ?? started();
  const timer = setTimeout(() => worker.kill("SIGKILL"), TIMEOUT_MS);
  let stderr = "";
  worker.stderr!.on("data", (text: Buffer) => (stderr += text.toString()));
  const ran = await new Promise<Said>((resolve) => {
    const ended = (): void => resolve({ status: null, stdout: "", stderr: `The process ended.\n${stderr}` });
    worker.once("exit", ended).once("message", (answer) => resolve(answer as Said));
    // An idle process may have ended.
    worker.send({ args, cwd }, (error) => (error === null ? undefined : ended()));
  });
  clearTimeout(timer);
  worker.removeAllListeners("exit").removeAllListeners("message");
  worker.stderr!.removeAllListeners("data");
  if (worker.connected) idle.push(worker);
  return ran;
}

function started(): ChildProcess {
  const worker = fork(join(here, "worker.mjs"), { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [], env: userEnvironment });
  atEnd(() => {
    worker.kill("SIGKILL");
    idle.length = 0;
  });
  return worker;
}

/** Writes the configuration and the agent of a target, e.g. to examine the target by hand. */
export function writeTarget(folder: string, spec: Spec, options: TargetOptions): void {
  writeFileSync(join(folder, "seqqa.yaml"), configOf(spec, options));
  writeFileSync(join(folder, "target.explore.ts"), agentOf(spec));
}

function configOf(spec: Spec, { bug, url, maxTime = 40 }: TargetOptions): string {
  const file = spec.store === "memory" ? "KEPT_IN: memory" : 'DB_PATH: "{db_path}"';
  const store = url === undefined ? file : 'DATABASE_URL: "{db_url}"';
  return `${url === undefined ? "" : `db_url: ${url}\n`}target:
  command: node ${join(here, "server.mjs")}
  ready: /health
  idle_watch: 1
  env:
    PORT: "{port}"
    ${store}
    SPEC: '${JSON.stringify({ ...spec, bug })}'
    DRIVERS: ${pathToFileURL(join(root, "package.json")).href}
exploration:
  max_steps: 20000
  max_time: ${maxTime}
`;
}

function agentOf(spec: Spec): string {
  const actions = actionsOf(spec).map((name) => {
    if (name === "create") {
      const body = spec.ids === "client" ? "{ json: { ref: randomUUID() } }" : "{}";
      return `new Action({ name: "create", run: async (api, context) => { const response = await api.post("/items", ${body}); if (response.statusCode === 201) context.ref = response.json().id; return response; } })`;
    }
    if (name === "choose")
      return `new Action({ name: "choose", run: async (api, context) => { const response = await api.get("/items"); const [first] = response.json(); if (first !== undefined) context.ref = first.id; return response; } })`;
    const [verb, word] = name.split("_");
    const body = word === undefined ? "{}" : `{ json: { word: "${word}" } }`;
    return `new Action({ name: "${name}", precondition: (context) => context.has("ref"), run: async (api, context) => api.post(\`/items/\${encodeURIComponent(context.ref)}/${verb}\`, ${body}) })`;
  });
  const ignored = spec.noise && spec.ignored ? [`${spec.table}.latency`] : [];
  const hidden =
    spec.store === "memory"
      ? `, probe: async ({ api }: any) => (await api.get("/state")).json(), reset: async ({ api }: any) => { await api.post("/reset"); }`
      : "";
  return `import { randomUUID } from "node:crypto";
import { Action, Agent, Invariant, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
export const agent = new Agent<any>({
  name: "target",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems, ignore: ${JSON.stringify(ignored)}${hidden} }),
  actions: [
    ${actions.join(",\n    ")},
  ],
  invariants: [new Invariant({ name: "nothing_spoilt", check: async (world: any) => (await world.api.get("/audit")).json().bad === 0 })],
});
void randomUUID;
`;
}
