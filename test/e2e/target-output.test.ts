import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentOf, folderWith, only, seqqa } from "../support/e2e.ts";

const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH, { timeout: 5000 });
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, status TEXT)");
const routes = {
  "POST /orders": () => db.prepare("INSERT INTO orders (status) VALUES ('new') RETURNING *").get(),
  "POST /pay": () => db.prepare("UPDATE orders SET status = 'paid' WHERE status = 'new'").run(),
};
createServer((request, response) => {
  if (request.method === "POST") console.log("handling " + request.url, "password=hunter2", "\\u001b[31mred");
  setTimeout(() => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(routes[request.method + " " + request.url]?.() ?? [])), 30);
}).listen(process.env.PORT, "127.0.0.1");
`;

const EXPLORATION = `import { Action, Agent, Invariant } from "seqqa";
export const agent = new Agent({
  name: "orders",
  maxDepth: 2,
  actions: ["orders", "pay"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) })),
  invariants: [
    new Invariant({
      name: "unpaid",
      check: async (world) => (await world.systems.db.query("SELECT 1 FROM orders WHERE status = 'paid'")).length === 0,
    }),
  ],
});
`;

it("a finding shows what the target printed during its last step; all of it is in a file of the lane", async () => {
  const cwd = folderWith({
    "server.mjs": SERVER,
    "orders.explore.ts": EXPLORATION,
    "seqqa.yaml": 'target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}" }\n',
  });
  const ran = await seqqa(["run", ".", "--reporter", "json", "--output", "out", "--parallel", "1"], { cwd });
  expect(ran.status).toBe(1);
  const [violation] = only(documentOf(ran)).violations;
  expect(violation?.reproductionPath).toEqual(["orders", "pay"]);
  expect(violation?.printed).toEqual([expect.stringMatching(/^handling \/pay password=\[redacted\] red$/)]);
  const log = readFileSync(join(cwd, "out/targets/lane-0.log"), "utf8");
  expect(log.match(/^handling \/orders /gm)!.length).toBeGreaterThan(2);
  const text = await seqqa(["run", ".", "--output", "out", "--parallel", "2"], { cwd });
  expect(text.stdout).toMatch(/ {2}target {4}printed during the last step\n {4}\| handling \/pay password=\[redacted\] red\n/);
  expect(violation?.steps.map(({ printed }) => printed)).toEqual([
    [expect.stringMatching(/^handling \/orders /)],
    [expect.stringMatching(/^handling \/pay password=\[redacted\] red$/)],
  ]);
  const html = readFileSync(join(cwd, "out/report.html"), "utf8");
  expect(html).toMatch(/The target's output[^]*handling \/orders [^]*The target's output[^]*handling \/pay password=\[redacted\] red/);
  expect(html).toMatch(/Since the previous run<\/strong>[^]*: 0 new, 1 still there, 0 fixed\./);
});
