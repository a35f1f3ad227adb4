import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explore } from "../models/explore.ts";
import type { Model } from "../models/model.ts";
import { full, size, some } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, only, seqqa, type Explored } from "../support/e2e.ts";
import { onPostgres, template } from "../support/store-templates.ts";

/** In the quick suite what PostgreSQL loses costs one lane of two. */
const LANES = full ? [1, 2] : [1];

/** Two can wait in the queue, one behind the other, so that their order is seen. */
const ORDERS = size(2, 3);

/** Orders in PostgreSQL, the queue of those to be worked on and how many are open in Redis: most requests write both, some one of them. */
const SERVER = `
import { createServer } from "node:http";
import { appendFileSync } from "node:fs";
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(import.meta.url)});
const pg = require("pg");
const { Redis } = require("ioredis");

appendFileSync(process.env.STARTS, "started\\n");
const db = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 3 }).on("error", () => {});
const redis = new Redis(process.env.REDIS_URL).on("error", () => {});
await db.query("CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, status text NOT NULL DEFAULT 'new', flagged boolean NOT NULL DEFAULT false)");
const rows = async (sql, ...values) => (await db.query(sql, values)).rows;

const routes = {
  "/create": async () => {
    if ((await rows("SELECT count(*)::int AS n FROM orders"))[0].n >= ${ORDERS}) return [409];
    const [order] = await rows("INSERT INTO orders DEFAULT VALUES RETURNING *");
    await redis.multi().rpush("queue", order.id).incr("open").exec();
    return [201, order];
  },
  "/work": async () => {
    const id = await redis.lpop("queue");
    if (id === null) return [409];
    const [order] = await rows("UPDATE orders SET status = 'done' WHERE id = $1 RETURNING *", id);
    await redis.decr("open");
    return [200, order];
  },
  "/rotate": async () => {
    if ((await redis.llen("queue")) < 2) return [409];
    return [200, { first: await redis.rpoplpush("queue", "queue") }];
  },
  "/flag": async () => {
    const [order] = await rows("UPDATE orders SET flagged = NOT flagged WHERE id = (SELECT min(id) FROM orders) RETURNING *");
    return order === undefined ? [404] : [200, order];
  },
  // Ends what others have open on one of the stores.
  "/end/postgres": async () => [200, await rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'seqqa%'")],
  "/end/redis": async () => {
    const own = await redis.client("ID");
    const others = (await redis.client("LIST")).split("\\n").map((line) => /^id=(\\d+)/.exec(line)?.[1]).filter((id) => id && Number(id) !== own);
    for (const id of others) await redis.client("KILL", "ID", id).catch(() => {});
    return [200, { ended: others.length }];
  },
  // The lane's own server goes, with all that it held. There is no reply to it, and once is enough.
  "/end/server": async () => {
    redis.duplicate({ retryStrategy: null }).on("error", () => {}).call("SHUTDOWN", "NOSAVE").catch(() => {});
    return [200];
  },
};

createServer(async (request, response) => {
  const [status, body] = await (routes[request.url] ?? (async () => [404]))().catch((error) => [500, { error: error.message }]);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? {}));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const CONFIG = `systems:
  db: { url: "\${PG_URL}" }
  cache: { url: "\${REDIS_URL}" }
target:
  command: node server.mjs
  env: { PORT: "{port}", DATABASE_URL: "{url:db}", REDIS_URL: "redis://{host:cache}:{port:cache}/{database:cache}", STARTS: "\${STARTS}" }
`;

/** A check comes after the state was read and before it is put back: the one of the chosen number ends connections, once in the run. */
const EXPLORATION = `import { Action, Agent, Invariant } from "seqqa";
import { writeFileSync } from "node:fs";
let checks = 0;
async function disturb(world) {
  const { END, AT, ONCE } = process.env;
  if (!END || ++checks < Number(AT)) return;
  try { writeFileSync(ONCE, END, { flag: "wx" }); } catch { return; }
  const ended = await world.api.post("/end/" + END);
  if (!ended.ok) throw new Error("nothing was ended");
}
export const agent = new Agent({
  actions: ["create", "work", "rotate", "flag"].map((name) => new Action({ name, run: async (api) => api.post("/" + name) })),
  invariants: [
    new Invariant({
      name: "stores_agree",
      message: "the queue is not what the orders say",
      check: async (world) => {
        const [{ n }] = await world.systems.db.query("SELECT count(*) AS n FROM orders WHERE status = 'new'");
        const queued = await world.systems.cache.command("LLEN", "queue");
        const open = Number((await world.systems.cache.command("GET", "open")) ?? 0);
        await disturb(world);
        return Number(n) === Number(queued) && open === Number(queued);
      },
    }),
  ],
});
`;

interface Shop {
  readonly statuses: readonly string[];
  readonly flagged: boolean;
  readonly queue: readonly number[];
}

const MODEL: Model<Shop> = {
  initial: { statuses: [], flagged: false, queue: [] },
  actions: ["create", "work", "rotate", "flag"],
  broken: () => [],
  step: (state, action) => {
    const { statuses, flagged, queue } = state;
    if (action === "create") {
      if (statuses.length === ORDERS) return { status: 409, state };
      return { status: 201, state: { flagged, statuses: [...statuses, "new"], queue: [...queue, statuses.length + 1] } };
    }
    if (action === "work") {
      const [first, ...rest] = queue;
      if (first === undefined) return { status: 409, state };
      return { status: 200, state: { flagged, statuses: statuses.map((one, at) => (at === first - 1 ? "done" : one)), queue: rest } };
    }
    if (action === "rotate") {
      if (queue.length < 2) return { status: 409, state };
      return { status: 200, state: { ...state, queue: [queue.at(-1)!, ...queue.slice(0, -1)] } };
    }
    return statuses.length === 0 ? { status: 404, state } : { status: 200, state: { ...state, flagged: !flagged } };
  },
};

interface Ran {
  readonly result: Explored;
  /** How often a target was started: once for each lane that was brought up. */
  readonly starts: number;
  readonly disturbed: boolean;
}

async function run(parallel: number, env: Readonly<Record<string, string>>): Promise<Ran> {
  const cwd = folderWith({ "server.mjs": SERVER, "seqqa.yaml": CONFIG, "shop.explore.ts": EXPLORATION });
  const files = { STARTS: join(cwd, "starts"), ONCE: join(cwd, "once") };
  const args = ["run", ".", "--parallel", String(parallel), "--reporter", "json", "--output", emptyFolder()];
  const ran = await seqqa(args, { cwd, env: { ...env, ...files } });
  expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
  const starts = readFileSync(files.STARTS, "utf8").trim().split("\n").length;
  return { result: only(documentOf(ran)), starts, disturbed: existsSync(files.ONCE) };
}

describe("PostgreSQL and Redis in one world", { timeout: 300_000 }, () => {
  /** Of an exploration in which nothing was lost. */
  let leftAlone: string | undefined;

  it("are put back together: the states of the model, whatever is lost on the way", async () => {
    const [pgUrl, redisUrl] = [await template("postgres"), await template("redis")];
    const env = { PG_URL: pgUrl, REDIS_URL: redisUrl };
    const counts = explore(MODEL);
    const expected = {
      statesVisited: counts.states,
      transitions: counts.transitions,
      violations: [],
      divergences: [],
      errors: [],
      open: 0,
    };

    const digests = new Set<string>();
    for (const lanes of LANES) {
      const undisturbed = await run(lanes, env);
      expect(undisturbed.result).toMatchObject(expected);
      expect(undisturbed.starts).toBe(lanes);
      digests.add(undisturbed.result.digest);
    }
    expect(digests.size).toBe(1);
    const [digest] = digests;
    leftAlone = digest;

    // Redis's adapter connects again by itself, and puts everything back that it was not told of; PostgreSQL's costs the whole lane.
    const losses = [
      { END: "redis", AT: String(size(15, 40)), parallel: 1, rebuilt: 0 },
      { END: "postgres", AT: String(size(10, 20)), parallel: 2, rebuilt: 1 },
    ] as const;
    // In the quick suite e2e/store-losses has PostgreSQL, and the next test a lane that is rebuilt.
    for (const { END, AT, parallel, rebuilt } of some(losses, 1)) {
      const lost = await run(parallel, { ...env, END, AT });
      expect(lost.disturbed, END).toBe(true);
      expect(lost.result, END).toMatchObject({ ...expected, digest });
      // A standby lane is built beside each rebuild.
      expect(lost.starts, END).toBe(parallel + 2 * rebuilt);
    }
    expect(await onPostgres(pgUrl, "SELECT count(*)::int AS n FROM pg_class WHERE relname = 'orders'")).toEqual([{ n: 0 }]);
  });

  it.each(LANES)("a lane of %s whose Redis server ends gets another one: the same answer", async (parallel) => {
    const env = { PG_URL: await template("postgres"), REDIS_URL: await template("redis") };
    const counts = explore(MODEL);
    leftAlone ??= (await run(parallel, env)).result.digest;
    const lost = await run(parallel, { ...env, END: "server", AT: String(size(10, 20)) });
    expect(lost.disturbed).toBe(true);
    expect(lost.result).toMatchObject({
      statesVisited: counts.states,
      divergences: [],
      errors: [],
      open: 0,
      digest: leftAlone,
    });
    expect(lost.starts).toBe(parallel + 2);
  });
});
