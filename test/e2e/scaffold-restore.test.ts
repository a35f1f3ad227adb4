import { describe, expect, it } from "vitest";
import { some } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, type Explored } from "../support/e2e.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { typeErrors } from "../support/type-check.ts";

const NOTE = "{ description: it, content: { application/json: { schema: { $ref: '#/components/schemas/Note' } } } }";
const PARAMETERS = "parameters: [{ name: note_id, in: path, required: true, schema: { type: integer } }]";
const NONE = '"404": { description: none }';
const DESCRIPTION = `
openapi: 3.0.3
info: { title: Notes, version: "1" }
paths:
  /notes:
    post: { operationId: create_note, responses: { "201": ${NOTE} } }
  /notes/{note_id}:
    ${PARAMETERS}
    get: { operationId: read_note, responses: { "200": ${NOTE}, ${NONE}, "410": { description: deleted } } }
    delete: { operationId: delete_note, responses: { "204": { description: done }, ${NONE} } }
  /notes/{note_id}/restore:
    ${PARAMETERS}
    post: { operationId: restore_note, responses: { "200": ${NOTE}, ${NONE}, "409": { description: it is there } } }
components:
  schemas: { Note: { type: object, required: [id], properties: { id: { type: integer } } } }
`;

/** Deleted notes stay in the store. BUG: "served", they are still read; "lost", a restored one is not there; both with a row that is as it should be. */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, deleted_at INTEGER, restored INTEGER NOT NULL DEFAULT 0)");
const bug = process.env.BUG;
createServer((request, response) => {
  const send = (status, value) => {
    response.writeHead(status, value === undefined ? {} : { "content-type": "application/json" });
    response.end(value === undefined ? undefined : JSON.stringify(value));
  };
  const [, , id, restore] = request.url.split("/");
  if (id === undefined) return send(201, db.prepare("INSERT INTO notes DEFAULT VALUES RETURNING id").get());
  const note = db.prepare("SELECT * FROM notes WHERE id = ?").get(Number(id));
  if (note === undefined) return send(404);
  if (restore !== undefined) {
    if (note.deleted_at === null) return send(409);
    db.prepare("UPDATE notes SET deleted_at = NULL, restored = 1 WHERE id = ?").run(note.id);
    return send(200, { id: note.id });
  }
  if (request.method === "GET" && bug === "served") return send(200, { id: note.id });
  if (note.deleted_at !== null || (note.restored && bug === "lost")) return send(410);
  if (request.method === "GET") return send(200, { id: note.id });
  db.prepare("UPDATE notes SET deleted_at = unixepoch() WHERE id = ?").run(note.id);
  send(204);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** Scaffolded from the description, started as a user would, with no other edit. */
async function explored(bug: string): Promise<{ readonly cwd: string; readonly result: Explored }> {
  const config = `target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}", BUG: "\${BUG}" }\n`;
  const cwd = folderWith({ "openapi.yaml": DESCRIPTION, "server.mjs": SERVER, "target.yaml": config });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  expect(await seqqa(["scaffold", "openapi", "openapi.yaml"], { cwd })).toMatchObject({ status: 0, stderr: "" });
  const ran = await seqqa(["run", "qa", "--config", "target.yaml", "--reporter", "json", "--output", emptyFolder()], {
    cwd,
    env: { BUG: bug },
  });
  expect(ran.stderr).toBe("");
  return { cwd, result: only(documentOf(ran)) };
}

describe("a scaffold of an API whose deleted things can be brought back", () => {
  it("brings them back, and finds nothing where they are gone until then", async () => {
    const { cwd, result } = await explored("none");
    expect(result).toMatchObject({ violations: [], errors: [], divergences: [], stopReason: "exhausted" });
    const { actions } = result.coverage;
    expect(Object.keys(actions["restore_note"]!.statuses).toSorted()).toEqual(["200", "409"]);
    // What was brought back is read and deleted again: its id is back under its own key.
    expect(typeErrors(join(cwd, "qa"))).toEqual([]);
    expect(readFileSync(join(cwd, "qa/resources.ts"), "utf8")).toContain('restore: "/notes/{note_id}/restore"');
  });

  const defects = [
    [
      "lost",
      "create_note delete_note restore_note",
      "restore_note: POST /notes/{note_id}/restore was answered 200, but GET /notes/{note_id} of the restored item was then answered 410",
    ],
    [
      "served",
      "create_note delete_note",
      "delete_note: DELETE /notes/{note_id} was answered 204, but GET /notes/{note_id} of the deleted item was then answered 200",
    ],
  ] as const;
  it.each(some(defects, 1))("finds that they are %s", async (bug, path, message) => {
    const { result } = await explored(bug);
    expect(result.violations.map((one) => [one.invariant, one.reproductionPath.join(" "), one.message])).toEqual([
      ["use_after_free", path, message],
    ]);
  });
});
