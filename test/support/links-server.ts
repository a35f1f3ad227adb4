/**
 * An API of documents that stores the absolute URL of each document and returns it, as HATEOAS servers do. A client that follows a stored URL reaches
 * only the process on the port in this URL. `PUT /docs` makes the first document if there is none.
 */
export const LINKS_SERVER: string = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH);
const base = "http://127.0.0.1:" + process.env.PORT;
db.exec("CREATE TABLE IF NOT EXISTS docs (id INTEGER PRIMARY KEY, url TEXT NOT NULL, deleted INTEGER NOT NULL DEFAULT 0)");
const count = () => db.prepare("SELECT count(*) FROM docs").pluck().get();

createServer((request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.url === "/") return answer(200, {});
  if (request.url === "/docs") {
    if (request.method === "PUT" && count() > 0) return answer(200, {});
    if (count() >= 2) return answer(429, {});
    const url = base + "/docs/" + (count() + 1);
    db.prepare("INSERT INTO docs (url) VALUES (?)").run(url);
    return answer(201, { self: url });
  }
  const found = db.prepare("SELECT * FROM docs WHERE url = ? AND deleted = 0").get(base + request.url);
  if (found === undefined) return answer(404, {});
  if (request.method !== "DELETE") return answer(200, found);
  db.prepare("UPDATE docs SET deleted = 1 WHERE id = ?").run(found.id);
  answer(200, {});
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
