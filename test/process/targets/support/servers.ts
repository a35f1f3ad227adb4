import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEveryTest } from "../../../support/at-end.ts";
import { identify } from "../../../../src/targets/process/process-identity.ts";
import { TargetHost } from "../../../../src/targets/index.ts";
import type { TargetConfig, TargetHostOptions } from "../../../../src/targets/index.ts";

/** Answers with what it was started with. */
export const ECHO = `
import { createServer } from "node:http";
const server = createServer((request, response) => {
  if (request.url === "/exit") process.exit(7);
  response.end(JSON.stringify({ pid: process.pid, env: process.env, argv: process.argv.slice(2), cwd: process.cwd() }));
});
server.listen(Number(process.env.PORT), "127.0.0.1");
`;

const folders: string[] = [];
const hosts: TargetHost[] = [];
const servers: Server[] = [];

/** A folder of its own, with files in it, removed after the test. */
export function folderWith(files: Readonly<Record<string, string>> = { "server.mjs": ECHO }): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "seqqa-targets-")));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** A host whose stores lie in its own folder, closed after the test. */
export async function hostOf(
  config: Omit<TargetConfig, "folder"> & { folder?: string },
  options: TargetHostOptions = {},
): Promise<TargetHost> {
  const folder = config.folder ?? folderWith();
  const directory = join(folder, "tmp");
  mkdirSync(directory, { recursive: true });
  const host = await TargetHost.create({ ...config, folder }, { directory, ...options });
  hosts.push(host);
  return host;
}

afterEveryTest(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
  for (const server of servers.splice(0)) server.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

export interface Echo {
  readonly pid: number;
  readonly env: Readonly<Record<string, string>>;
  readonly argv: readonly string[];
  readonly cwd: string;
}

export async function echo(baseUrl: string): Promise<Echo> {
  return (await (await fetch(`${baseUrl}/`)).json()) as Echo;
}

/** Zombies do not run. */
export function isRunning(pid: number): boolean {
  return identify(pid) !== undefined;
}

/** Listens on a free port of 127.0.0.1 and returns it; closed after the test. */
export async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A port that nothing listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export async function eventually(holds: () => boolean | Promise<boolean>, what: string, withinMs: number = 5_000): Promise<void> {
  for (const until = Date.now() + withinMs; Date.now() < until; await new Promise((resolve) => setTimeout(resolve, 10))) {
    if (await holds()) return;
  }
  throw new Error(`not within ${withinMs} ms: ${what}`);
}

/** What a promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<{ code: string; message: string; hint: string; exitStatus: number }> {
  const value: unknown = await promise.then(
    () => {
      throw new Error("it did not reject");
    },
    (error: unknown) => error,
  );
  return value as { code: string; message: string; hint: string; exitStatus: number };
}
