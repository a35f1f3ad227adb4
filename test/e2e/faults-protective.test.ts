import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { FaultCoverage } from "../../src/model/results/result.ts";
import { folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";

/**
 * Orders in a pool of 3 connections. HOW: `breaker` (after 4 failures in a row, calls get 503 for 2 s), `limiter` (after 6 failures, calls get 429 until
 * a restart), `leak` (a failure keeps its connection, and calls without a connection get 503).
 */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const pg = createRequire(${JSON.stringify(import.meta.url)})("pg");
const { HOW } = process.env;
const connectionString = process.env.DATABASE_URL;
const first = new pg.Client({ connectionString });
await first.connect();
await first.query("CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, item text)");
await first.end();
const pool = new pg.Pool({ connectionString, max: 3, connectionTimeoutMillis: HOW === "leak" ? 300 : 15_000 });
pool.on("error", () => undefined);
let [failures, openUntil] = [0, 0];
createServer(async (request, response) => {
  for await (const _ of request);
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (request.method === "GET") return send(200, {});
  if (HOW === "breaker" && Date.now() < openUntil) return send(503, {});
  if (HOW === "limiter" && failures >= 6) return send(429, {});
  const client = await pool.connect().catch(() => undefined);
  if (client === undefined) return send(503, {});
  client.on("error", () => undefined);
  let failed;
  try {
    await client.query("INSERT INTO orders (item) VALUES ('lamp')");
    if (HOW === "breaker") failures = 0;
    send(201, {});
  } catch (error) {
    failed = error;
    if (++failures === 4 && HOW === "breaker") [failures, openUntil] = [0, Date.now() + 2000];
    send(500, {});
  } finally {
    if (failed === undefined || HOW !== "leak") client.release(failed);
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
export const agent = new Agent<any>({
  name: "orders",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems }),
  actions: [new Action<any>({ name: "order", run: (api) => api.post("/orders") })],
  invariants: [],
});
`;

type Found = ReturnType<typeof only> & { readonly faultCoverage: FaultCoverage };

describe("an API that protects itself after faults", { timeout: 240_000 }, () => {
  const explored = async (how: string): Promise<Found> => {
    const cwd = folderWith({
      "server.mjs": SERVER,
      "orders.explore.ts": EXPLORATION,
      "seqqa.yaml": `timeout: 20\ndb_url: "${await template("postgres")}"\ntarget: { command: node server.mjs, env: { PORT: "{port}", DATABASE_URL: "{db_url}", HOW: ${how} } }\nexploration: { max_depth: 1, faults: { kinds: [error] } }\n`,
    });
    await seqqa(["run", ".", "--faults", "--parallel", "1", "--output", "out"], { cwd, timeoutMs: 200_000 });
    return only(writtenIn(join(cwd, "out"))) as Found;
  };

  it("with a circuit breaker has recovered when it lets calls through again", async () => {
    const { violations, faultCoverage } = await explored("breaker");
    expect([violations, faultCoverage.skippedPoints]).toEqual([[], {}]);
    expect(faultCoverage.tried).toBeGreaterThan(0);
  });

  it("with a rate limit that lets nothing through is not judged", async () => {
    const { violations, faultCoverage } = await explored("limiter");
    expect([violations, faultCoverage.tried, faultCoverage.skippedPoints]).toEqual([[], 0, { refused: faultCoverage.points }]);
  });

  it("is found if it does not come back, because its connections are lost", async () => {
    const { violations } = await explored("leak");
    expect(violations.map(({ invariant }) => invariant)).toEqual(["order_no_recovery"]);
  });
});
