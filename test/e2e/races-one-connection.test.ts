import { describe, expect, it } from "vitest";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";

/** Keeps connections alive. ONE: a connection is served when the one before is closed. */
const SERVER = `
import { createServer } from "node:http";
import net from "node:net";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS counts (name TEXT PRIMARY KEY, value INTEGER NOT NULL)");
const server = createServer((request, response) => {
  const name = request.url.slice(1);
  db.prepare("INSERT INTO counts VALUES (?, 1) ON CONFLICT DO UPDATE SET value = min(value + 1, 2)").run(name);
  response.end(JSON.stringify(db.prepare("SELECT value FROM counts WHERE name = ?").get(name)));
});
server.keepAliveTimeout = 0;
const waiting = [];
let busy = false;
const next = () => {
  const socket = busy ? undefined : waiting.shift();
  if (socket === undefined) return;
  busy = true;
  socket.on("close", () => { busy = false; next(); });
  server.emit("connection", socket);
};
const port = Number(process.env.PORT);
if (process.env.ONE) net.createServer((socket) => { socket.on("error", () => undefined); waiting.push(socket); next(); }).listen(port, "127.0.0.1");
else server.listen(port, "127.0.0.1");
`;
const EXPLORATION = `
import { Action, Agent } from "seqqa";
const actions = ["a", "b"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) }));
export const agent = new Agent({ actions, invariants: [] });
`;
const CONFIG = `target:
  command: node server.mjs
  ready: /ready
  env: { PORT: "{port}", DB_PATH: "{db_path}", ONE: "\${ONE}" }
timeout: 4
exploration: { races: { trials: 2 } }
`;

async function probed(one: string) {
  const cwd = folderWith({ "server.mjs": SERVER, "counts.explore.ts": EXPLORATION, "seqqa.yaml": CONFIG });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  const ran = await seqqa(["run", ".", "--races", "--reporter", "json", "--output", emptyFolder()], { cwd, env: { ONE: one } });
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  const { raceCoverage, divergences, errors } = only(documentOf(ran));
  expect({ divergences, errors }).toEqual({ divergences: [], errors: [] });
  const { same_class: same, read_only: reads, ...skipped } = raceCoverage!.skipped;
  return { skipped, trials: raceCoverage!.trials, probed: raceCoverage!.probed, same, reads };
}

describe("races of a target that keeps connections alive", () => {
  it("and serves one at a time: the first probe shows it, the pairs are not probed, and that is said", async () => {
    const { skipped, trials, probed: kinds } = await probed("1");
    expect({ trials, kinds, reasons: Object.keys(skipped) }).toEqual({ trials: 0, kinds: 0, reasons: ["one_connection"] });
    expect(skipped["one_connection"]).toBeGreaterThan(2);
  });

  it("and serves them side by side are probed", async () => {
    const { skipped, trials } = await probed("");
    expect(skipped).toEqual({});
    expect(trials).toBeGreaterThan(2);
  });
});
