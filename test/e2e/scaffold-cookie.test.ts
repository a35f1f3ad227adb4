import { describe, expect, it } from "vitest";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, type Explored } from "../support/e2e.ts";

const DESCRIPTION = `
openapi: 3.0.3
info: { title: Notes, version: "1" }
servers: [{ url: http://localhost:3000 }]
security: [{ session: [] }]
paths:
  /session:
    post:
      operationId: login
      security: []
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [email, password], properties: { email: { type: string, format: email }, password: { type: string } } } } } }
      responses: { "204": { description: ok }, "401": { description: no } }
  /notes:
    post:
      operationId: create_note
      requestBody: { required: true, content: { application/json: { schema: { type: object, required: [text], properties: { text: { type: string } } } } } }
      responses: { "201": { description: made, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, "401": { description: no } }
  /notes/{note_id}:
    get:
      operationId: read_note
      parameters: [{ name: note_id, in: path, required: true, schema: { type: integer } }]
      responses: { "200": { description: it, content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }, "404": { description: none }, "401": { description: no } }
components:
  securitySchemes: { session: { type: apiKey, in: cookie, name: sid } }
  schemas: { Note: { type: object, required: [id, text], properties: { id: { type: integer }, text: { type: string } } } }
`;

/** Sessions by cookie. LEAKY: a note is anybody's. */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, text TEXT NOT NULL)");
createServer(async (request, response) => {
  let body = "";
  for await (const part of request) body += part;
  const send = (status, value, headers) => {
    response.writeHead(status, { ...(value === undefined ? {} : { "content-type": "application/json" }), ...headers });
    response.end(value === undefined ? undefined : JSON.stringify(value));
  };
  if (request.url === "/session") {
    const { email, password } = JSON.parse(body);
    if (password !== "password") return send(401);
    return send(204, undefined, { "set-cookie": "sid=" + Buffer.from(email).toString("hex") + "; Path=/; HttpOnly" });
  }
  const user = Buffer.from(/sid=([0-9a-f]+)/.exec(request.headers.cookie ?? "")?.[1] ?? "", "hex").toString();
  if (user === "") return send(401);
  if (request.method === "POST") {
    const { text } = JSON.parse(body);
    const { lastInsertRowid } = db.prepare("INSERT INTO notes (owner, text) VALUES (?, ?)").run(user, text);
    return send(201, { id: Number(lastInsertRowid), text });
  }
  const note = db.prepare("SELECT * FROM notes WHERE id = ?").get(Number(request.url.split("/")[2]));
  if (note === undefined || (note.owner !== user && !process.env.LEAKY)) return send(404);
  send(200, { id: note.id, text: note.text });
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** Scaffolded from the description, started as a user would, with no other edit. */
async function explored(env: Readonly<Record<string, string>>): Promise<Explored> {
  const config = `target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}", LEAKY: "\${LEAKY:-}" }\n`;
  const cwd = folderWith({ "openapi.yaml": DESCRIPTION, "server.mjs": SERVER, "target.yaml": config });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  expect(await seqqa(["scaffold", "openapi", "openapi.yaml"], { cwd })).toMatchObject({ status: 0, stderr: "" });
  const ran = await seqqa(["run", "qa", "--config", "target.yaml", "--reporter", "json", "--output", emptyFolder()], { cwd, env });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

describe("a scaffold of an API whose logins set a cookie", () => {
  it("logs in two users, and finds nothing that is not there", async () => {
    const { stopReason, violations, errors, divergences, coverage } = await explored({});
    expect({ stopReason, violations, errors, divergences }).toEqual({
      stopReason: "exhausted",
      violations: [],
      errors: [],
      divergences: [],
    });
    const statuses = Object.entries(coverage.actions).map(([name, one]) => [name, Object.keys(one.statuses)]);
    expect(statuses).toEqual([
      ["create_note", ["201"]],
      ["read_note", ["200"]],
      ["create_note_as_bob", []],
      ["read_note_as_bob", ["404"]],
    ]);
  });

  it("finds what shows one's notes to the other", async () => {
    const { violations } = await explored({ LEAKY: "1" });
    expect(violations.map(({ invariant, reproductionPath }) => [invariant, reproductionPath.join(" ")])).toEqual([
      ["ownership", "create_note read_note_as_bob"],
    ]);
  });
});
