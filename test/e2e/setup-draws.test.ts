import { describe, expect, it } from "vitest";
import { size } from "../sizes.ts";
import { documentOf, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";

/** The number of actions. Each makes one note, once. */
const NOTES = size(2, 4);
const SERVER = `import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, at TEXT, until TEXT, ends TEXT); CREATE TABLE IF NOT EXISTS notes (id TEXT PRIMARY KEY, owner TEXT REFERENCES users(id), slot INTEGER UNIQUE)");
db.pragma("foreign_keys = ON");
// Lanes come up one after another, seconds apart.
await new Promise((done) => setTimeout(done, Number(process.env.LANE) * 1500));
const inHours = (hours) => new Date(Date.now() + hours * 3_600_000).toISOString();
createServer((request, response) => {
  const [, what, slot] = request.url.split("/");
  let [status, body] = [200, {}];
  try {
    if (what === "users") {
      body = { id: randomUUID() };
      db.prepare("INSERT INTO users VALUES (?, ?, ?, ?)").run(body.id, inHours(0), inHours(2), inHours(14 * 24));
    } else if (what === "notes") {
      const owner = request.headers["x-user"];
      db.prepare("INSERT INTO notes VALUES (?, ?, ?)").run(randomUUID(), owner, Number(slot));
      // The last note gives the user more time.
      if (slot === "4") db.prepare("UPDATE users SET until = ?, ends = ? WHERE id = ?").run(inHours(2), inHours(14 * 24), owner);
    }
  } catch { status = 409; }
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const AGENT = `import { Action, Agent } from "seqqa";
interface Seeded { user: string }
const note = (slot: number) => new Action<Seeded>({
  name: "note_" + slot,
  run: async (api, context) => api.post("/notes/" + slot, { headers: { "x-user": context.getRequired("user") } }),
});
export const agent = new Agent<Seeded>({
  actions: [1, 2, 3, 4].slice(-${NOTES}).map(note),
  invariants: [],
  setup: async (world) => {
    const response = await world.api.post("/users");
    world.context.set("user", response.json<{ id: string }>().id);
  },
});
`;

describe("a setup that draws ids and writes times", () => {
  it("gives every lane those of the first, however late it comes up, so that lanes understand each other's states", async () => {
    const results = [];
    for (const parallel of ["1", String(size(2, 3))]) {
      const cwd = folderWith({
        "seqqa.yaml": 'target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}", LANE: "{lane}" }\n',
        "server.mjs": SERVER,
        "notes.explore.ts": AGENT,
      });
      linkPackages(cwd, "seqqa", "better-sqlite3");
      const ran = await seqqa(["run", ".", "--parallel", parallel, "--reporter", "json", "--verbose", "--output", "out"], { cwd });
      expect({ status: ran.status, stderr: ran.stderr.replaceAll(/^note: (?!Lane).*\n/gm, "") }).toEqual({ status: 0, stderr: "" });
      results.push(only(documentOf(ran)));
    }
    for (const result of results) {
      expect(result).toMatchObject({
        statesVisited: 2 ** NOTES,
        transitions: NOTES * 2 ** NOTES,
        stopReason: "exhausted",
        divergences: [],
        errors: [],
      });
      expect(result.digest).toBe(results[0]!.digest);
      // The request that a reader needs to begin where the exploration did.
      const sent = { request: { method: "POST", url: expect.stringMatching(/\/users$/) as string }, response: { status: 200 } };
      expect(result.setup).toMatchObject({
        action: "setup",
        status: 200,
        requests: [sent],
        state: expect.arrayContaining([expect.stringMatching(/users \+ /)]) as unknown,
      });
    }
  });
});
