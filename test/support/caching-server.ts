/**
 * An API of numbered notes that reads its table once, at its start, and then answers from memory, as many servers do. After a restore of its store,
 * its memory belongs to another state. It answers 500 if memory and store contradict each other.
 */
export const CACHING_SERVER: string = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH);
// Leaving WAL is refused as locked while anybody else has the file open.
db.pragma("journal_mode = DELETE");
db.pragma("journal_mode = WAL");
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, version INTEGER NOT NULL)");
const cache = new Map(db.prepare("SELECT id, version FROM notes ORDER BY id").all().map((row) => [row.id, row]));
const strict = process.env.STRICT !== "0";

createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const id = Number(request.url.slice(1));
  if (request.url === "/") return answer(200, [...cache.values()].sort((a, b) => a.id - b.id));
  const known = cache.get(id);
  if (request.method === "PUT") {
    if (known !== undefined) return answer(409, { error: "exists" });
    if (db.prepare("INSERT OR IGNORE INTO notes VALUES (?, 1)").run(id).changes !== 1 && strict) return answer(500, { error: "was there" });
    cache.set(id, { id, version: 1 });
    return answer(201, cache.get(id));
  }
  if (known === undefined) return answer(404, { error: "unknown" });
  if (request.method === "PATCH") {
    if (known.version === 3) return answer(409, { error: "enough" });
    if (db.prepare("UPDATE notes SET version = version + 1 WHERE id = ? AND version = ?").run(id, known.version).changes !== 1 && strict)
      return answer(500, { error: "was not there" });
    known.version += 1;
    return answer(200, known);
  }
  if (request.method !== "DELETE") return answer(200, known);
  if (db.prepare("DELETE FROM notes WHERE id = ?").run(id).changes !== 1 && strict) return answer(500, { error: "was not there" });
  cache.delete(id);
  answer(200, known);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
