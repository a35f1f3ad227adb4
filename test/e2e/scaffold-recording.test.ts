import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { atEnd } from "../support/at-end.ts";
import { documentOf, emptyFolder, linkPackages, only, root, seqqa, startProgram, until, writtenIn } from "../support/e2e.ts";
import { harErrors } from "../support/json-schemas.ts";
import { typeErrors } from "../support/type-check.ts";

const FIXTURE = join(root, "fixtures/workspace");
const PASSWORD = "password";

interface Entry {
  readonly request: Readonly<Record<string, unknown>>;
  readonly response: Readonly<Record<string, unknown>> & { readonly json?: unknown };
}

/** A client that writes down what it sends and is answered, as a browser does. */
class Recorder {
  readonly entries: Entry[] = [];
  readonly #origin: string;
  #token = "";
  #at = Date.parse("2026-11-21T08:30:20.000Z");

  constructor(origin: string) {
    this.#origin = origin;
  }

  async send(method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> {
    const headers: Record<string, string> = { "content-type": "application/json", cookie: "sid=cookie-secret-1" };
    if (this.#token !== "") headers["authorization"] = `Bearer ${this.#token}`;
    const response = await fetch(this.#origin + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    const text = await response.text();
    const json = (text === "" ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>;
    if (path === "/login" && response.ok) this.#token = String(json["token"]);
    this.add(
      method,
      this.#origin + path,
      { headers, body: body === undefined ? undefined : JSON.stringify(body) },
      { status: response.status, text },
    );
    return json;
  }

  add(
    method: string,
    url: string,
    sent: { readonly headers: Readonly<Record<string, string>>; readonly body?: string | undefined },
    answered: { readonly status: number; readonly text: string; readonly type?: string },
  ): void {
    const { type = "application/json" } = answered;
    const common = { httpVersion: "HTTP/1.1", cookies: [], headersSize: -1, bodySize: -1 };
    const headers = Object.entries(sent.headers).map(([name, value]) => ({ name, value }));
    this.entries.push({
      startedDateTime: new Date(this.#at++).toISOString(),
      time: 1,
      cache: {},
      timings: { send: 0, wait: 1, receive: 0 },
      request: {
        ...common,
        method,
        url,
        headers,
        queryString: [],
        ...(sent.body === undefined ? {} : { postData: { mimeType: "application/json", text: sent.body } }),
      },
      response: {
        ...common,
        status: answered.status,
        statusText: "",
        redirectURL: "",
        headers: [{ name: "content-type", value: type }],
        content: { size: answered.text.length, mimeType: type, text: answered.text },
      },
    } as Entry);
  }

  get har(): object {
    return { log: { version: "1.2", creator: { name: "test", version: "1" }, entries: this.entries } };
  }
}

/** Records a session with the fixture: nested resources with integers and UUIDs as ids, a refused call, and a look at what was deleted. */
async function record(): Promise<Recorder> {
  const port = await freePort();
  const env = { PORT: String(port), DB_PATH: join(emptyFolder(), "workspace.db") };
  const server = startProgram(process.execPath, ["server.mjs"], { cwd: FIXTURE, env });
  atEnd(() => void process.kill(server.pid));
  const origin = `http://127.0.0.1:${port}`;
  await until(() => fetch(origin).then(() => true).catch(() => false), "the server listens"); // prettier-ignore
  const user = new Recorder(origin);
  const page = { headers: {} };
  user.add("GET", `${origin}/`, page, { status: 200, text: "<html></html>", type: "text/html" });
  user.add("GET", `${origin}/app.js?token=asset-secret-1`, page, { status: 200, text: "", type: "text/javascript" });
  user.add("POST", "https://www.google-analytics.com/g/collect?tid=analytics-secret-1", page, { status: 204, text: "" });
  user.add("GET", "https://fonts.example.com/list", page, { status: 200, text: "[]" });
  await user.send("POST", "/login", { name: "alice", password: PASSWORD });
  await user.send("GET", "/me");
  const team = await user.send("POST", "/teams", { name: "Core" });
  const label = await user.send("POST", `/teams/${String(team["id"])}/labels`, { name: "bug", color: "red" });
  const project = await user.send("POST", `/teams/${String(team["id"])}/projects`, { name: "Launch" });
  const projects = `/teams/${String(team["id"])}/projects/${String(project["id"])}`;
  const task = await user.send("POST", `${projects}/tasks`, { title: "Write", priority: "high" });
  await user.send("PATCH", `${projects}/tasks/${String(task["id"])}`, { label_id: label["id"], priority: "low" });
  await user.send("POST", `${projects}/tasks/${String(task["id"])}/complete`);
  await user.send("POST", `${projects}/tasks/${String(task["id"])}/complete`);
  await user.send("POST", "/notes", { title: "", text: "empty" });
  const note = await user.send("POST", "/notes", { title: "Note", text: "A note" });
  const other = await user.send("POST", "/notes", { title: "Another", text: "1" });
  await user.send("GET", `/notes/${String(other["id"])}`);
  await user.send("DELETE", `/notes/${String(note["id"])}`);
  await user.send("GET", `/notes/${String(note["id"])}`);
  await user.send("DELETE", projects);
  return user;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe("a recording of a real API", { timeout: 120_000 }, () => {
  let recorded: Recorder;
  let folder = "";
  let printed = "";
  beforeAll(async () => {
    recorded = await record();
    folder = emptyFolder();
    linkPackages(folder, "seqqa", "better-sqlite3");
    expect(harErrors(recorded.har)).toEqual([]);
    writeFileSync(join(folder, "work space.har"), JSON.stringify(recorded.har));
    const ran = await seqqa(["scaffold", "har", "work space.har"], { cwd: folder });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    printed = ran.stdout;
  }, 60_000);

  it("says what was left out, and puts no secret into any file", () => {
    for (const said of ["1 request for analytics", "1 static file", "1 page", "1 request to other origins"])
      expect(printed).toContain(`seqqa left out ${said}.`);
    const tokens = recorded.entries.flatMap(({ request }) => /Bearer ([\w-]+)/.exec(JSON.stringify(request))?.[1] ?? []);
    expect(tokens.length).toBeGreaterThan(10);
    const files = readdirSync(join(folder, "qa"), { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
    const text = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "utf8")).join("\n");
    for (const secret of [tokens[0]!, "cookie-secret-1", "asset-secret-1", "analytics-secret-1"]) expect(text).not.toContain(secret);
    expect(text).toContain('fromEnvironment("API_PASSWORD"');
  });

  it("links ids by their values, also integers that are equal", () => {
    const tasks = readFileSync(join(folder, "qa/actions/teams.ts"), "utf8");
    expect(tasks).toContain('label_id: context.getRequired("label_id")');
    expect(tasks).toContain('/teams/${encodeURIComponent(context.getRequired("team_id"))}/labels');
    expect(printed).toContain("can be taken from the answer of another action (100 %)");
  });

  it("runs as a journey, which passes, and type-checks", async () => {
    const output = emptyFolder();
    writeFileSync(
      join(folder, "qa/seqqa.yaml"),
      readFileSync(join(FIXTURE, "seqqa.yaml"), "utf8").replace("node server.mjs", `node ${join(FIXTURE, "server.mjs")}`),
    );
    const ran = await seqqa(["run", "work-space", "--output", output], { cwd: folder });
    expect(ran.stdout + ran.stderr).toContain("passed (16 steps");
    expect(ran.status).toBe(0);
    expect(writtenIn(output)).toMatchObject({ journeys: [{ status: "passed" }] });
    expect(typeErrors(join(folder, "qa"))).toEqual([]);
  });

  it("of Postman, with a variable that nothing gives, type-checks, too", async () => {
    const item = [
      {
        name: "Create",
        request: { method: "POST", url: "{{base}}/orders" },
        event: [{ listen: "test", script: { exec: ['pm.globals.set("id", pm.response.json().id)'] } }],
      },
      { name: "Read", request: "{{base}}/orders/{{id}}/{{part}}" },
    ];
    const auth = { type: "bearer", bearer: [{ key: "token", value: "abc" }] };
    writeFileSync(join(folder, "shop.json"), JSON.stringify({ info: { name: "shop" }, item, auth }));
    expect(await seqqa(["scaffold", "postman", "shop.json", "--out", "pm"], { cwd: folder })).toMatchObject({ status: 0, stderr: "" });
    expect((await seqqa(["list", "pm", "--config", "pm/seqqa.yaml"], { cwd: folder })).stdout).toMatch(/^journey {2}shop .*4 steps$/m);
    expect(typeErrors(join(folder, "pm"))).toEqual([]);
  });

  it("is explored, and reaches every call", async () => {
    const ran = await seqqa(
      ["run", "qa", "--strategy", "coverage-guided", "--max-steps", "150", "--reporter", "json", "--output", emptyFolder()],
      { cwd: folder },
    );
    const explored = only(documentOf(ran));
    expect(explored).toMatchObject({ violations: [], errors: [], divergences: [] });
    const never = Object.entries(explored.coverage.actions).filter(([, { applied, brought }]) => applied === 0 && brought !== true);
    expect(never.map(([name]) => name)).toEqual([]);
  });
});

/** A shop without users, with a public catalogue. It has no defect. */
const SHOP = `
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec(\`CREATE TABLE IF NOT EXISTS users (id INTEGER PRIMARY KEY, email TEXT UNIQUE NOT NULL, password TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (token TEXT PRIMARY KEY, user_id INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL, item_id INTEGER NOT NULL);
INSERT OR IGNORE INTO items VALUES (1, 'lamp')\`);
createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const body = text === "" ? {} : JSON.parse(text);
  const send = (status, value) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  const [, kind, id] = request.url.split("/");
  const one = (sql, ...values) => db.prepare(sql).get(...values);
  if (kind === "users" && request.method === "POST") {
    if (one("SELECT 1 FROM users WHERE email = ?", body.email) !== undefined) return send(409, {});
    return send(201, one("INSERT INTO users (email, password) VALUES (?, ?) RETURNING id, email", body.email, body.password));
  }
  if (kind === "sessions") {
    const user = one("SELECT * FROM users WHERE email = ? AND password = ?", body.email, body.password);
    if (user === undefined) return send(401, {});
    return send(201, one("INSERT INTO sessions VALUES (?, ?) RETURNING token", randomUUID(), user.id));
  }
  if (kind === "items") {
    const found = id === undefined ? db.prepare("SELECT * FROM items").all() : one("SELECT * FROM items WHERE id = ?", Number(id));
    return found === undefined ? send(404, {}) : send(200, found);
  }
  const session = one("SELECT * FROM sessions WHERE token = ?", (request.headers.authorization ?? "").slice(7));
  if (session === undefined) return send(401, {});
  if (kind === "users") return Number(id) === session.user_id ? send(200, { id: session.user_id }) : send(403, {});
  const found = request.method === "POST"
    ? one("INSERT INTO orders (user_id, item_id) VALUES (?, ?) RETURNING *", session.user_id, body.item_id)
    : one("SELECT * FROM orders WHERE id = ? AND user_id = ?", Number(id), session.user_id);
  return found === undefined ? send(404, {}) : send(request.method === "POST" ? 201 : 200, found);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

describe("a recording that registers its user", { timeout: 120_000 }, () => {
  const config = 'target:\n  command: node server.mjs\n  cwd: ..\n  env: { PORT: "{port}", DB_PATH: "{db_path}" }\n';
  const user = { email: "eve@example.com", password: "s3cret-of-eve" };
  const url = (path: string): string => `http://127.0.0.1:3000/${path}`;

  /** Runs the journey and the exploration on empty databases. */
  async function passes(folder: string): Promise<void> {
    writeFileSync(join(folder, "server.mjs"), SHOP);
    linkPackages(folder, "seqqa", "better-sqlite3");
    writeFileSync(join(folder, "qa/seqqa.yaml"), config);
    expect(typeErrors(join(folder, "qa"))).toEqual([]);
    const cwd = join(folder, "qa");
    const journey = await seqqa(["run", "--all", "--output", emptyFolder()], { cwd });
    expect([journey.stdout + journey.stderr, journey.status]).toEqual([expect.stringContaining("PASSED"), 0]);
    const ran = await seqqa(
      ["run", ".", "--strategy", "coverage-guided", "--max-steps", "150", "--reporter", "json", "--output", emptyFolder()],
      { cwd },
    );
    const { violations, errors, coverage } = only(documentOf(ran));
    expect({ violations, errors }).toEqual({ violations: [], errors: [] });
    const own = Object.entries(coverage.actions).filter(([, { brought }]) => brought !== true);
    expect(own.filter(([, { statuses }]) => !Object.keys(statuses).some((status) => status.startsWith("2")))).toEqual([]);
  }

  it("runs on an empty database as a journey and as an exploration, and the public catalogue belongs to no user", async () => {
    const recorder = new Recorder("http://127.0.0.1:3000");
    const add = (method: string, path: string, status: number, answer: unknown, body?: unknown, token = false): void =>
      recorder.add(
        method,
        url(path),
        { headers: token ? { authorization: "Bearer token-of-eve-1" } : {}, body: body === undefined ? undefined : JSON.stringify(body) },
        { status, text: JSON.stringify(answer) },
      );
    add("POST", "users", 201, { id: 1, email: user.email }, user);
    add("POST", "orders", 401, {}, { item_id: 1 });
    add("POST", "sessions", 201, { token: "token-of-eve-1" }, user);
    add("GET", "users/1", 200, { id: 1 }, undefined, true);
    add("GET", "items", 200, [{ id: 1, name: "lamp" }]);
    add("GET", "items/1", 200, { id: 1, name: "lamp" });
    add("POST", "orders", 201, { id: 1, user_id: 1, item_id: 1 }, { item_id: 1 }, true);
    add("GET", "orders/1", 200, { id: 1, user_id: 1, item_id: 1 }, undefined, true);
    const folder = emptyFolder();
    writeFileSync(join(folder, "shop.har"), JSON.stringify(recorder.har));
    const ran = await seqqa(["scaffold", "har", "shop.har"], { cwd: folder });
    expect(ran.stdout).toContain("session.ts registers its users with POST /users.\n");
    await passes(folder);
  });

  it("of Postman runs on an empty database, too, if a script of the login sets the token", async () => {
    const request = (method: string, path: string, body?: object, auth?: object) => ({
      auth,
      method,
      url: url(path),
      header: [{ key: "Content-Type", value: "application/json" }],
      ...(body !== undefined && { body: { mode: "raw", raw: JSON.stringify(body) } }),
    });
    const sets = (name: string, value: string) => [
      { listen: "test", script: { exec: [`pm.collectionVariables.set("${name}", ${value});`] } },
    ];
    const open = { type: "noauth" };
    const item = [
      { name: "Sign up", request: request("POST", "users", user, open) },
      { name: "Log in", event: sets("token", "pm.response.json().token"), request: request("POST", "sessions", user, open) },
      { name: "Place order", event: sets("order_id", "pm.response.json().id"), request: request("POST", "orders", { item_id: 1 }) },
      { name: "Show order", request: request("GET", "orders/{{order_id}}") },
    ];
    const auth = { type: "bearer", bearer: [{ key: "token", value: "{{token}}" }] };
    const folder = emptyFolder();
    writeFileSync(join(folder, "shop.json"), JSON.stringify({ info: { name: "shop" }, item, auth }));
    await seqqa(["scaffold", "postman", "shop.json"], { cwd: folder });
    await passes(folder);
  });
});
