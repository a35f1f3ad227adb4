/** A small API of notes, as its user would write it: with node:http and SQLite, without a framework. */
export const NOTES_SERVER: string = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");

createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method === "GET") return answer(200, db.prepare("SELECT * FROM notes").all());
  if (request.method === "DELETE") return answer(200, { deleted: db.prepare("DELETE FROM notes").run().changes });
  const { n } = db.prepare("SELECT count(*) AS n FROM notes").get();
  if (n >= 2) return answer(409, { error: "two notes are enough" });
  answer(201, db.prepare("INSERT INTO notes (text) VALUES ('hello') RETURNING *").get());
}).listen(Number(process.env.PORT), process.env.HOST ?? "127.0.0.1");
`;

/** The configuration that starts {@link NOTES_SERVER} with a store for each lane. */
export const NOTES_CONFIG = `
target:
  command: node server.mjs
  env:
    PORT: "{port}"
    DB_PATH: "{db_path}"
`;

/** The counts of an exploration of the notes with {@link NOTES_ACTIONS}. A state has none, one or two notes. */
export const NOTES_COUNTS = { statesVisited: 3, transitions: 6 } as const;

export const NOTES_ACTIONS = `
  new Action({ name: "add", run: async (api) => api.post("/notes") }),
  new Action({ name: "clear", run: async (api) => api.delete("/notes") }),
`;

/** Returns an exploration of the notes, with additional actions or invariants of a test. */
export function notesExploration(
  parts: { readonly actions?: string; readonly invariants?: string; readonly more?: string; readonly top?: string } = {},
): string {
  return `import { Action, Agent, Invariant, World } from "seqqa";
${parts.top ?? ""}
export const agent = new Agent({
  actions: [${parts.actions === undefined ? NOTES_ACTIONS : `${parts.actions}${NOTES_ACTIONS}`}],
  invariants: [${parts.invariants ?? ""}],
  ${parts.more ?? ""}
});
`;
}

/** An API of four counters from 0 to 2. A call beyond 2 is refused. It has 3^4 states, with 4 transitions each. */
export const SLOTS_SERVER: string = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS slots (id INTEGER PRIMARY KEY, value INTEGER NOT NULL)");
for (const id of [1, 2, 3, 4]) db.prepare("INSERT OR IGNORE INTO slots VALUES (?, 0)").run(id);
const bump = db.prepare("UPDATE slots SET value = value + 1 WHERE id = ? AND value < 2 RETURNING *");

createServer((request, response) => {
  const slot = request.method === "POST" ? bump.get(request.url.split("/")[2]) : undefined;
  response.writeHead(slot === undefined ? 409 : 200, { "content-type": "application/json" }).end(JSON.stringify(slot ?? { value: null }));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** An API that counts without a limit. `/break` is answered 500. `/hang` is never answered; instead, the server creates a file. */
export const ENDLESS_SERVER: string = `
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS counts (id INTEGER PRIMARY KEY, value INTEGER NOT NULL); INSERT OR IGNORE INTO counts VALUES (1, 0)");

createServer((request, response) => {
  if (request.url === "/hang") return writeFileSync("hanging", "");
  if (request.url === "/break") return response.writeHead(500).end("broken");
  const count = db.prepare("UPDATE counts SET value = value + 1 WHERE id = 1 RETURNING value").get();
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(count));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
