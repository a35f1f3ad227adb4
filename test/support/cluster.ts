import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Authority } from "./certificates.ts";
import { atEnd } from "./at-end.ts";
import { emptyFolder, folderWith, linkPackages, root, seqqa, start, type Ran, type Running } from "./e2e.ts";
import { outcomeIn } from "./outcome.ts";
import { redis } from "./services/kinds.ts";
import { background, find, program, type Found, type Service } from "./services/service.ts";

/** The secret of all distributed runs in tests. */
export const SECRET = "of-the-distributed-runs-of-tests-0123456789";

/** Starts a Redis for one test, because a worker takes the newest run that it finds in its Redis. */
export const ownRedis = (): Promise<OwnRedis> => own(redis);

type OwnRedis = Extract<Found, { kind: "found" }>;

/** Starts a Redis for one test that accepts only TLS and requires a password. The URL does not contain the password. */
export function ownSecureRedis({ cert, key }: Authority, password: string): Promise<OwnRedis> {
  return own({
    ...redis,
    url: (port) => `rediss://127.0.0.1:${port}`,
    start: (port, directory) => {
      for (const [name, text] of Object.entries({ cert, key })) writeFileSync(join(directory, name), text);
      const tls = ["--tls-port", `${port}`, "--port", "0", "--tls-cert-file", "cert", "--tls-key-file", "key", "--tls-auth-clients", "no"];
      const server = program("redis-server");
      if (server === undefined) return undefined;
      return background(server, ["--dir", directory, ...tls, "--bind", "127.0.0.1", "--save", "", "--requirepass", password]);
    },
  });
}

async function own(service: Service): Promise<OwnRedis> {
  const found = await find(service, { running: false });
  if (found.kind === "missing") throw new Error(found.problem);
  atEnd(() => found.stop());
  return found;
}

/** Returns a folder with a copy of some fixtures, like the checkout of another machine. */
export function checkout(...fixtures: readonly string[]): string {
  const folder = emptyFolder();
  for (const name of ["support", ...fixtures]) cpSync(join(root, "fixtures", name), join(folder, "fixtures", name), { recursive: true });
  linkPackages(folder, "seqqa", "better-sqlite3");
  return folder;
}

/** An exploration that counts three counters up to nine in memory: 1,000 states and 3,000 steps. Each call takes WAIT_MS milliseconds. */
const COUNTERS = `import { Action, Agent, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";
const ms = Number(process.env.WAIT_MS ?? 0);
const up = (name) => new Action({
  name,
  run: async (db) => {
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
    if ((db.state[name] ?? 0) === 9) return ApiResponse.of(409);
    db.state[name] = (db.state[name] ?? 0) + 1;
    return ApiResponse.of(200);
  },
});
export const agent = new Agent({
  world: () => {
    const db = new MemoryAdapter({ state: {} });
    return new World({ api: db, systems: { db } });
  },
  actions: [up("a"), up("b"), up("c")],
  invariants: [],
});
`;

/** Returns a folder with explorations that start no target, and with other files. */
export function countersIn(explorations: readonly string[], files: Readonly<Record<string, string>> = {}): string {
  const named = explorations.map((name) => [`${name}.explore.js`, COUNTERS]);
  const folder = folderWith({ "seqqa.yaml": "", ...files, ...Object.fromEntries(named) });
  linkPackages(folder, "seqqa");
  return folder;
}

/** Changes a file of a checkout. @throws Error if the change has no effect */
export function edit(folder: string, file: string, change: (text: string) => string): void {
  const path = join(folder, file);
  const before = readFileSync(path, "utf8");
  const after = change(before);
  if (after === before) throw new Error(`${file} is as it was`);
  writeFileSync(path, after);
}

export interface ClusterOptions {
  readonly url: string;
  /** The directory of explorations, relative to the checkout. */
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly secret?: string;
}

const LONG = 300_000;

export function coordinator({ url, directory, env, args = [], cwd = root, secret = SECRET }: ClusterOptions): Running {
  return start(["run", directory, "--distributed", url, ...args], { cwd, env: { SEQQA_SECRET: secret, ...env }, timeoutMs: LONG });
}

export function worker({ url, directory, env, args = [], cwd = root, secret = SECRET }: ClusterOptions): Running {
  return start(["worker", directory, "--redis", url, ...args], { cwd, env: { SEQQA_SECRET: secret, ...env }, timeoutMs: LONG });
}

/**
 * Runs a worker in the test's own process until it ends. It is for tests in which only the coordinator or another worker needs a separate process.
 * Only one such worker can run at a time.
 */
export function workerHere({ url, directory, env, args = [], cwd = root, secret = SECRET }: ClusterOptions): Promise<Ran> {
  return seqqa(["worker", directory, "--redis", url, ...args], { cwd, env: { SEQQA_SECRET: secret, ...env }, timeoutMs: LONG });
}

/**
 * Returns the exit statuses of workers. A worker that was started after the end of the run waits for another run. It is then interrupted, and counts
 * as ended with status 0.
 */
export const endings = async (all: readonly Running[]): Promise<readonly (number | string | null)[]> =>
  Promise.all(
    all.map(async (one) => {
      let isLate = false;
      const timer = setInterval(() => {
        isLate = /^Waiting for a distributed run on \S+\n$/.test(said(one));
        if (isLate) one.child.kill("SIGINT");
      }, 1000);
      const { status, signal } = await one.ended;
      clearInterval(timer);
      return isLate && status === 130 ? 0 : (signal ?? status);
    }),
  );

/** Returns everything that a process has printed so far. */
export const said = ({ said: { stdout, stderr } }: Running): string => stdout + stderr;

/** Returns the parts of a result that must not depend on the lanes that expanded the states. */
export const found = (output: string): readonly object[] =>
  outcomeIn(output, ({ violations, divergences, errors }) => ({
    violations: violations.map(({ id, reproductionPath, confirmed, count, state, minimality, steps }) => ({
      id,
      reproductionPath,
      confirmed,
      count,
      state,
      minimality,
      steps: steps.length,
    })),
    divergences,
    errors,
  }));

/** Makes a local run for comparison, and returns the folder of its reports. */
export async function locally(directory: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const output = emptyFolder();
  await seqqa(["run", directory, ...args, "--output", output], { env, timeoutMs: LONG });
  return output;
}

/** Returns the contents of all files in a folder. */
export function textsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"));
}
