import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

export interface ServedFile {
  readonly origin: string;
  readonly file: string;
  stop(): Promise<void>;
}

/** Starts the server of a fixture in its own process, with a new SQLite file, which is in memory (`/dev/shm`) on Linux. */
export function serveFixture(name: string): Promise<ServedFile> {
  return serveScript(join("fixtures", name, "server.mjs"));
}

/**
 * Starts any script like {@link serveFixture}. @param script The path relative to the root of the repository. @param more Further environment
 * variables.
 */
export async function serveScript(script: string, more: Readonly<Record<string, string>> = {}): Promise<ServedFile> {
  const folder = mkdtempSync(join(process.platform === "linux" ? "/dev/shm" : tmpdir(), "seqqa-bench-"));
  const file = join(folder, "lane.db");
  const port = await freePort();
  const server = spawn(process.execPath, [join(process.env["SEQQA_ROOT"]!, script)], {
    env: { ...process.env, PORT: String(port), DB_PATH: file, ...more },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const gone = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    server.kill();
    await gone;
    rmSync(folder, { recursive: true, force: true });
  };
  const origin = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 200; tries++) {
    const answered = await fetch(origin).then(
      (response) => response.arrayBuffer().then(() => true),
      () => false,
    );
    if (answered) return { origin, file, stop };
    await sleep(25);
  }
  await stop();
  throw new Error(`The server ${script} did not get ready.`);
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
