import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { documentOf, folderWith, only, seqqa, start, startNode, until } from "../support/e2e.ts";
import { onMysql, onPostgres, template } from "../support/store-templates.ts";
import { full, size } from "../sizes.ts";

type Kind = "postgres" | "mysql";

/** Orders, and what happened to them, written by a trigger of the API's own and put away by a foreign key. */
const SERVER = `
import { createServer } from "node:http";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(import.meta.url)});

const { STORE_URL } = process.env;
const pool = STORE_URL.startsWith("mysql:")
  ? require("mysql2/promise").createPool({ uri: STORE_URL, connectionLimit: 3 })
  : new (require("pg").Pool)({ connectionString: STORE_URL, max: 3 });
const STATEMENTS = {
  "/orders": "INSERT INTO orders (status) VALUES ('new')",
  "/pay": "UPDATE orders SET status = concat(status, '+') WHERE id = (SELECT m FROM (SELECT max(id) AS m FROM orders) AS newest)",
  "/cancel": "DELETE FROM orders WHERE id = (SELECT m FROM (SELECT min(id) AS m FROM orders) AS oldest)",
};

createServer(async (request, response) => {
  if (request.method === "GET") return response.end(JSON.stringify(await pool.query("SELECT 1 AS one FROM orders WHERE status LIKE 'new++%'").then((found) => found.rows ?? found[0])));
  const done = await pool.query(STATEMENTS[request.url]).then(() => 200, () => 500);
  response.writeHead(done, { "content-type": "application/json" }).end("{}");
}).listen(0, "127.0.0.1", function () { writeFileSync(process.env.ANNOUNCE, String(this.address().port)); });
`;

/**
 * What \`setup\` makes is part of the root, and must not stay in the user's store. With HELD it stops before a call in the middle of a branch, where an order was
 * paid for twice, which no put-back leaves: all that it wrote is recorded by then.
 */
const EXPLORATION = `import { writeFileSync } from "node:fs";
import { Action, Agent } from "seqqa";
import type { ApiClient } from "seqqa/adapters/http";
const isHeld = async (api: ApiClient) => process.env.HELD !== undefined && (await api.get("/")).json<unknown[]>().length > 0;
export const agent = new Agent({
  setup: async (world) => {
    await world.api.post("/orders");
    await world.api.post("/cancel");
  },
  actions: ["orders", "pay", "cancel"].map((name) => new Action({
    name,
    run: async (api) => {
      if (await isHeld(api)) {
        writeFileSync("held", "");
        await new Promise(() => undefined);
      }
      return api.post("/" + name);
    },
  })),
  invariants: [],
});
`;

const TABLES = (id: string): readonly string[] => [
  `CREATE TABLE orders (id ${id} PRIMARY KEY, status varchar(200) NOT NULL)`,
  `CREATE TABLE events (order_id bigint, what varchar(200), CONSTRAINT of_order FOREIGN KEY (order_id) REFERENCES orders (id) ON DELETE SET NULL)`,
];
const SEED = ["INSERT INTO orders (status) VALUES ('mine'), ('mine, too')"];

const KINDS = {
  postgres: {
    ask: onPostgres,
    schema: [
      ...TABLES("bigserial"),
      "CREATE FUNCTION born() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO events VALUES (NEW.id, 'born'); RETURN NULL; END $$",
      "CREATE TRIGGER born AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION born()",
      ...SEED,
    ],
    everything: [
      "SELECT * FROM orders ORDER BY id",
      "SELECT * FROM events ORDER BY order_id, what",
      "SELECT last_value, is_called FROM orders_id_seq",
      "SELECT nspname AS n FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp' ORDER BY 1",
      "SELECT relname AS n, relkind FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
      "SELECT tgname AS n FROM pg_trigger ORDER BY 1",
      "SELECT proname AS n FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1",
      "SELECT evtname AS n FROM pg_event_trigger",
    ],
  },
  mysql: {
    ask: onMysql,
    schema: [
      ...TABLES("bigint AUTO_INCREMENT"),
      "CREATE TRIGGER born AFTER INSERT ON orders FOR EACH ROW INSERT INTO events VALUES (NEW.id, 'born')",
      ...SEED,
    ],
    everything: [
      "SELECT * FROM orders ORDER BY id",
      "SELECT * FROM events ORDER BY order_id, what",
      "SELECT table_name, table_type FROM information_schema.tables WHERE table_schema = database() ORDER BY 1",
      "SELECT trigger_name, action_statement FROM information_schema.triggers WHERE trigger_schema = database() ORDER BY 1",
      "SELECT routine_name FROM information_schema.routines WHERE routine_schema = database()",
    ],
  },
} as const;

interface Place {
  readonly cwd: string;
  readonly everything: () => Promise<unknown>;
}

async function place(kind: Kind): Promise<Place> {
  const { ask, schema, everything } = KINDS[kind];
  const url = await template(kind);
  for (const statement of schema) await ask(url, statement);
  const cwd = folderWith({ "server.mjs": SERVER, "orders.explore.ts": EXPLORATION });
  const announced = join(cwd, "port");
  startNode(["server.mjs"], { cwd, env: { STORE_URL: url, ANNOUNCE: announced }, timeoutMs: 600_000 });
  await until(() => existsSync(announced) && readFileSync(announced, "utf8") !== "", "a running server");
  const config = `base_url: http://127.0.0.1:${readFileSync(announced, "utf8")}\nsystems:\n  db:\n    url: ${url}\n`;
  const there = folderWith({ "orders.explore.ts": EXPLORATION, "seqqa.yaml": config });
  return {
    cwd: there,
    everything: () => Promise.all(everything.map((sql) => ask(url, sql))),
  };
}

const STEPS = String(size(25, 60));
const run = ["run", ".", "--reporter", "json", "--output", "out", "--max-steps"];

/** Explores a bounded number of steps; gives the digest. */
async function explored({ cwd }: Place): Promise<string> {
  const ran = await seqqa([...run, STEPS], { cwd });
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
  const result = only(documentOf(ran));
  expect(result).toMatchObject({ stopReason: "max_steps", divergences: [], errors: [] });
  return result.digest;
}

/** Explores without an end, and is killed in the middle of a branch. */
async function killed({ cwd }: Place): Promise<void> {
  const running = start([...run, "1000000"], { cwd, env: { HELD: "1" } });
  const ended = (): boolean => running.child.exitCode !== null;
  await until(() => ended() || existsSync(join(cwd, "held")), "a state that no put-back has left", 90_000);
  if (ended()) throw new Error(`It ended: ${running.said.stderr}`);
  running.child.kill("SIGKILL");
  await running.ended;
}

describe.each(full ? (["postgres", "mysql"] as const) : (["postgres"] as const))(
  "the store of a running target on %s",
  { timeout: 300_000 },
  (kind) => {
    it("ends as it began after a run; after a SIGKILL no run begins in it until clean has put it back", async () => {
      const at = await place(kind);
      const before = await at.everything();
      const digest = await explored(at);
      expect(await at.everything()).toEqual(before);

      await killed(at);
      const left = await at.everything();
      expect(left).not.toEqual(before);
      const next = await seqqa([...run, STEPS], { cwd: at.cwd });
      expect({ status: next.status, stderr: next.stderr }).toMatchObject({
        status: 2,
        stderr: expect.stringMatching(/A run was killed while it was changing the database .* .*`seqqa clean`/s) as string,
      });
      expect(await seqqa(["clean"], { cwd: at.cwd })).toMatchObject({ status: 2 });
      expect((await seqqa(["clean", "--dry-run"], { cwd: at.cwd })).status).toBe(0);
      expect(await at.everything()).toEqual(left);
      const cleaned = await seqqa(["clean", "--yes"], { cwd: at.cwd });
      expect(cleaned).toMatchObject({ status: 0, stdout: expect.stringMatching(/goes back {2}orders {2}id \d/) as string });
      // It may find what other tests have killed.
      const unneeded = await seqqa(["clean"], { cwd: at.cwd });
      expect([unneeded.status, unneeded.stdout]).toEqual([0, expect.not.stringMatching(/goes back|restored/)]);
      expect(await at.everything()).toEqual(before);
      // The contents above say the same.
      if (full) expect(await explored(at)).toBe(digest);
    });
  },
);
