import { spawn, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, describe } from "vitest";
import { RemoteAdapter } from "../../../../src/adapters/remote/index.ts";
import { size } from "../../../sizes.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";

const folder = fileURLToPath(new URL("../../../../fixtures/remote/", import.meta.url));
const SERVERS = { node: [process.execPath, "server.mjs"], python: ["python3", "server.py"] } as const;

const servers: ChildProcess[] = [];
afterAll(() => {
  for (const one of servers) one.kill("SIGKILL");
});

interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

/** Two of each, started once: what a test leaves is put back by the adapter, as with a target of the user's own. */
const started = new Map<string, Promise<Server>>();

function serverOf(language: keyof typeof SERVERS, lane: number): Promise<Server> {
  const key = `${language} ${lane}`;
  let server = started.get(key);
  if (server === undefined) started.set(key, (server = start(language)));
  return server;
}

async function start(language: keyof typeof SERVERS): Promise<Server> {
  const port = await freePort();
  const [command, file] = SERVERS[language];
  const process = spawn(command, [file], {
    cwd: folder,
    env: { ...globalThis.process.env, PORT: String(port), BUG: "1" },
    stdio: "inherit",
  });
  servers.push(process);
  const url = `http://127.0.0.1:${port}`;
  for (const end = performance.now() + 15_000; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (process.exitCode !== null) break;
    const answer = await fetch(`${url}/sold`).catch(() => undefined);
    if (answer?.ok === true) return { url, process };
  }
  throw new Error(`${command} ${file} did not start.`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** What any client of the API may do; also what it refuses. */
async function call(url: string, random: Random): Promise<void> {
  const verb = random.pick(["reserve", "reserve", "pay", "pay", "release"]);
  const answer = await fetch(`${url}/seats/${1 + random.below(3)}/${verb}`, { method: "POST" });
  await answer.arrayBuffer();
}

async function lane(language: keyof typeof SERVERS, laneIndex: number): Promise<Subject> {
  const { url } = await serverOf(language, laneIndex);
  const system = new RemoteAdapter({ url: `${url}/__seqqa` });
  await system.open({ name: "shop", laneIndex, inProcess: false, borrowed: true });
  return { system, write: (random) => call(url, random), close: () => system.close() };
}

describe("remote, a target in Node", () => {
  systemContract({ lane: (index) => lane("node", index), cycles: size(6, 10_000), seed: 21 });
});

describe("remote, a target in Python", () => {
  systemContract({ lane: (index) => lane("python", index), cycles: size(6, 10_000), seed: 22 });
});
