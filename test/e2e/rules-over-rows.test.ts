import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { full } from "../sizes.ts";
import { folderWith, linkPackages, only, seqqa, writtenIn, type Explored } from "../support/e2e.ts";

/** Orders that take from a stock. DEFECT says what is wrong. */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS stock (id INTEGER PRIMARY KEY, available INTEGER); CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, status TEXT, secret_note TEXT)");
db.exec("INSERT OR IGNORE INTO stock VALUES (1, 1)");
const has = (defect) => process.env.DEFECT === defect;
createServer((request, response) => {
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? null));
  const order = db.prepare("SELECT * FROM orders WHERE id = 1").get();
  if (request.url === "/orders") {
    if (order !== undefined) return send(409);
    db.exec("INSERT INTO orders VALUES (1, 'created', 'hidden-word')");
    return send(201);
  }
  if (order === undefined) return send(404);
  const from = { "/pay": ["created"], "/cancel": has("transition") ? ["created", "paid"] : ["created"], "/ship": ["paid"] }[request.url];
  if (request.url === "/reserve") {
    if (!has("stock") && db.prepare("SELECT available FROM stock").get().available < 1) return send(409);
    if (db.prepare("SELECT available FROM stock").get().available > -2) db.exec("UPDATE stock SET available = available - 1");
    return send(200);
  }
  if (!from.includes(order.status)) return send(409);
  db.prepare("UPDATE orders SET status = ?").run({ "/pay": "paid", "/cancel": "cancelled", "/ship": "shipped" }[request.url]);
  send(200);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, Invariant } from "seqqa";
import { neverNegative, transitions } from "seqqa/rules";
const call = (name: string, path: string) => new Action({ name, run: async (api) => api.post(path) });
export const agent = new Agent({
  name: "orders",
  actions: [call("create", "/orders"), call("pay", "/pay"), call("cancel", "/cancel"), call("ship", "/ship"), call("reserve", "/reserve")],
  invariants: [
    neverNegative("stock.available"),
    transitions("orders.status", { created: ["paid", "cancelled"], paid: ["shipped"] }, { initial: ["created"] }),
    new Invariant({
      name: "own_check",
      check: async ({ systems }) => {
        const rows = await (systems["db"] as never as { query(sql: string): { status: string }[] }).query("SELECT * FROM orders WHERE status = 'shipped'");
        return { ok: rows.length === 0 || process.env["DEFECT"] !== "own", actual: rows.length, expected: 0, message: "an order was shipped" };
      },
    }),
  ],
});
`;

async function explored(defect: string): Promise<{ status: number | null; found: Explored; stdout: string; folder: string }> {
  const folder = folderWith({
    "server.mjs": SERVER,
    "orders.explore.ts": EXPLORATION,
    "seqqa.yaml": `
target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}", DEFECT: "${defect}" } }
report: { formats: [html, json], redact: [secret_note] }
`,
  });
  linkPackages(folder, "seqqa", "better-sqlite3");
  // In the quick suite a run ends with its defect.
  const flags = full ? ["--parallel", "2"] : ["--parallel", "1", ...(defect === "none" ? [] : ["--bail"])];
  const { status, stdout, stderr } = await seqqa(["run", ".", ...flags, "--output", "out"], {
    cwd: folder,
    env: { DEFECT: defect },
  });
  expect(stderr).not.toContain("INVARIANT_");
  return { status, found: only(writtenIn(join(folder, "out"))), stdout, folder };
}

it("rules over rows hold on a correct shop", async () => {
  const { status, found } = await explored("none");
  expect(found.violations).toEqual([]);
  expect(status).toBe(0);
  expect(found.verdict.text).toContain("exhaustive");
});

it("a finding shows what was found, what was expected, and the rows of the query, in every report", async () => {
  const { status, found, stdout, folder } = await explored("stock");
  expect(status).toBe(1);
  expect(found.violations).toMatchObject([
    {
      invariant: "never_negative_stock_available",
      message: "stock.available is negative in 1 row",
      reproductionPath: ["create", "reserve", "reserve"],
      confirmed: true,
      evidence: {
        expected: "stock.available >= 0",
        actual: [-1],
        queries: [{ store: "db", rows: [{ id: 1, available: -1 }], total: 1 }],
      },
    },
  ]);
  expect(stdout).toContain('expected  "stock.available >= 0"');
  expect(stdout).toContain('| {"id":1,"available":-1}');
  expect(readFileSync(join(folder, "out/report.html"), "utf8")).toContain("What the rule found");
});

it("a column that does not exist ends the run before anything is explored", async () => {
  const folder = folderWith({
    "server.mjs": SERVER,
    "orders.explore.ts": EXPLORATION.replace("stock.available", "stok.available"),
    "seqqa.yaml": 'target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\n',
  });
  linkPackages(folder, "seqqa", "better-sqlite3");
  const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
  expect(stderr).toContain('neverNegative("stok.available"): there is no table "stok".\nhint: Did you mean "stock"?');
  expect(status).toBe(2);
});

it("a transition that is not listed is found by comparing rows with the state before the step", async () => {
  const { found } = await explored("transition");
  expect(found.violations).toMatchObject([
    {
      invariant: "transitions_orders_status",
      message: "cancel: a row of orders went from paid to cancelled",
      reproductionPath: ["create", "pay", "cancel"],
      evidence: { actual: [{ id: "1", from: "paid", to: "cancelled" }], expected: { paid: ["shipped"] } },
    },
  ]);
});

it("the queries of a user's own check are shown with their rows, without the fields that are redacted", async () => {
  const { found, stdout } = await explored("own");
  expect(found.violations).toMatchObject([
    {
      invariant: "own_check",
      message: "an order was shipped",
      evidence: {
        actual: 1,
        expected: 0,
        queries: [{ sql: "SELECT * FROM orders WHERE status = 'shipped'", rows: [{ status: "shipped" }] }],
      },
    },
  ]);
  expect(JSON.stringify(found) + stdout).not.toContain("hidden-word");
});
