import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { emptyFolder, isRunning, until } from "./e2e.ts";
import { directoriesOf } from "./run-directories.ts";

/**
 * A server with notes in memory. The variable `HOLD` names a moment and a file. At this moment, the server creates the file and stops answering. The
 * moment `restart` is each start after a note was created in any process. With `crash`, the server also ends when the first note is created.
 */
export const HELD_SERVER = `
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
const [moment, file] = (process.env.HOLD ?? "").split("=");
const hold = (...now) => now.includes(moment) && (writeFileSync(file, ""), true);
let notes = 0;
const server = createServer((request, response) => {
  if (request.method === "POST" && ["restart", "crash"].includes(moment)) writeFileSync(file + ".made", "");
  if (request.method === "POST" && moment === "crash") process.exit(7);
  if (request.method === "POST" && notes === 1 && hold("step")) return;
  if (request.method === "GET" && notes === 2 && hold("rule")) return;
  if (request.method === "POST") notes++;
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ notes }));
});
process.on("SIGHUP", () => undefined);
if (hold("target") || (existsSync(file + ".made") && hold("restart", "crash"))) setInterval(() => undefined, 1000);
else server.listen(Number(process.env.PORT), "127.0.0.1");
`;
/** A service that creates the file of `HOLD` and never answers. */
const SERVICE = `
import { writeFileSync } from "node:fs";
writeFileSync(process.env.HOLD.split("=")[1], "");
setInterval(() => undefined, 1000);
`;
const TARGET = `
target: { command: node server.mjs, ready_timeout: 600, rollback: restart, env: { PORT: "{port}", HOLD: "\${HOLD:-}" } }
`;

/** A project for {@link HELD_SERVER}: an exploration with one finding, and a journey. `with-service.yaml` adds a service. */
export const HELD_FILES: Readonly<Record<string, string>> = {
  "server.mjs": HELD_SERVER,
  "service.mjs": SERVICE,
  "seqqa.yaml": TARGET,
  "with-service.yaml": `${TARGET}
services: [{ name: mail, command: node service.mjs, ready: "/", env: { PORT: "1", HOLD: "\${HOLD:-}" } }]
`,
  "notes.explore.ts": `import { Action, Agent, Invariant } from "seqqa";
const add = new Action({
  name: "add",
  run: async (api, context) => {
    const response = await api.post("/notes");
    context.set("notes", response.json<{ notes: number }>().notes);
    return response;
  },
});
const oneNote = new Invariant({ name: "one_note", check: async (world) => (await world.api.get("/notes")).json<{ notes: number }>().notes < 2 });
export const agent = new Agent({ actions: [add], invariants: [oneNote], maxDepth: 2 });
`,
  "journeys/noting.ts": `import { Journey, Step } from "seqqa";
export const journey = new Journey({ name: "noting", steps: [new Step({ name: "add", action: (client) => client.post("/notes") })] });
`,
};

/** Returns the environment that makes the target wait at a moment, and a function that tells if the moment was reached. */
export function held(moment: string): { readonly env: Readonly<Record<string, string>>; readonly reached: () => boolean } {
  const file = join(emptyFolder(), "reached");
  return { env: { HOLD: `${moment}=${file}` }, reached: () => existsSync(file) };
}

/** Expects that all processes and directories of a command are gone. Killed processes need a moment to end. */
export async function expectNothingLeft(pid: number, started: readonly number[]): Promise<void> {
  expect(started.length).toBeGreaterThan(0);
  await until(() => !started.some(isRunning), "the end of all that was started");
  expect(directoriesOf(pid)).toEqual([]);
}
