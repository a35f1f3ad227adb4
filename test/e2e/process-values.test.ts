import { describe, expect, it } from "vitest";
import { documentOf, folderWith, only, seqqa } from "../support/e2e.ts";
import { template } from "../support/store-templates.ts";

/** A job table whose column `locked_by` names the process that works on a job, as many job libraries write it. */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("create table if not exists jobs (id integer primary key, status text, locked_by text); insert or ignore into jobs values (1, 'ready', null), (2, 'ready', null)");
const me = process.env.WORKER ?? "host:" + process.pid;
const update = (set, from, id, ...values) => db.prepare("update jobs set " + set + " where id = ? and status = '" + from + "'").run(...values, id).changes;
createServer((request, response) => {
  const [, id, verb] = request.url.split("/");
  const count = verb === "lock" ? update("status = 'running', locked_by = ?", "ready", id, me) : verb === "done" ? update("status = 'done'", "running", id) : 1;
  response.writeHead(count > 0 ? 200 : 409).end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `import { Action, Agent } from "seqqa";
export const agent = new Agent<any>({
  actions: ["lock", "done"].flatMap((verb) => [1, 2].map((id) => new Action<any>({ name: verb + "_" + id, run: (api) => api.post("/" + id + "/" + verb) }))),
  invariants: [],
});
`;

async function explored(lanes: number, { env = "" } = {}) {
  const cwd = folderWith({
    "server.mjs": SERVER,
    "jobs.explore.ts": EXPLORATION,
    "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}"${env} } }\n`,
  });
  const ran = await seqqa(["run", ".", "--reporter", "json", "--parallel", String(lanes)], { cwd });
  const { verdict, unverified, divergences, statesVisited, digest } = only(documentOf(ran));
  return { status: ran.status, text: verdict.text, unverified, divergences, statesVisited, digest };
}

describe("a column with the id of the target's process", () => {
  it("is named with its values and left out of the states, once two lanes differ", async () => {
    expect(await explored(2)).toMatchObject({
      status: 3,
      text: "exhaustive except jobs.locked_by (differs between processes of the target) (9 states, 0 open)",
      divergences: [],
      unverified: [
        expect.stringMatching(
          /^jobs\.locked_by is "host:\d+" in one process of the target and "host:\d+" in another: .* set it in target\.env\. .* Otherwise, write ignore: \["jobs\.locked_by"\] in seqqa\.yaml, under systems\.$/,
        ) as string,
      ],
    });
  });

  it("needs no remark if target.env sets the value", async () => {
    expect(await explored(2, { env: ", WORKER: host-7701" })).toMatchObject({ status: 0, unverified: [], statesVisited: 9 });
  });
});

/** A target that fills its store with the present time at each start. */
const SEEDING = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const { Pool } = createRequire(${JSON.stringify(import.meta.url)})("pg");
const db = new Pool({ connectionString: process.env.DATABASE_URL, max: 2 });
await db.query("CREATE TABLE IF NOT EXISTS orders (id INT PRIMARY KEY, status TEXT, created_at TIMESTAMPTZ DEFAULT now())");
await db.query("INSERT INTO orders (id, status) VALUES (1, 'new'), (2, 'new') ON CONFLICT DO NOTHING");
createServer(async ({ url }, response) => {
  const [, id, status] = url.split("/");
  if (status === undefined) return response.end();
  const { rowCount } = await db.query("UPDATE orders SET status = $2 WHERE id = $1 AND status <> $2", [id, status]);
  response.writeHead(rowCount > 0 ? 200 : 409).end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

it("states are exchanged between lanes whose targets filled their stores at different times", async () => {
  const explored = async (lanes: number) => {
    const cwd = folderWith({
      "server.mjs": SEEDING,
      "orders.explore.ts": `import { Action, Agent } from "seqqa";
export const agent = new Agent<any>({
  actions: [1, 2].flatMap((id) => ["paid", "sent"].map((status) => new Action<any>({ name: status + "_" + id, run: (api) => api.post("/" + id + "/" + status) }))),
  invariants: [],
});
`,
      "seqqa.yaml": `db_url: "${await template("postgres")}"
systems: { db: { checkpoint: journal } }
target: { command: node server.mjs, env: { PORT: "{port}", DATABASE_URL: "{db_url}" } }
`,
    });
    const ran = await seqqa(["run", ".", "--reporter", "json", "--parallel", String(lanes)], { cwd });
    const { digest, divergences, statesVisited } = only(documentOf(ran));
    expect(ran.stderr).not.toContain("again:");
    return { status: ran.status, digest, divergences, statesVisited };
  };
  const alone = await explored(1);
  expect(alone).toMatchObject({ status: 0, divergences: [], statesVisited: 9 });
  expect(await explored(3)).toEqual(alone);
});
