import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { startNode } from "../support/e2e.ts";
import { dumpDatabase } from "./dump-database.ts";
import { install } from "./install.ts";

const NAME = "unleash-server";
const VERSION = "6.10.1";
const PORT = 24_242;
/** At every start it does the work of its daily jobs once, 2 to 30 s later: what that writes the first time belongs to the template. */
const FIRST_JOBS_MS = 32_000;

export const installServer = (): Promise<string> => install(NAME, VERSION);

/** Starts the server on an empty database, which it fills by its migrations, and stops it when its jobs have nothing to do any more. */
export async function migrate(folder: string, databaseUrl: string): Promise<void> {
  const env = {
    DATABASE_URL: databaseUrl,
    DATABASE_SSL: "false",
    HTTP_HOST: "127.0.0.1",
    HTTP_PORT: String(PORT),
    AUTH_TYPE: "none",
    CHECK_VERSION: "false",
    SEND_TELEMETRY: "false",
    LOG_LEVEL: "error",
  };
  const server = startNode([join(folder, "node_modules", NAME, "dist/server.js")], { env, timeoutMs: 300_000 });
  let over = false;
  void server.ended.then(() => (over = true));
  while (!(await answers())) {
    if (over) throw new Error(`${NAME} ended while it was starting:\n${server.said.stdout}${server.said.stderr}`);
    await pause(100);
  }
  await pause(FIRST_JOBS_MS);
  for (let [before, now] = ["", await dumpDatabase(databaseUrl)]; before !== now; now = await dumpDatabase(databaseUrl)) {
    before = now;
    await pause(3000);
  }
  server.child.kill("SIGTERM");
  await server.ended;
}

async function answers(): Promise<boolean> {
  try {
    return (await fetch(`http://127.0.0.1:${PORT}/health`)).ok;
  } catch {
    return false;
  }
}
