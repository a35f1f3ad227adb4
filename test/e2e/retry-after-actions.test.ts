import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, linkPackages, only, seqqa, writtenIn, type Explored } from "../support/e2e.ts";
import { some } from "../sizes.ts";

/**
 * An order that can be paid with an idempotency key and refunded. BUG: `forgets` (a refund deletes the key), `put` (a repeated PUT adds a row), `leaves`
 * (a refused create adds an order). TIMER: how often a job counts its looks at all orders, in milliseconds.
 */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const { BUG, TIMER, DB_PATH, PORT } = process.env;
const db = new Database(DB_PATH);
db.pragma("busy_timeout = 2000");
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, status TEXT NOT NULL, looks INTEGER NOT NULL DEFAULT 0)");
db.exec("CREATE TABLE IF NOT EXISTS payments (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)");
db.exec("CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY, payment INTEGER, last_seen INTEGER NOT NULL, replays INTEGER NOT NULL DEFAULT 0)");
if (TIMER) setInterval(() => db.exec("UPDATE orders SET looks = looks + 1"), Number(TIMER));
const run = (sql, ...values) => db.prepare(sql).run(...values);
createServer((request, response) => {
  const send = (status, body = {}) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const order = db.prepare("SELECT id, status FROM orders").get();
  if (request.method === "GET") return send(200, order === undefined ? [] : [order]);
  if (request.url === "/orders") {
    if (order === undefined || BUG === "leaves") run("INSERT INTO orders (status) VALUES ('new')");
    return send(order === undefined ? 201 : 409, { id: 1 });
  }
  if (order === undefined) return send(404);
  if (request.method === "PUT") {
    if (BUG === "put") run("INSERT INTO payments (amount) VALUES (1)");
    run("UPDATE orders SET status = 'new' WHERE status = 'shipped'");
    return send(200);
  }
  if (request.url === "/refund") {
    if (order.status !== "paid") return send(409);
    run("UPDATE orders SET status = 'refunded'");
    if (BUG === "forgets") run("DELETE FROM keys");
    return send(200);
  }
  const key = request.headers["idempotency-key"];
  const known = db.prepare("SELECT payment FROM keys WHERE key = ?").get(key);
  if (known !== undefined) {
    run("UPDATE keys SET replays = replays + 1, last_seen = ?", Date.now());
    return send(201, { id: known.payment });
  }
  if (order.status === "paid") return send(409);
  run("UPDATE orders SET status = 'paid'");
  const id = Number(run("INSERT INTO payments (amount) VALUES (10)").lastInsertRowid);
  run("INSERT INTO keys VALUES (?, ?, ?, 0)", key, id, Date.now());
  send(201, { id });
}).listen(Number(PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent } from "seqqa";
import { idempotent, leakage, retrySafe } from "seqqa/rules";
const resources = [{ name: "order", collection: "/orders", item: "/orders/{id}", can: { create: true, list: true } }];
const call = (name: string, method: string, path: string, headers = {}) => new Action<any>({ name, run: async (api) => api.request(method, path, { headers }) });
export const agent = new Agent<any>({
  name: "orders",
  actions: [
    call("create", "POST", "/orders"),
    call("put", "PUT", "/orders/1"),
    call("pay", "POST", "/pay", { "Idempotency-Key": "pay-1" }),
    call("refund", "POST", "/refund"),
  ],
  invariants: [idempotent(), retrySafe(), leakage({ resources })],
});
`;

async function explored(env: Readonly<Record<string, string>>): Promise<Explored> {
  const variables = ['PORT: "{port}"', 'DB_PATH: "{db_path}"', ...Object.entries(env).map(([name, value]) => `${name}: "${value}"`)];
  const cwd = folderWith({
    "server.mjs": SERVER,
    "orders.explore.ts": EXPLORATION,
    "seqqa.yaml": `target: { command: node server.mjs, env: { ${variables.join(", ")} } }\nexploration: { max_steps: 60 }\n`,
  });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  await seqqa(["run", ".", "--output", "out"], { cwd });
  return only(writtenIn(join(cwd, "out")));
}

const RULES = ["idempotent", "leakage", "retry_safe"];
const BUGS = [
  ["put", "idempotent", ["create", "put"]],
  ["leaves", "leakage", ["create", "create"]],
  ["forgets", "retry_safe", ["create", "pay"]],
] as const;
const found = ({ violations }: Explored): unknown =>
  violations.filter(({ invariant }) => RULES.includes(invariant)).map(({ invariant, reproductionPath }) => [invariant, reproductionPath]);

describe("retrySafe of a payment that is sent again after a refund", () => {
  it("says nothing of a server that keeps the key, and counts and dates repeated requests", async () => {
    expect(await explored({})).toMatchObject({ violations: [], errors: [], divergences: [] });
  });

  it("finds a refund that deletes the key", async () => {
    const { violations } = await explored({ BUG: "forgets" });
    expect(violations).toMatchObject([
      {
        invariant: "retry_safe",
        confirmed: true,
        reproductionPath: ["create", "pay"],
        message: expect.stringContaining(
          "201 when it was sent again with the same key after refund was called. The second request changed",
        ),
      },
    ]);
  });
});

describe("rules that compare the stores, and a job of the target that writes to rows of the API", () => {
  it("take no write of the job for an effect of a request", async () => {
    expect(found(await explored({ TIMER: "20" }))).toEqual([]);
  });

  it.each(some(BUGS, 1))("find the defect %s beside the job", async (BUG, rule, path) => {
    expect(found(await explored({ BUG, TIMER: "100" }))).toContainEqual([rule, path]);
  });
});
