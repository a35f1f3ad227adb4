import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";

/** A logout and a change of the password: the second of two calls gets 401. A recovery code is accepted twice if both requests arrive at once. */
const SERVER = `
import { createServer } from "node:http";
import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS users (name TEXT PRIMARY KEY, password TEXT, code TEXT); INSERT OR IGNORE INTO users VALUES ('ann', 'old', '123456')");
db.exec("CREATE TABLE IF NOT EXISTS sessions (token TEXT PRIMARY KEY)");
createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const sent = text === "" ? {} : JSON.parse(text);
  const send = (status, headers = {}) => response.writeHead(status, headers).end();
  const user = db.prepare("SELECT * FROM users").get();
  if (request.url === "/recover") {
    if (user.code !== sent.code) return send(401);
    await sleep(4);
    db.exec("UPDATE users SET code = NULL");
    return send(204, { "set-cookie": "sid=" + randomBytes(12).toString("hex") });
  }
  if (request.url === "/login") {
    const token = randomBytes(12).toString("hex");
    db.prepare("INSERT INTO sessions VALUES (?)").run(token);
    return response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify({ token }));
  }
  const token = request.headers.authorization?.slice(7) ?? "";
  if (db.prepare("SELECT 1 FROM sessions WHERE token = ?").get(token) === undefined) return send(401);
  if (request.url === "/password" && sent.current_password !== user.password) return send(401);
  await sleep(4);
  if (request.url === "/password") db.prepare("UPDATE users SET password = ?").run(sent.new_password);
  else db.prepare("DELETE FROM sessions WHERE token = ?").run(token);
  send(204);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
export const agent = new Agent<any>({
  name: "logout",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems }),
  setup: async (world: any) => { const answer = await world.api.post("/login"); world.api.setAuthToken(answer.json().token); },
  actions: [
    new Action<any>({ name: "logout", run: (api) => api.post("/logout") }),
    new Action<any>({ name: "password", run: (api) => api.post("/password", { json: { current_password: "old", new_password: "new" } }) }),
    new Action<any>({ name: "recover", run: (api) => api.post("/recover", { json: { code: "123456" } }) }),
  ],
  invariants: [],
});
`;

describe("two equal calls at once, of which the second gets 401 when they are sent one after the other", () => {
  it("are a race only if they spend a code", async () => {
    const cwd = folderWith({
      "server.mjs": SERVER,
      "logout.explore.ts": EXPLORATION,
      "seqqa.yaml": 'target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\nexploration: { max_depth: 2 }\n',
    });
    const { stdout } = await seqqa(["run", ".", "--races", "--output", "out"], { cwd });
    const { races, raceCoverage } = only(writtenIn(join(cwd, "out"))) as ReturnType<typeof only> & {
      readonly races: readonly { readonly verdict: string; readonly first: string; readonly second: string }[];
      readonly raceCoverage: { readonly dismissed: Readonly<Record<string, number>> };
    };
    expect(
      races.map((one) => `${one.verdict} ${one.first} ${one.second}`),
      stdout,
    ).toEqual(["responses recover recover"]);
    expect(raceCoverage.dismissed["idempotent"]).toBeGreaterThan(1);
  });
});
