import { describe, expect, test } from "vitest";
import { documentOf, emptyFolder, folderWith, only, seqqa, type Explored } from "../support/e2e.ts";
import { onMysql, onPostgres, template } from "../support/store-templates.ts";
import { full, some } from "../sizes.ts";

/** Defines `run`, which executes a statement in the store of the URL `STORE`. */
const RUN = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(import.meta.url)});
const url = process.env.STORE;
const open = {
  postgresql: async () => {
    const pool = new (require("pg").Pool)({ connectionString: url, max: 2 });
    return async (sql, ...values) => (await pool.query(sql, values)).rows;
  },
  mysql: async () => {
    const pool = require("mysql2/promise").createPool({ uri: url, connectionLimit: 2 });
    return async (sql, ...values) => (await pool.query(sql.replace(/\\$\\d/g, "?"), values))[0];
  },
  sqlite: async () => {
    const db = new (require("better-sqlite3"))(url.slice("sqlite:".length));
    db.pragma("busy_timeout = 2000");
    return async (sql, ...values) => {
      const statement = db.prepare(sql.replace(/\\$\\d/g, "?"));
      return statement.reader ? statement.all(...values) : statement.run(...values);
    };
  },
};
const run = await open[url.slice(0, url.indexOf(":"))]();
`;

/**
 * A list of items whose ids come from a counter. `LAST`: the largest id that the server accepts; it answers 409 to later inserts. `LUCKY`: the id
 * whose insert is answered 202.
 */
const SERVER = `${RUN}
createServer(async (request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const rows = await run("select id from items order by id");
  if (request.method === "GET") return answer(200, rows.length);
  if (request.method === "DELETE") {
    if (rows.length === 0) return answer(404, {});
    await run("delete from items where id = $1", rows[0].id);
    return answer(200, {});
  }
  if (rows.length >= 2) return answer(409, {});
  if (process.env.LAST !== "") {
    await run("insert into items(name) values ($1)", "tea");
    const made = (await run("select max(id) as id from items"))[0].id;
    if (made <= Number(process.env.LAST)) return answer(201, {});
    await run("delete from items where id = $1", made);
    return answer(409, {});
  }
  await run("insert into items(name) values ($1)", "tea");
  const made = (await run("select max(id) as id from items"))[0].id;
  answer(made === Number(process.env.LUCKY) ? 202 : 201, {});
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `import { Action, Agent, Invariant } from "seqqa";
export const agent = new Agent({
  actions: [
    new Action({ name: "create", run: async (api) => api.post("/items", {}) }),
    new Action({ name: "remove", run: async (api) => api.delete("/items") }),
  ],
  invariants: [new Invariant({ name: "few", check: async ({ api }) => (await api.get("/items")).json() <= 2 })],
});
`;

/** Receipts whose numbers should have no gaps. Each name can buy once. `BUG=1`: a refused purchase uses up a number. */
const RECEIPTS = `${RUN}
createServer(async (request, response) => {
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method === "GET") return answer(200, (await run("select coalesce(max(id), 0) - count(*) as gaps from items"))[0]);
  const name = request.url.slice("/buy/".length);
  const isKnown = async (least) => (await run("select id from items where name = $1", name)).length >= least;
  if (process.env.BUG !== "1" && (await isKnown(1))) return answer(409, {});
  await run("insert into items(name) values ($1)", name);
  if (!(await isKnown(2))) return answer(201, {});
  await run("delete from items where id = (select max(id) from items)");
  answer(409, {});
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const PURCHASES = `import { Action, Agent, Invariant } from "seqqa";
export const agent = new Agent({
  actions: ["a", "b"].map((name) => new Action({ name, run: async (api) => api.post("/buy/" + name, {}) })),
  invariants: [new Invariant({ name: "no_gaps", check: async ({ api }) => Number((await api.get("/gaps")).json().gaps) === 0 })],
  maxDepth: 6,
});
`;

const STORES = {
  PostgreSQL: async (): Promise<string> => {
    const url = await template("postgres");
    await onPostgres(url, "create table items(id serial primary key, name text not null)");
    return `url: "${url}"`;
  },
  "MariaDB, copy": async (): Promise<string> => {
    const url = await template("mysql");
    await onMysql(url, "create table items(id int primary key auto_increment, name varchar(20) not null)");
    return `url: "${url}", checkpoint: copy`;
  },
  "MariaDB, journal": async (): Promise<string> => {
    const url = await template("mysql");
    await onMysql(url, "create table items(id int primary key auto_increment, name varchar(20) not null)");
    return `url: "${url}"`;
  },
  SQLite: async (): Promise<string> => {
    const folder = folderWith({});
    const { default: Database } = await import("better-sqlite3");
    new Database(`${folder}/items.db`).exec("create table items(id integer primary key autoincrement, name text not null)").close();
    return `url: "sqlite:${folder}/items.db"`;
  },
} as const;

/** Runs the exploration. `isRenamed`: `true` to list the ids under `symmetric`. `more`: further arguments of the command. */
async function explored(
  store: string,
  lanes: number,
  { last = "", lucky = "", isRenamed = true, more = [] as readonly string[] } = {},
): Promise<
  Pick<Explored, "digest" | "statesVisited" | "stopReason" | "reductions" | "notes" | "crossChecked"> & { status: number | null }
> {
  const cwd = folderWith({
    "server.mjs": SERVER,
    "items.explore.ts": EXPLORATION,
    "seqqa.yaml": `systems: { db: { ${store}${isRenamed ? ', symmetric: ["items.id"]' : ""} } }
target: { command: node server.mjs, env: { PORT: "{port}", STORE: "{url:db}", LAST: "${last}", LUCKY: "${lucky}" } }
`,
  });
  const args = ["run", ".", "--parallel", String(lanes), "--max-steps", "60", "--reporter", "json", "--output", emptyFolder(), ...more];
  const ran = await seqqa(args, { cwd });
  const { digest, statesVisited, stopReason, reductions, notes, crossChecked } = only(documentOf(ran));
  return { status: ran.status, digest, statesVisited, stopReason, reductions, notes, crossChecked };
}

describe.each(some(Object.entries(STORES), 1))("a loop of create and remove with renamed ids on %s", (name, make) => {
  test("ends, with the same digest for each number of lanes", { timeout: 120_000 }, async () => {
    const store = await make();
    const one = await explored(store, 1);
    expect(one).toMatchObject({ status: 0, statesVisited: 3, stopReason: "exhausted" });
    // The audits of so few states take few steps, although each loop leads to new numbers without end.
    expect(one.crossChecked).toBeLessThan(400);
    if (name !== "MariaDB, journal") expect(one.reductions).toMatchObject([{ reason: "the order of items.id", refuted: 0 }]);
    if (full || name === "PostgreSQL") expect((await explored(store, 3)).digest).toBe(one.digest);
  });
});

test("a target that refuses ids above a limit is not called exhaustive if an audit reaches the limit", { timeout: 120_000 }, async () => {
  const found = await explored(await STORES.PostgreSQL(), 1, { last: "2" });
  expect(found.status === 0 && found.statesVisited === 3).toBe(false);
});

describe.each(some(["SQLite", "PostgreSQL"] as const, 1))("a loop of create and remove on %s, whose counter restores set back", (name) => {
  test("ends, because the store then keeps the counter, with one digest", { timeout: 120_000 }, async () => {
    const store = await STORES[name]();
    const one = await explored(store, 1, { isRenamed: false });
    expect(one).toMatchObject({ status: 0, statesVisited: 3, stopReason: "exhausted" });
    expect(one.reductions).toMatchObject([{ reason: "the order of items.id", refuted: 0 }]);
    const three = await explored(store, 3, { isRenamed: false });
    expect(three).toMatchObject({ status: 0, digest: one.digest });
  });

  test("is not ended if results depend on the numbers", { timeout: 120_000 }, async () => {
    const found = await explored(await STORES[name](), 1, { isRenamed: false, lucky: "1" });
    expect(found).toMatchObject({ status: 0, stopReason: "max_steps", reductions: [] });
    expect(found.notes).toContainEqual(expect.stringContaining("Results depend on its numbers"));
  });

  test("has a note where the counter cannot be kept", { timeout: 120_000 }, async () => {
    const store = await STORES[name]();
    const found = await explored(store, 1, { isRenamed: false, more: ["--shard", "1/1"] });
    expect(found.stopReason).toBe("max_steps");
    expect(found.notes.filter((note) => note.includes("The counter of items.id grows"))).toEqual([
      expect.stringContaining("`symmetric: [items.id]`"),
    ]);
  });
});

describe.each(some(["PostgreSQL", "SQLite"] as const, 1))("numbers without gaps on %s, if a refused call uses up a number", (name) => {
  test("are a finding on its path, and the twin has no finding", { timeout: 120_000 }, async () => {
    const store = await STORES[name]();
    const receipts = async (bug: string): Promise<Explored & { status: number | null }> => {
      const cwd = folderWith({
        "server.mjs": RECEIPTS,
        "receipts.explore.ts": PURCHASES,
        "seqqa.yaml": `systems: { db: { ${store} } }
target: { command: node server.mjs, env: { PORT: "{port}", STORE: "{url:db}", BUG: "${bug}" } }
`,
      });
      const ran = await seqqa(["run", ".", "--parallel", "1", "--reporter", "json", "--output", emptyFolder()], { cwd });
      return { ...only(documentOf(ran)), status: ran.status };
    };
    const found = await receipts("1");
    expect(found.violations.map(({ reproductionPath: path, confirmed }) => ({ path, confirmed }))).toEqual([
      { path: ["a", "a", "b"], confirmed: true },
      { path: ["b", "b", "a"], confirmed: true },
    ]);
    expect(found).toMatchObject({ status: 1, stopReason: "max_depth" });
    expect(found.notes).toContainEqual(expect.stringContaining("Results depend on its numbers"));
    expect(await receipts("0")).toMatchObject({ status: 0, violations: [], statesVisited: 5, stopReason: "exhausted" });
  });
});
