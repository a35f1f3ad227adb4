import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, size, some } from "../sizes.ts";
import { folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";

/**
 * A GraphQL server that answers every request with 200. BUG: `swallowed` (a failed order is answered with data), `lost` (a like does not look at the
 * version), `leak` (a failed order keeps its connection), `closed` (every mutation is refused).
 */
const SERVER = `
import { createServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { createRequire } from "node:module";
const pg = createRequire(${JSON.stringify(import.meta.url)})("pg");
const { BUG } = process.env;
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 3, connectionTimeoutMillis: 300 });
pool.on("error", () => undefined);
await pool.query("CREATE TABLE IF NOT EXISTS orders (id serial PRIMARY KEY, item text)");
await pool.query("CREATE TABLE IF NOT EXISTS lines (order_id int, count int)");
await pool.query("CREATE TABLE IF NOT EXISTS posts (id int PRIMARY KEY, likes int, version int)");
await pool.query("INSERT INTO posts VALUES (1, 0, 1) ON CONFLICT DO NOTHING");
const resolvers = {
  async createOrder() {
    const client = await pool.connect();
    client.on("error", () => undefined);
    let failed;
    try {
      await client.query("BEGIN");
      const { rows } = await client.query("INSERT INTO orders (item) VALUES ('lamp') RETURNING id");
      await client.query("INSERT INTO lines VALUES ($1, 1)", [rows[0].id]);
      await client.query("COMMIT");
      return { id: rows[0].id };
    } catch (error) {
      failed = error;
      await client.query("ROLLBACK").catch(() => undefined);
      if (BUG === "swallowed") return { id: 0 };
      throw error;
    } finally {
      if (failed === undefined || BUG !== "leak") client.release(failed);
    }
  },
  async like() {
    const { likes, version } = (await pool.query("SELECT likes, version FROM posts WHERE id = 1")).rows[0];
    await sleep(4);
    const { rowCount } = await pool.query("UPDATE posts SET likes = $1, version = version + 1 WHERE id = 1 AND ($3 OR version = $2)", [likes + 1, version, BUG === "lost"]);
    if (rowCount === 0) throw new Error("conflict");
    return { done: true };
  },
};
createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const send = (body) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (BUG === "closed" && text.includes("mutation")) return send({ data: null, errors: [{ message: "not logged in" }] });
  const name = /createOrder|like/.exec(text)?.[0];
  if (name === undefined) return send({ data: {} });
  try {
    send({ data: { [name]: await resolvers[name]() } });
  } catch (error) {
    send({ data: null, errors: [{ message: error.message }] });
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { GraphQLClient } from "seqqa/clients/graphql";
const calling = (name: string, field: string) => new Action<any, GraphQLClient>({ name, run: (api) => api.query("mutation { " + field + " }") });
export const agent = new Agent<any, GraphQLClient>({
  name: "graphql",
  world: (lane) => new World<any, GraphQLClient>({ api: new GraphQLClient(lane.baseUrl + "/graphql"), systems: lane.systems }),
  actions: [calling("create_order", "createOrder { id }"), calling("like", "like { done }")],
  invariants: [],
});
`;

/** Writes the folder of an exploration of the server with a defect. */
async function folderOf(bug: string | undefined, depth: number): Promise<string> {
  const env = ['PORT: "{port}"', 'DATABASE_URL: "{db_url}"', ...(bug === undefined ? [] : [`BUG: ${bug}`])];
  return folderWith({
    "server.mjs": SERVER,
    "graphql.explore.ts": EXPLORATION,
    "seqqa.yaml": `timeout: 3\ndb_url: "${await template("postgres")}"\ntarget: { command: node server.mjs, env: { ${env.join(", ")} } }\nexploration: { max_depth: ${depth} }\n`,
  });
}

describe("GraphQL answers with errors and status 200 are refusals", { timeout: 240_000 }, () => {
  const cases: readonly (readonly [flag: string, bug: string | undefined, expected: readonly string[]])[] = [
    ["--faults", undefined, []],
    ["--faults", "swallowed", ["create_order_false_success"]],
    ["--races", undefined, []],
    ["--races", "lost", ["state like like"]],
    ["--faults", "leak", ["create_order_no_recovery"]],
  ];
  // In the quick suite e2e/races has lost updates, and unit/faults/oracle/judge-fault a target that does not recover.
  it.each(some(cases, 3))("with %s and the defect %s", async (flag, bug, expected) => {
    const cwd = await folderOf(bug, size(1, 2));
    // Few trials where no race is.
    const trials: Readonly<Record<string, string>> = full || bug !== undefined ? {} : { SEQQA_EXPLORATION_RACES_TRIALS: "4" };
    const command = ["run", ".", flag, "--parallel", "1", "--output", "out"];
    const { status, stdout } = await seqqa(command, { cwd, env: flag === "--races" ? trials : {}, timeoutMs: 200_000 });
    const { violations, races } = only(writtenIn(join(cwd, "out"))) as ReturnType<typeof only> & {
      readonly races: readonly { readonly verdict: string; readonly first: string; readonly second: string }[];
    };
    const found = [...violations.map(({ invariant }) => invariant), ...races.map((one) => `${one.verdict} ${one.first} ${one.second}`)];
    expect([...new Set(found)], stdout).toEqual(expected);
    expect(status).toBe(expected.length === 0 ? 0 : 1);
  });

  it("each time: no action worked", async () => {
    const { status, stdout } = await seqqa(["run", ".", "--parallel", "1", "--output", "out"], { cwd: await folderOf("closed", 1) });
    expect(stdout).toContain("0 of 2 actions worked. These actions never worked: create_order was answered 200 with errors in");
    expect(status).toBe(3);
  });

  it("each time: no edge of a state graph was followed", async () => {
    const cwd = await folderOf("closed", 3);
    writeFileSync(
      join(cwd, "graphql.explore.ts"),
      `import { StateGraph, World } from "seqqa";
import { GraphQLClient } from "seqqa/clients/graphql";
export const graph = new StateGraph<any, GraphQLClient>({
  name: "graphql",
  world: (lane) => new World<any, GraphQLClient>({ api: new GraphQLClient(lane.baseUrl + "/graphql"), systems: lane.systems }),
})
  .addNode("empty", { initial: true })
  .addNode("ordered")
  .addEdge("empty", "ordered", { name: "order", action: (api) => api.query("mutation { createOrder { id } }") });
`,
    );
    const { status, stdout } = await seqqa(["run", ".", "--parallel", "1", "--output", "out"], { cwd });
    expect(stdout).toContain('no path reached the node "ordered": "order" never applied');
    expect(status).toBe(1);
  });
});
