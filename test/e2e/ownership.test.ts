import { describe, expect, it } from "vitest";
import { full, laneCounts, some } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, type Explored, type Ran } from "../support/e2e.ts";

/** Notes that belong to whom made them, a public list of them, and boards that everybody shares. DEFECT is a list of what is wrong. Sessions have random tokens. */
const SERVER = `
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, owner TEXT, text TEXT); CREATE TABLE IF NOT EXISTS sessions (token TEXT PRIMARY KEY, user TEXT); CREATE TABLE IF NOT EXISTS boards (id INTEGER PRIMARY KEY, entries INTEGER NOT NULL DEFAULT 0)");
const has = (defect) => (process.env.DEFECT ?? "").split(",").includes(defect);
createServer(async (request, response) => {
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(body === undefined ? "" : JSON.stringify(body));
  let text = "";
  for await (const chunk of request) text += chunk;
  const body = text === "" ? {} : JSON.parse(text);
  const [, kind, id] = request.url.split("/");
  if (has("needs_app") && request.headers["x-app"] !== "notes") return send(400, { error: "which app?" });
  if (has("needs_app") && body.user === "bob" && request.headers["x-api-key"] !== undefined) return send(401, { error: "who?" });
  if (kind === "login") {
    if (has("no_login") && body.user === "bob") return send(401, { error: "who?" });
    const token = randomUUID();
    db.prepare("INSERT INTO sessions VALUES (?, ?)").run(token, body.user);
    return send(200, { token });
  }
  const user = request.headers["x-user"] ?? db.prepare("SELECT user FROM sessions WHERE token = ?").get((request.headers.authorization ?? "").slice(7))?.user;
  if (user === undefined) return send(401, { error: "log in" });
  if (kind === "boards") {
    if (request.method === "POST" && id === undefined) {
      if (db.prepare("SELECT count(*) AS n FROM boards").get().n > 0) return send(409, {});
      return send(201, { id: Number(db.prepare("INSERT INTO boards DEFAULT VALUES").run().lastInsertRowid) });
    }
    const board = db.prepare("SELECT * FROM boards WHERE id = ?").get(Number(id));
    return board === undefined ? send(404, {}) : send(200, board);
  }
  if (request.method === "GET" && id === undefined) return send(200, { items: db.prepare("SELECT id FROM notes").all() });
  if (request.method === "POST") {
    if (db.prepare("SELECT count(*) AS n FROM notes").get().n >= 2) return send(409, { error: "full" });
    return send(201, { id: Number(db.prepare("INSERT INTO notes (owner, text) VALUES (?, 'one')").run(user).lastInsertRowid) });
  }
  const note = db.prepare("SELECT * FROM notes WHERE id = ?").get(Number(id));
  if (note === undefined) return send(404, { error: "no such note" });
  const refused = note.owner !== user;
  if (refused && has("counts") && request.method !== "GET") return send(200, request.method === "PUT" ? { success: true } : { count: 0 });
  if (request.method === "GET") {
    if (!refused || has("leaks_reads")) return send(200, note);
    if (has("says_nothing")) return send(200, { items: [], total: 0 });
  }
  if (request.method === "PUT" && (!refused || has("lets_write"))) {
    db.prepare("UPDATE notes SET text = ? WHERE id = ?").run(body.text, note.id);
    return send(200, note);
  }
  if (request.method === "DELETE" && (!refused || has("lets_delete") || has("refuses_and_deletes"))) {
    db.prepare("DELETE FROM notes WHERE id = ?").run(note.id);
    return refused && has("refuses_and_deletes") ? send(403, { error: "not yours" }) : send(204);
  }
  return has("hides") ? send(404, { error: "no such note" }) : send(403, { error: "not yours" });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent, World, type Context } from "seqqa";
import { HttpClient, type ApiClient } from "seqqa/adapters/http";
import { ownership } from "seqqa/rules";
interface Notes { id: number; board_id: number }
const logIn = (user: string) => async (api: ApiClient, context: Context) => {
  const response = await api.post("/login", { json: { user } });
  if (response.ok) api.setAuthToken(response.json<{ token: string }>().token);
  // Nobody's but the login's.
  context.set("id", "of the login");
  return response;
};
const hasNote = (context: Context<Notes>) => context.has("id");
const create = new Action<Notes>({
  name: "create_note",
  run: async (api, context) => {
    const response = await api.post("/notes");
    if (response.ok) context.set("id", response.json<{ id: number }>().id);
    return response;
  },
});
const list = new Action<Notes>({ name: "list_notes", run: async (api) => api.get("/notes") });
const read = new Action<Notes>({ name: "read_note", precondition: hasNote, run: async (api, context) => api.get("/notes/" + context.getRequired("id")) });
const update = new Action<Notes>({
  name: "update_note",
  precondition: hasNote,
  run: async (api, context) => {
    const response = await api.put("/notes/" + context["id"], { json: { text: "two" } });
    // Of a refused answer this is not to be had.
    if (response.json<{ owner: string }>().owner.length === 0) return null;
    return response;
  },
});
const remove = new Action<Notes>({
  name: "remove_note",
  precondition: hasNote,
  run: async (api, context) => {
    const response = await api.delete("/notes/" + context.getRequired("id"));
    context.delete("id");
    return response;
  },
});
const createBoard = new Action<Notes>({
  name: "create_board",
  run: async (api, context) => {
    const response = await api.post("/boards");
    if (response.ok) context.set("board_id", response.json<{ id: number }>().id);
    return response;
  },
});
const readBoard = new Action<Notes>({
  name: "read_board",
  precondition: (context) => context.has("board_id"),
  run: async (api, context) => api.get("/boards/" + context.getRequired("board_id")),
});
export const agent = new Agent<Notes>({
  name: "notes",
  actions: [create, list, read, update, remove, createBoard, readBoard],
  invariants: [ownership({ users: { bob: logIn("bob") }, SAID })],
  WORLD
  setup: async ({ api }) => void (await logIn("alice")(api, { set: () => undefined } as never)),
});
`;

const CONFIG = 'target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}" }\n';

interface Files {
  readonly exploration?: string;
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
}

async function ran(defect: string, said: string, args: readonly string[] = [], files: Files = {}): Promise<Ran> {
  const exploration = (files.exploration ?? EXPLORATION).replace("SAID", said).replace("WORLD", "");
  const folder = folderWith({ "server.mjs": SERVER, "notes.explore.ts": exploration, "seqqa.yaml": files.config ?? CONFIG });
  linkPackages(folder, "seqqa", "better-sqlite3");
  const command = ["run", ".", "--max-steps", "100", "--reporter", "json", "--output", emptyFolder(), ...args];
  return seqqa(command, { cwd: folder, env: { ...files.env, DEFECT: defect } });
}

async function explored(defect: string, said = 'shared: ["board_id"]', args: readonly string[] = [], files: Files = {}): Promise<Explored> {
  const answer = await ran(defect, said, args, files);
  expect(answer.stderr).toBe("");
  return only(documentOf(answer));
}

/** In the quick suite no deeper than the findings lie. */
const SHALLOW: readonly string[] = full ? [] : ["--max-depth", "2"];
/** Few trials, where the test is about which pairs are tried. */
const FEW_TRIALS: Readonly<Record<string, string>> = full ? {} : { SEQQA_EXPLORATION_RACES_TRIALS: "2" };

const found = ({ violations }: Explored): unknown =>
  violations.map(({ invariant, severity, message, reproductionPath, confirmed }) => ({
    invariant,
    severity,
    message,
    path: reproductionPath.join(" "),
    confirmed,
  }));

const ownership = (message: string, path: string): object => ({
  invariant: "ownership",
  severity: "critical",
  message,
  path,
  confirmed: true,
});

describe("ownership, over a real server and store", () => {
  const honest = [
    ["answers an empty list for what is another's", "says_nothing"],
    ["answers 200 to a write that does nothing", "counts"],
    ["refuses with 403", ""],
    ["answers 404 for what is another's", "hides"],
  ] as const;
  // In the quick suite one of them: unit/rules/ownership has the answers to writes, and two tests below have clean APIs that refuse with 403.
  it.each(some(honest, 1))("says nothing of an API that %s", async (_what, defect) => {
    const clean = await explored(defect, undefined, ["--max-steps", "400"]);
    expect(clean).toMatchObject({ stopReason: "exhausted", violations: [], errors: [], divergences: [] });
    const { read_note_as_bob: read, list_notes_as_bob: list, read_board_as_bob: board } = clean.coverage.actions;
    expect(read!.applied).toBeGreaterThan(0);
    // Public lists and what is shared name nothing of the owner's: nothing is sent.
    expect([list, board]).toMatchObject([
      { applied: 0, brought: true },
      { applied: 0, brought: true },
    ]);
  });

  // In the quick suite e2e/rules has two lanes.
  it.each(full ? laneCounts : ["1"])("finds what shows another's note, with --parallel %s", async (parallel) => {
    expect(found(await explored("leaks_reads", undefined, [...SHALLOW, "--parallel", parallel]))).toEqual([
      ownership(
        "bob saw what the owner made: GET /notes/{id} was answered with status 200 and id, owner, text",
        "create_note read_note_as_bob",
      ),
    ]);
  });

  it.each(full ? laneCounts : ["1"])("finds what lets another one write and remove, with --parallel %s", async (parallel) => {
    expect(found(await explored("lets_write,lets_delete", undefined, [...SHALLOW, "--parallel", parallel]))).toEqual([
      ownership(
        "bob changed what the owner made: PUT /notes/{id} was answered with status 200 and id, owner, text; db.notes: 1 row changed",
        "create_note update_note_as_bob",
      ),
      ownership(
        "bob changed what the owner made: DELETE /notes/{id} was answered with status 204; db.notes: 1 row removed",
        "create_note remove_note_as_bob",
      ),
    ]);
  });

  it("finds what is changed by a call that is refused", async () => {
    expect(found(await explored("refuses_and_deletes", undefined, SHALLOW))).toEqual([
      ownership(
        "bob changed what the owner made: DELETE /notes/{id} was answered with status 403; db.notes: 1 row removed",
        "create_note remove_note_as_bob",
      ),
    ]);
  });

  it("tries what is shared where nobody says that it is, but not what is excepted", async () => {
    const board = ownership(
      "bob saw what the owner made: GET /boards/{board_id} was answered with status 200 and id, entries",
      "create_board read_board_as_bob",
    );
    expect(found(await explored("", "", SHALLOW))).toEqual([board]);
    // In the quick suite by the user's own name of the action: unit/rules/ownership has what is not made.
    if (full) expect(found(await explored("", 'except: ["read_board"]'))).toEqual([]);
    expect(found(await explored("", 'except: ["read_board_as_bob"]', SHALLOW))).toEqual([]);
  });

  it("acts with the client that the world has for a role", async () => {
    const exploration = EXPLORATION.replace('{ bob: logIn("bob") }', "{ bob: async () => undefined }").replace(
      "WORLD",
      'world: (lane) => new World<Notes>({ clients: { bob: new HttpClient(lane.baseUrl, { headers: { "x-user": "bob" } }) } }),',
    );
    if (full) expect(await explored("", undefined, [], { exploration })).toMatchObject({ violations: [], errors: [] });
    const result = await explored("lets_delete", undefined, SHALLOW, { exploration });
    // Without a header nobody would be known: 401.
    expect(Object.keys(result.coverage.actions["read_note_as_bob"]!.statuses)).toEqual(["403"]);
    expect(found(result)).toMatchObject([{ path: "create_note remove_note_as_bob" }]);
  });

  it("sends the headers of the world's client, but not those that identify its user", async () => {
    const options = '{ headers: { "x-app": "notes", "x-api-key": "of alice" } }';
    const world = `world: (lane) => new World<Notes>({ api: new HttpClient(lane.baseUrl, ${options}) }),`;
    const clean = await explored("needs_app", undefined, SHALLOW, { exploration: EXPLORATION.replace("WORLD", world) });
    expect(clean).toMatchObject({ violations: [], errors: [] });
    expect(Object.keys(clean.coverage.actions["read_note_as_bob"]!.statuses)).toEqual(["403"]);
  });

  it("sees what changed also where the target is started anew after each call", async () => {
    // Whose sessions are drawn anew with each start is another matter: here headers say who it is.
    const as = (user: string): string => `new HttpClient(lane.baseUrl, { headers: { "x-user": "${user}" } })`;
    const exploration = EXPLORATION.replace('{ bob: logIn("bob") }', "{ bob: async () => undefined }")
      .replace("WORLD", `world: (lane) => new World<Notes>({ api: ${as("alice")}, clients: { bob: ${as("bob")} } }),`)
      .replace(/^ {2}setup: .*$/m, "")
      .replace(/^ {2}actions: .*$/m, "  actions: [create, remove],");
    const config = CONFIG.replace("target:", "target:\n  rollback: restart");
    const limits = ["--max-steps", "6", ...(full ? [] : ["--bail"])];
    expect(found(await explored("lets_delete", undefined, limits, { config, exploration }))).toMatchObject([
      {
        message: expect.stringMatching(/^bob changed .* answered with status 204$/) as string,
        path: "create_note remove_note_as_bob",
        confirmed: true,
      },
    ]);
  });

  it.runIf(full)("gives one answer for every number of lanes", async () => {
    const [one, two] = await Promise.all(
      ["1", "2"].map((parallel) => explored("leaks_reads,lets_write", undefined, ["--parallel", parallel])),
    );
    expect(two!.digest).toBe(one!.digest);
    expect(two!.violations.map(({ id }) => id)).toEqual(one!.violations.map(({ id }) => id));
  });

  it("makes no races of intruders", async () => {
    const exploration = EXPLORATION.replace(/^ {2}actions: .*$/m, "  actions: [create, remove],");
    const { races, raceCoverage } = (await explored("lets_delete", undefined, ["--races", ...SHALLOW], {
      exploration,
      env: FEW_TRIALS,
    })) as Explored & {
      raceCoverage?: { skipped: Record<string, number> };
    };
    expect(races.flatMap(({ first, second }) => [first, second]).filter((name) => name.includes("_as_"))).toEqual([]);
    expect(raceCoverage?.skipped["brought"]).toBeGreaterThan(0);
  });

  it("ends where a login is refused, and says whose", async () => {
    const answer = await ran("no_login", "");
    expect(answer.status).toBe(3);
    expect(`${answer.stdout}${answer.stderr}`).toContain('The target answered the login of the role \\"bob\\" with status 401');
  });
});
