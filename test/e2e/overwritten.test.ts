import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { folderWith, only, seqqa, writtenIn } from "../support/e2e.ts";

/**
 * Accounts with salted password hashes and API keys. Each request of alice renews the secret of her session. DEFECT: `reset` (a reset token works twice),
 * `takeover` (each user may rotate the key of another one), `refused` (a refused request rotates the key).
 */
const SERVER = `
import { createServer } from "node:http";
import { createHash, randomBytes } from "node:crypto";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");
const { DEFECT } = process.env;
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, name TEXT UNIQUE, hash TEXT, key TEXT)");
db.exec("CREATE TABLE IF NOT EXISTS resets (token TEXT PRIMARY KEY, user_id INTEGER)");
db.exec("CREATE TABLE IF NOT EXISTS sessions (name TEXT PRIMARY KEY, secret TEXT)");
const random = () => randomBytes(12).toString("hex");
const hashOf = (password, salt = random()) => salt + "." + createHash("sha256").update(salt + password).digest("hex");
const rotate = (id) => db.prepare("UPDATE users SET key = ? WHERE id = ?").run(random(), id);
createServer(async (request, response) => {
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(body === undefined ? undefined : JSON.stringify(body));
  let text = "";
  for await (const part of request) text += part;
  const sent = text === "" ? {} : JSON.parse(text);
  const [, first, id, last] = request.url.split("/");
  if (first === "register") {
    if (db.prepare("SELECT 1 FROM users WHERE name = ?").get(sent.name) !== undefined) return send(409, {});
    const { lastInsertRowid } = db.prepare("INSERT INTO users (name, hash, key) VALUES (?, ?, ?)").run(sent.name, hashOf(sent.password), random());
    db.prepare("INSERT INTO sessions VALUES (?, ?)").run(sent.name, random());
    return send(201, { id: Number(lastInsertRowid) });
  }
  if (first === "reset") {
    const row = db.prepare("SELECT user_id FROM resets WHERE token = ?").get(sent.token);
    if (row === undefined) return send(401, {});
    db.prepare("UPDATE users SET hash = ? WHERE id = ?").run(hashOf(sent.password), row.user_id);
    if (DEFECT !== "reset") db.prepare("DELETE FROM resets WHERE token = ?").run(sent.token);
    return send(204);
  }
  const user = db.prepare("SELECT id, name FROM users WHERE name = ?").get(request.headers.authorization);
  if (user === undefined) return send(401, {});
  if (user.name === "alice") db.prepare("UPDATE sessions SET secret = ? WHERE name = ?").run(random(), user.name);
  if (first === "forgot") {
    const token = random();
    db.prepare("INSERT INTO resets VALUES (?, ?)").run(token, user.id);
    return send(201, { token });
  }
  if (first === "me") return db.prepare("UPDATE users SET hash = ? WHERE id = ?").run(hashOf(sent.password), user.id), send(204);
  if (last !== "rotate") return send(404, {});
  if (user.id !== Number(id) && DEFECT !== "takeover") {
    if (DEFECT === "refused") rotate(id);
    return send(403, {});
  }
  rotate(id);
  send(204);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import { idempotent, ownership, rejectedMeansUnchanged, singleUse } from "seqqa/rules";
export const agent = new Agent<any>({
  name: "accounts",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl, { headers: { authorization: "alice" } }), systems: lane.systems }),
  actions: [
    new Action<any>({ name: "register", mayNeverSucceed: true, run: async (api, context) => { const answer = await api.post("/register", { json: { name: "alice", password: "secret" } }); if (answer.ok) context.set("user", answer.json<any>().id); return answer; } }),
    new Action<any>({ name: "forgot", precondition: (context) => context.has("user") && !context.has("token"), run: async (api, context) => { const answer = await api.post("/forgot"); if (answer.ok) context.set("token", answer.json<any>().token); return answer; } }),
    new Action<any>({ name: "reset", precondition: (context) => context.has("token"), run: async (api, context) => api.post("/reset", { json: { token: context.getRequired("token"), password: "other" } }) }),
    new Action<any>({ name: "change_password", precondition: (context) => context.has("user"), run: async (api) => api.put("/me", { json: { password: "third" } }) }),
    new Action<any>({ name: "rotate_key", precondition: (context) => context.has("user"), run: async (api, context) => api.post("/users/" + context.getRequired("user") + "/rotate") }),
  ],
  invariants: [
    singleUse({ create: "forgot", use: "reset" }),
    ownership({ users: { bob: async (api: any) => { await api.post("/register", { json: { name: "Bearer bob", password: "secret" } }); api.setAuthToken("bob"); } } }),
    rejectedMeansUnchanged(),
    idempotent(),
  ],
});
`;

describe("rules notice that a generated value was overwritten in a row that still exists", () => {
  const cases: readonly (readonly [defect: string | undefined, rules: readonly string[]])[] = [
    [undefined, []],
    ["refused", ["ownership", "rejected_means_unchanged"]],
    ["reset", ["single_use_reset"]],
    ["takeover", ["ownership"]],
  ];
  // In the quick suite e2e/accounts has a reset token that works twice.
  it.each(some(cases, 2))("with the defect %s", async (defect, rules) => {
    const env = ['PORT: "{port}"', 'DB_PATH: "{db_path}"', ...(defect === undefined ? [] : [`DEFECT: ${defect}`])];
    const cwd = folderWith({
      "server.mjs": SERVER,
      "accounts.explore.ts": EXPLORATION,
      "seqqa.yaml": `target: { command: node server.mjs, env: { ${env.join(", ")} } }\nexploration: { max_depth: ${full || defect === undefined ? 3 : 2} }\n`,
    });
    const { status } = await seqqa(["run", ".", "--output", "out"], { cwd });
    const { violations, errors, divergences } = only(writtenIn(join(cwd, "out")));
    expect([...new Set(violations.map(({ invariant }) => invariant))].toSorted()).toEqual(rules);
    expect([status, errors, divergences]).toEqual([rules.length === 0 ? 0 : 1, [], []]);
  });
});
