import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { folderWith, start, startNode, until } from "../support/e2e.ts";
import { onMysql, onPostgres, template } from "../support/store-templates.ts";
import { full } from "../sizes.ts";

type Kind = "sqlite" | "postgres" | "mysql";

/**
 * A server whose actions write to `items` only. Holds the request with the number AT until another client has written, so that its write falls into
 * the time of this request.
 */
const SERVER = `
import { createServer } from "node:http";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(import.meta.url)});

const { STORE_URL, AT } = process.env;
const ask = STORE_URL.startsWith("mysql:")
  ? (pool => sql => pool.query(sql))(require("mysql2/promise").createPool({ uri: STORE_URL, connectionLimit: 3 }))
  : STORE_URL.startsWith("sqlite:")
    ? (db => async sql => db.exec(sql))(new (require("better-sqlite3"))(STORE_URL.slice(7), { timeout: 5000 }))
    : (pool => sql => pool.query(sql))(new (require("pg").Pool)({ connectionString: STORE_URL, max: 3 }));
const STATEMENTS = {
  "/add": "INSERT INTO items (v) VALUES (1)",
  "/raise": "UPDATE items SET v = v + 1 WHERE v < 3",
};
let count = 0;
createServer(async (request, response) => {
  if (STATEMENTS[request.url] === undefined) return response.writeHead(404).end();
  if (++count === Number(AT)) {
    writeFileSync("held", "");
    while (!existsSync("go")) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await ask(STATEMENTS[request.url]);
  response.writeHead(200, { "content-type": "application/json" }).end("{}");
}).listen(0, "127.0.0.1", function () { writeFileSync(process.env.ANNOUNCE, String(this.address().port)); });
`;

const EXPLORATION = `import { Action, Agent } from "seqqa";
export const agent = new Agent({
  actions: ["add", "raise"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) })),
  invariants: [],
});
`;

const ID = { sqlite: "integer", postgres: "serial", mysql: "int AUTO_INCREMENT" };
const SCHEMA = (kind: Kind): readonly string[] => [
  `CREATE TABLE items (id ${ID[kind]} PRIMARY KEY, v int)`,
  "CREATE TABLE orders (id integer PRIMARY KEY, note varchar(50))",
  "INSERT INTO orders VALUES (1, 'keep'), (2, 'keep')",
];
const OTHERS = [
  "INSERT INTO orders VALUES (7, 'paid')",
  "UPDATE orders SET note = 'changed' WHERE id = 1",
  "DELETE FROM orders WHERE id = 2",
];

async function storeOf(kind: Kind, cwd: string): Promise<{ readonly url: string; readonly ask: (sql: string) => Promise<unknown> }> {
  if (kind === "sqlite") {
    const db = new Database(join(cwd, "shop.test.db"), { timeout: 5_000 });
    db.pragma("journal_mode = WAL");
    return { url: `sqlite:${join(cwd, "shop.test.db")}`, ask: async (sql) => db.exec(sql) };
  }
  const url = await template(kind);
  return { url, ask: (sql) => (kind === "mysql" ? onMysql(url, sql) : onPostgres(url, sql)) };
}

// The numbers of the request: 4 is one of the experiments before the search, the others belong to the search or to its cross-checks.
const CASES: readonly (readonly [kind: Kind, at: number])[] = [4, 30, 60].flatMap((at) =>
  (["mysql", "postgres", "sqlite"] as const).map((kind) => [kind, at] as const),
);
const QUICK: typeof CASES = [
  ["sqlite", 4],
  ["postgres", 30],
];

describe("another client that writes to a store in place", { timeout: 120_000 }, () => {
  it.each(full ? CASES : QUICK)("on %s, during request %i: its rows stay, or are in a file that the message names", async (kind, at) => {
    const cwd = folderWith({ "server.mjs": SERVER, "shop.explore.ts": EXPLORATION });
    const { url, ask } = await storeOf(kind, cwd);
    for (const sql of SCHEMA(kind)) await ask(sql);
    startNode(["server.mjs"], { cwd, env: { STORE_URL: url, ANNOUNCE: "port", AT: String(at) } });
    await until(() => existsSync(join(cwd, "port")) && readFileSync(join(cwd, "port"), "utf8") !== "", "a running server");
    writeFileSync(
      join(cwd, "seqqa.yaml"),
      `base_url: http://127.0.0.1:${readFileSync(join(cwd, "port"), "utf8")}\nsystems:\n  db:\n    url: ${url}\n`,
    );
    const running = start(["run", ".", "--max-steps", "40", "--max-depth", "4"], { cwd });
    const isOver = (): boolean => running.child.exitCode !== null;
    await until(() => isOver() || existsSync(join(cwd, "held")), "a held request", 60_000);
    if (isOver()) throw new Error(`It ended: ${running.said.stdout}${running.said.stderr}`);
    for (const sql of OTHERS) await ask(sql);
    writeFileSync(join(cwd, "go"), "");
    const { status } = await running.ended;
    const said = running.said.stdout + running.said.stderr;
    const files = readdirSync(cwd).filter((name) => name.startsWith("seqqa-kept-"));
    const rows = files.map((name) => readFileSync(join(cwd, name), "utf8")).join("");
    expect({ status, said }).toMatchObject({ status: 3, said: expect.stringMatching(/another client/i) as string });
    expect(said).toContain(files[0]);
    for (const text of ['"id 7"', '"paid"', '"id 1"', '"changed"', '"id 2"']) expect(rows).toContain(text);
  });
});
