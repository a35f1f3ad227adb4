import { describe, expect, it } from "vitest";
import { full, laneCounts, some } from "../sizes.ts";
import { documentOf, folderWith, only, seqqa } from "../support/e2e.ts";

/** Its tables are made by the first request to /init, or by the first order, as servers with a schema cache do. */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH, { timeout: 5000 });
let asked = 0;
const init = () => db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, status TEXT); CREATE TABLE IF NOT EXISTS audit (at TEXT)");
const routes = {
  "GET /": () => ({}),
  "POST /init": (body) => (init(), db.prepare("INSERT INTO orders (status) VALUES (?)").run(body.first ?? "none"), {}),
  "POST /guarded": () => (init(), {}),
  "GET /slow": () => (++asked < 3 ? undefined : (init(), {})),
  "POST /orders": () => (init(), db.prepare("INSERT INTO audit VALUES ('x')").run(), db.prepare("INSERT INTO orders (status) VALUES ('new') RETURNING *").get()),
  "POST /pay": () => db.prepare("UPDATE orders SET status = 'paid' WHERE id = (SELECT min(id) FROM orders WHERE status = 'new')").run(),
};
createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += chunk)).on("end", () => {
    const isRefused = request.url === "/guarded" && request.headers["x-key"] !== "of " + process.env.DB_PATH;
    const body = isRefused ? undefined : routes[request.method + " " + request.url]?.(text === "" ? {} : JSON.parse(text));
    response.writeHead(body === undefined ? 503 : 200, { "content-type": "application/json" }).end(JSON.stringify(body ?? { error: "starting" }));
  });
}).listen(process.env.PORT, "127.0.0.1");
`;

const exploration = (setup: string): string => `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  name: "orders",
  maxDepth: 2,
  ${setup}
  actions: ["orders", "pay"].map((name) => new Action({ name, run: async (api) => api.post("/" + name), mayNeverSucceed: true })),
  invariants: [],
});
`;

const config = (more: string): string => `target:
  command: node server.mjs
  env: { PORT: "{port}", DB_PATH: "{db_path}" }
${more}`;

const run = ["run", ".", "--reporter", "json"];

describe("tables that are made before the exploration begins are part of the root state", () => {
  const ways = [
    ["by warm_up", "  warm_up:\n    - GET /slow\n    - { method: POST, path: /init, json: { first: mine } }\n", ""],
    [
      "by a command of warm_up",
      `  warm_up: [{ command: "node -e \\"fetch('http://127.0.0.1:{port}/init', { method: 'POST' })\\"" }]\n`,
      "",
    ],
    ["by warm_up with a header", "  warm_up: [{ method: POST, path: /guarded, headers: { x-key: 'of {db_path}' } }]\n", ""],
    [
      "by setup, and named by ignore",
      "systems: { db: { url: sqlite:template.db, ignore: [audit] } }\n",
      `setup: async (world) => { await world.api.post("/init"); },`,
    ],
    ["by setup", "", `setup: async (world) => { await world.api.post("/init"); },`],
  ] as const;
  it.each(some(ways, 4))("%s", async (how, more, setup) => {
    const template = more.includes("template.db");
    const cwd = folderWith({
      "server.mjs": SERVER,
      "orders.explore.ts": exploration(setup),
      "seqqa.yaml": config(more),
      ...(template && { "template.db": "" }),
    });
    for (const lanes of full || how === "by warm_up" ? laneCounts : ["1"]) {
      const ran = await seqqa([...run, "--parallel", lanes], { cwd });
      expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
      expect(only(documentOf(ran))).toMatchObject({ statesVisited: 4, divergences: [], errors: [] });
    }
  });
});

describe("what fails in warm_up ends the run with 3", () => {
  it.each([
    [
      "GET /nowhere",
      'target.warm_up[0], GET /nowhere, did not succeed within 5 s: it was answered with status 503: "{\\"error\\":\\"starting\\"}".',
    ],
    ['{ command: "echo broken; exit 4" }', "target.warm_up[0], the command echo broken; exit 4, ended with 4. Its last output:"],
    [
      '{ path: /, headers: { x-key: "a\\nb" } }',
      'target.warm_up[0], GET /, cannot be sent: Invalid character in header content ["x-key"].',
    ],
    ['{ command: "sleep 30" }', "target.warm_up[0], the command sleep 30, did not end within 5 s. The command printed nothing."],
  ])("%s", async (step, message) => {
    const cwd = folderWith({
      "server.mjs": SERVER,
      "orders.explore.ts": exploration(""),
      "seqqa.yaml": config(`  ready_timeout: 5\n  warm_up: [${step}]\n`),
    });
    const { status, stderr } = await seqqa(["run", "."], { cwd });
    expect(stderr).toContain(message);
    expect(status).toBe(3);
  });
});
