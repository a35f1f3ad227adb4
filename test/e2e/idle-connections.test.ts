import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentOf, folderWith, only, seqqa } from "../support/e2e.ts";

/** It closes a connection that was used before at every seventh write, after the write was committed: as a server whose idle timeout ends in that moment. */
const SERVER = `
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH, { timeout: 5000 });
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY AUTOINCREMENT, status TEXT)");
appendFileSync("starts.log", process.pid + "\\n");
const used = new WeakSet();
let writes = 0;
const routes = {
  "POST /orders": () => db.prepare("INSERT INTO orders (status) VALUES ('new') RETURNING *").get(),
  "POST /pay": () => db.prepare("UPDATE orders SET status = 'paid' WHERE id = (SELECT min(id) FROM orders WHERE status = 'new')").run(),
};
createServer((request, response) => {
  const isUsed = used.has(request.socket);
  used.add(request.socket);
  const body = routes[request.method + " " + request.url]?.() ?? db.prepare("SELECT * FROM orders").all();
  if (request.method === "POST" && isUsed && ++writes % 7 === 0) {
    appendFileSync("closed.log", request.url + "\\n");
    return request.socket.destroy();
  }
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(process.env.PORT, "127.0.0.1");
`;

const EXPLORATION = `import { Action, Agent, Invariant } from "seqqa";
export const agent = new Agent({
  name: "orders",
  maxDepth: 5,
  actions: ["orders", "pay"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) })),
  invariants: [new Invariant({ name: "few", check: async (world) => (await world.api.get("/orders")).statusCode === 200 })],
});
`;

it("a used connection that the target closes without an answer costs one repeated step, and no rebuild", async () => {
  const cwd = folderWith({
    "server.mjs": SERVER,
    "orders.explore.ts": EXPLORATION,
    "seqqa.yaml": 'target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}" }\n',
  });
  const ran = await seqqa(["run", ".", "--reporter", "json", "--parallel", "1"], { cwd });
  const result = only(documentOf(ran));
  expect({ status: ran.status, violations: result.violations, divergences: result.divergences, errors: result.errors }).toEqual({
    status: 0,
    violations: [],
    divergences: [],
    errors: [],
  });
  const lines = (name: string): number => readFileSync(join(cwd, name), "utf8").trim().split("\n").length;
  expect(lines("closed.log")).toBeGreaterThan(2);
  expect(lines("starts.log")).toBe(1);
});
