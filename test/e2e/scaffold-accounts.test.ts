import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { size, some } from "../sizes.ts";
import { typeErrors } from "../support/type-check.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, type Explored } from "../support/e2e.ts";

const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
const body = (...fields: readonly string[]): string =>
  `requestBody: { required: true, ${json(`{ type: object, required: [${fields.join(", ")}], properties: { ${fields.map((field) => `${field}: { type: string }`).join(", ")} } }`)} }`;
const answer = (status: number, schema?: string): string => `"${status}": { description: "", ${schema === undefined ? "" : json(schema)} }`;
const NOTE = '{ $ref: "#/components/schemas/Note" }';

/** 401 is said of no operation, but all ask for credentials. Regions come from elsewhere. */
const DESCRIPTION = `
openapi: 3.0.3
info: { title: Team notes, version: "1" }
servers: [{ url: /api }]
security: [{ token: [] }]
paths:
  /register: { post: { operationId: register, security: [], ${body("email", "password", "name")}, responses: { ${answer(201)}, ${answer(409)} } } }
  /login: { post: { operationId: login, security: [], ${body("email", "password")}, responses: { ${answer(200, "{ type: object, required: [token], properties: { token: { type: string } } }")} } } }
  /logout: { post: { operationId: logout, responses: { ${answer(204)} } } }
  /me:
    get: { operationId: read_me, responses: { ${answer(200)} } }
    delete: { operationId: delete_me, responses: { ${answer(204)} } }
  /me/password:
    put: { operationId: change_password, ${body("currentPassword", "newPassword")}, responses: { ${answer(204)}, ${answer(403)} } }
  /notes:
    get: { operationId: list_notes, responses: { ${answer(200, `{ type: array, items: ${NOTE} }`)} } }
    post: { operationId: create_note, ${body("text")}, responses: { ${answer(201, NOTE)} } }
  /notes/{note_id}:
    get:
      operationId: read_note
      parameters: [{ name: note_id, in: path, required: true, schema: { type: integer } }]
      responses: { ${answer(200, NOTE)}, ${answer(404)} }
  /invitations:
    post: { operationId: invite, ${body("email")}, responses: { ${answer(201, "{ type: object, required: [id], properties: { id: { type: string } } }")} } }
  /invitations/{invitation_id}/accept:
    post:
      operationId: accept_invitation
      parameters: [{ name: invitation_id, in: path, required: true, schema: { type: string } }]
      responses: { ${answer(200)}, ${answer(404)} }
  /regions/{region_code}:
    get:
      operationId: read_region
      parameters: [{ name: region_code, in: path, required: true, schema: { type: string } }]
      responses: { ${answer(200)}, ${answer(404)} }
components:
  securitySchemes: { token: { type: http, scheme: bearer } }
  schemas: { Note: { type: object, required: [id, text], properties: { id: { type: integer }, text: { type: string } } } }
`;

/** Starts without users. BUG: `session` (a logout ends nothing), `password` (a change of it ends no session), `invitation` (accepted again), `handler` (whatever is read is answered 418). */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
const bug = process.env.BUG;
db.exec(\`CREATE TABLE IF NOT EXISTS users (email TEXT PRIMARY KEY, password TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (token TEXT PRIMARY KEY, email TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS invitations (id TEXT PRIMARY KEY, accepted INTEGER NOT NULL)\`);
createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  const sent = text === "" ? {} : JSON.parse(text);
  const send = (status, value) => {
    response.writeHead(status, value === undefined ? {} : { "content-type": "application/json" });
    response.end(value === undefined ? undefined : JSON.stringify(value));
  };
  const [, , kind, id, verb] = request.url.split("/");
  const call = request.method + " " + kind;
  if (call === "POST register") {
    if (sent.password.length < 10 || !sent.email.includes("@")) return send(409);
    return send(db.prepare("INSERT OR IGNORE INTO users VALUES (?, ?)").run(sent.email, sent.password).changes === 1 ? 201 : 409);
  }
  if (call === "POST login") {
    const user = db.prepare("SELECT * FROM users WHERE email = ? AND password = ?").get(sent.email, sent.password);
    if (user === undefined) return send(401);
    const token = crypto.randomUUID();
    db.prepare("INSERT INTO sessions VALUES (?, ?)").run(token, user.email);
    return send(200, { token });
  }
  const token = (request.headers.authorization ?? "").replace("Bearer ", "");
  const session = db.prepare("SELECT * FROM sessions WHERE token = ?").get(token);
  if (session === undefined) return send(401);
  if (bug === "handler" && request.method === "GET") return send(418);
  const shown = ({ id, text }) => ({ id, text });
  switch (call) {
    case "POST logout":
      if (bug !== "session") db.prepare("DELETE FROM sessions WHERE token = ?").run(token);
      return send(204);
    case "GET me":
      return send(200);
    case "DELETE me":
      for (const table of ["sessions", "users"]) db.prepare("DELETE FROM " + table + " WHERE email = ?").run(session.email);
      return send(204);
    case "PUT me": {
      const { currentPassword, newPassword } = sent;
      const change = db.prepare("UPDATE users SET password = ? WHERE email = ? AND password = ?");
      if (change.run(newPassword, session.email, currentPassword).changes === 0) return send(403);
      if (bug !== "password") db.prepare("DELETE FROM sessions WHERE email = ? AND token <> ?").run(session.email, token);
      return send(204);
    }
    case "POST notes":
      return send(201, shown(db.prepare("INSERT INTO notes (owner, text) VALUES (?, ?) RETURNING *").get(session.email, sent.text)));
    case "GET notes": {
      if (id === undefined) return send(200, db.prepare("SELECT * FROM notes WHERE owner = ?").all(session.email).map(shown));
      const note = db.prepare("SELECT * FROM notes WHERE id = ? AND owner = ?").get(Number(id), session.email);
      return note === undefined ? send(404) : send(200, shown(note));
    }
    case "POST invitations": {
      if (verb === "accept") {
        const done = db.prepare("UPDATE invitations SET accepted = accepted + 1 WHERE id = ?" + (bug === "invitation" ? "" : " AND accepted = 0")).run(id);
        return send(done.changes === 1 ? 200 : 404);
      }
      const made = { id: crypto.randomUUID() };
      db.prepare("INSERT INTO invitations VALUES (?, 0)").run(made.id);
      return send(201, made);
    }
    case "GET regions":
      return send(id === "north" ? 200 : 404);
    default:
      return send(404);
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
const CONFIG = `target:
  command: node server.mjs
  env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "\${BUG:-}" }
`;

/** A folder that nobody edited, but for the values of keys. */
async function scaffolded(given: Readonly<Record<string, string>> = {}): Promise<{ readonly cwd: string; readonly stdout: string }> {
  const cwd = folderWith({ "openapi.yaml": DESCRIPTION, "server.mjs": SERVER, "target.yaml": CONFIG });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  const ran = await seqqa(["scaffold", "openapi", "openapi.yaml"], { cwd });
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  const setup = join(cwd, "qa/setup.ts");
  for (const [key, value] of Object.entries(given)) {
    const before = readFileSync(setup, "utf8");
    expect(before).toContain(`${key}: undefined`);
    writeFileSync(setup, before.replace(`${key}: undefined`, `${key}: ${JSON.stringify(value)}`));
  }
  return { cwd, stdout: ran.stdout };
}

async function explored(
  cwd: string,
  bug: string,
  { depth = size(2, 3), args = [] }: { readonly depth?: number; readonly args?: readonly string[] } = {},
): Promise<Explored> {
  const command = ["run", "qa", "--config", "target.yaml", "--max-depth", String(depth), "--strategy", "bfs", "--output", emptyFolder()];
  const ran = await seqqa([...command, "--reporter", "json", ...args], { cwd, env: { BUG: bug } });
  expect(ran.stderr).toMatch(args.includes("--update-known") ? /^known.yaml: \d added, 0 removed\n$/ : /^$/);
  return only(documentOf(ran));
}

describe("a scaffold of an API that starts without users", { timeout: 300_000 }, () => {
  it("registers them, deletes none, and finds nothing that is not there: 401 is said by `security`", async () => {
    const { cwd, stdout } = await scaffolded({ region_code: "north" });
    expect(stdout).toContain("session.ts registers its users with POST /register.\n");
    expect(stdout).toContain("The exploration does not call DELETE /me (The call deletes the user who calls it");
    expect(typeErrors(join(cwd, "qa"))).toEqual([]);
    const { violations, errors, divergences, coverage } = await explored(cwd, "");
    expect({ violations, errors, divergences }).toEqual({ violations: [], errors: [], divergences: [] });
    const own = Object.entries(coverage.actions).filter(([name]) => !name.endsWith("_as_bob"));
    expect(own.map(([name]) => name)).not.toContain("delete_me");
    expect(own.filter(([, { statuses }]) => !Object.keys(statuses).some((status) => status.startsWith("2")))).toEqual([]);
    // Without the 401 that follows from `security`, there would be a finding for each of these.
    expect(own.filter(([, { statuses }]) => Object.hasOwn(statuses, "401")).length).toBeGreaterThan(4);
    // Nobody made the region: bob may see it, too.
    expect(coverage.actions["read_region_as_bob"]).toMatchObject({ applied: 0 });
  });

  it("does not call what needs a key without a value, and says so", async () => {
    const { cwd, stdout } = await scaffolded();
    expect(stdout).toContain("9 of 10 actions can be called now, and 10 once you set 1 key in qa/setup.ts: region_code.\n");
    const { coverage, notes, unverified } = await explored(cwd, "", { depth: size(1, 3) });
    expect(coverage.actions["read_region"]).toMatchObject({ applied: 0, statuses: {} });
    expect([...notes, ...unverified].join("\n")).toMatch(/read_region.* never appli/);
  });

  const planted = [
    // Seen in sessions that the rule opens, below the path of the server.
    ["password", "session_ends", "change_password"],
    ["invitation", "single_use_accept_invitation", "accept_invitation"],
    ["session", "session_ends", "logout"],
  ] as const;
  // In the quick suite e2e/accounts has both rules in full.
  it.each(some(planted, 1))("finds what was planted: %s", async (bug, rule, action) => {
    const { cwd } = await scaffolded();
    const { violations } = await explored(cwd, bug, { depth: size(1, 3) });
    const found = violations.filter(({ invariant }) => invariant === rule);
    expect(found.map(({ reproductionPath, confirmed }) => [reproductionPath.at(-1), confirmed])).toEqual([[action, true]]);
  });

  it("reports one cause once, with the actions that show it, which a list of known findings has all of", async () => {
    const { cwd } = await scaffolded();
    writeFileSync(join(cwd, "target.yaml"), `${CONFIG}known_findings: known.yaml\n`);
    const { violations } = await explored(cwd, "handler", { args: ["--update-known"] });
    const found = violations.filter(({ invariant }) => invariant === "conforms_to");
    expect(found).toHaveLength(1);
    const { cause, operations } = found[0]!;
    expect(cause).toBe("status 418: the status is not described");
    expect(operations?.map(({ action }) => action).toSorted()).toEqual(["list_notes", "read_me", "read_note", "read_note_as_bob"]);
    const known = readFileSync(join(cwd, "known.yaml"), "utf8");
    for (const one of operations ?? []) expect(known).toContain(one.id);
    const again = await explored(cwd, "handler", { depth: size(1, 3) });
    expect(again.violations.filter(({ invariant }) => invariant === "conforms_to").map(({ known: listed }) => listed)).toEqual([true]);
  });
});
