import { describe, expect, it } from "vitest";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";
import { full } from "../sizes.ts";

/**
 * An API for recovery codes on PostgreSQL. `/enroll` creates a table and a column, and inserts short random ids, as parse-server does. BUG=1 lets two
 * simultaneous logins use one code.
 */
const SERVER = `
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const short = () => Array.from({ length: 10 }, () => LETTERS[Math.floor(Math.random() * LETTERS.length)]).join("");
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await db.query("CREATE TABLE IF NOT EXISTS users (id TEXT PRIMARY KEY, codes JSONB); CREATE TABLE IF NOT EXISTS logins (id TEXT PRIMARY KEY, who TEXT)");
const routes = {
  "GET /": () => [200, {}],
  "POST /warm": async () => {
    await db.query("CREATE TABLE IF NOT EXISTS guests (id TEXT PRIMARY KEY)");
    await db.query("INSERT INTO guests VALUES ($1)", [short()]);
    return [201, {}];
  },
  "POST /enroll": async () => {
    const user = { id: randomUUID(), codes: [randomUUID(), randomUUID()] };
    await db.query("INSERT INTO users VALUES ($1, $2)", [user.id, JSON.stringify(user.codes)]);
    await db.query("ALTER TABLE users ADD COLUMN IF NOT EXISTS hash TEXT; CREATE TABLE IF NOT EXISTS sess (id TEXT PRIMARY KEY, who TEXT)");
    await db.query("UPDATE users SET hash = $1", ["$2y$10$" + short() + "/" + short() + "." + short()]);
    await db.query("INSERT INTO sess VALUES ($1, $2)", [short(), user.id]);
    return [201, user];
  },
  "POST /login": async ({ code }) => {
    const user = (await db.query("SELECT * FROM users")).rows[0];
    if (!user?.codes.includes(code)) return [400, { error: "wrong code" }];
    await sleep(5);
    const isRight = process.env.BUG ? "true" : "codes = $3";
    const left = JSON.stringify(user.codes.filter((one) => one !== code));
    const values = process.env.BUG ? [left, user.id] : [left, user.id, JSON.stringify(user.codes)];
    const { rowCount } = await db.query("UPDATE users SET codes = $1 WHERE id = $2 AND " + isRight, values);
    if (rowCount === 0) return [400, { error: "wrong code" }];
    const id = randomUUID();
    await db.query("INSERT INTO logins VALUES ($1, $2)", [id, user.id]);
    return [200, { session: id }];
  },
};
createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const [status, body] = await (routes[request.method + " " + request.url] ?? (() => [404, {}]))(text === "" ? {} : JSON.parse(text));
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  name: "codes",
  setup: async ({ api, context }) => context.set("code", (await api.post("/enroll")).json().codes[0]),
  actions: [new Action({ name: "recover", run: async (api, context) => api.post("/login", { json: { code: context.getRequired("code") } }) })],
  invariants: [],
});
`;

const config = (url: string, warmUp: string): string => `db_url: ${url}
target:
  command: node server.mjs
  ready: /
  ${warmUp}
  env: { PORT: "{port}", DATABASE_URL: "{db_url}", BUG: "\${BUG:-}" }
exploration: { max_depth: 2, races: { trials: 6 } }
`;

describe.each([
  ["setup", "", ["1"]],
  ["setup and warm_up", "warm_up: [POST /warm]", ["2"]],
])("tables, columns and short random ids that %s creates", (_what, warmUp, quickLanes) => {
  it.each([
    ["a race is confirmed on a rebuilt lane", "1", 1],
    ["the correct server has no race", "", 0],
  ])("are equal on all lanes: %s", async (_name, bug, races) => {
    const cwd = folderWith({
      "server.mjs": SERVER,
      "codes.explore.ts": EXPLORATION,
      "seqqa.yaml": config(await template("postgres"), warmUp),
    });
    linkPackages(cwd, "seqqa", "pg");
    for (const lanes of full ? ["1", "2"] : quickLanes) {
      const options = ["run", ".", "--races", "--parallel", lanes, "--reporter", "json", "--output", emptyFolder()];
      const ran = await seqqa(options, { cwd, env: { BUG: bug } });
      expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: races, stderr: "" });
      const result = only(documentOf(ran));
      expect(result).toMatchObject({ statesVisited: 2, divergences: [], errors: [], unverified: [] });
      expect(result.races.map(({ first, second, verdict }) => [first, second, verdict])).toEqual(
        Array.from({ length: races }, () => ["recover", "recover", "state"]),
      );
      expect(result.raceCoverage!.dismissedRaces ?? []).toEqual([]);
    }
  });
});

/**
 * An API for leases on PostgreSQL. Each extension has a number of a sequence, which is not its key. Answers are read after the write. BUG=1 lets two
 * simultaneous extensions add one hour only.
 */
const LEASES = `
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import pg from "pg";
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await db.query("CREATE TABLE IF NOT EXISTS leases (id INT PRIMARY KEY, until TIMESTAMPTZ, count INT, last TEXT)");
await db.query("CREATE TABLE IF NOT EXISTS extensions (id UUID PRIMARY KEY, seq SERIAL, who TEXT)");
await db.query("INSERT INTO leases VALUES (1, '2020-01-01', 0, '') ON CONFLICT DO NOTHING");
const extend = async (who) => {
  await db.query("INSERT INTO extensions (id, who) VALUES ($1, $2)", [randomUUID(), who]);
  const { until } = (await db.query("SELECT until FROM leases")).rows[0];
  const from = process.env.BUG ? "'" + until.toISOString() + "'" : "until";
  await db.query("UPDATE leases SET until = GREATEST(" + from + ", now()) + interval '1 hour', count = count + 1, last = $1", [who]);
  return (await db.query("SELECT until, count FROM leases")).rows[0];
};
createServer(async ({ url }, response) => {
  const body = url === "/" ? {} : await extend(url);
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

it.each([
  ["a lease that two calls extend by one hour is a race", "1", ["ann ann", "ann bob", "bob bob"]],
  ["answers that are read after the write, and numbers of a sequence, are none", "", []],
])("%s", async (_name, bug, races) => {
  const cwd = folderWith({
    "server.mjs": LEASES,
    "leases.explore.ts": `import { Action, Agent } from "seqqa";
const extend = (name: string) => new Action({ name, run: async (api) => api.post("/" + name) });
export const agent = new Agent({ name: "leases", actions: [extend("ann"), extend("bob")], invariants: [] });
`,
    "seqqa.yaml": config(await template("postgres"), "").replace("max_depth: 2", "max_depth: 1"),
  });
  linkPackages(cwd, "seqqa", "pg");
  const ran = await seqqa(["run", ".", "--races", "--reporter", "json", "--output", emptyFolder()], { cwd, env: { BUG: bug } });
  const result = only(documentOf(ran));
  const found = result.races.map(({ first, second }) => `${first} ${second}`);
  expect(found.toSorted(), JSON.stringify([result.raceCoverage, result.unverified, result.notes])).toEqual(races);
  for (const { message, verdict } of result.races)
    expect([verdict, message]).toEqual(["state", expect.stringContaining("db.leases.until is 1 h earlier")]);
  expect(result.raceCoverage).toMatchObject({ dismissed: {} });
});

const ON_SQLITE = `
import { createServer } from "node:http";
import { randomBytes } from "node:crypto";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH, { timeout: 5000 });
db.exec("CREATE TABLE IF NOT EXISTS visits (id INTEGER PRIMARY KEY)");
const enroll = () => {
  db.exec("CREATE TABLE IF NOT EXISTS sess (id TEXT PRIMARY KEY)");
  db.prepare("INSERT INTO sess VALUES (?)").run(randomBytes(5).toString("base64url"));
};
createServer((request, response) => {
  if (request.url === "/enroll") enroll();
  if (request.url === "/visit") db.exec("INSERT OR IGNORE INTO visits VALUES (1)");
  response.writeHead(200).end("{}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

it.each([
  ["setup", "", "setup: async ({ api }) => void (await api.post('/enroll')),"],
  ["warm_up", "warm_up: [POST /enroll]", ""],
])("a table with short random ids that %s creates in SQLite is equal on all lanes", async (_what, warmUp, setup) => {
  const cwd = folderWith({
    "server.mjs": ON_SQLITE,
    "sess.explore.ts": `import { Action, Agent } from "seqqa";
export const agent = new Agent({ name: "sess", ${setup} actions: [new Action({ name: "visit", run: async (api) => api.post("/visit") })], invariants: [] });
`,
    "seqqa.yaml": `target:\n  command: node server.mjs\n  ready: /\n  ${warmUp}\n  env: { PORT: "{port}", DB_PATH: "{db_path}" }\n`,
  });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  const ran = await seqqa(["run", ".", "--parallel", "2", "--reporter", "json", "--output", emptyFolder()], { cwd });
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
  expect(only(documentOf(ran))).toMatchObject({ statesVisited: 2, divergences: [], errors: [] });
});
