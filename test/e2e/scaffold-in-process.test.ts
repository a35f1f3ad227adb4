import { describe, expect, it } from "vitest";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa } from "../support/e2e.ts";

const PATHS = (response: string, parameter: string): string => `
paths:
  /notes:
    post: { operationId: create_note, responses: { "201": ${response} } }
  /notes/{note_id}:
    parameters: [{ name: note_id, in: path, required: true, ${parameter} }]
    get: { operationId: read_note, responses: { "200": ${response}, "404": { description: none } } }
    delete: { operationId: delete_note, responses: { "204": { description: done }, "404": { description: none } } }
`;
const NOTE = "type: object, required: [id], properties: { id: { type: integer } }";

/** Each with the path that stands before all others. */
const DESCRIPTIONS = {
  "servers of OpenAPI 3": `openapi: 3.0.3\ninfo: { title: Notes, version: "1" }\nservers: [{ url: /v1 }]${PATHS(`{ description: it, content: { application/json: { schema: { ${NOTE} } } } }`, "schema: { type: integer }")}`,
  "basePath of Swagger 2": `swagger: "2.0"\ninfo: { title: Notes, version: "1" }\nbasePath: /v1\nproduces: [application/json]${PATHS(`{ description: it, schema: { ${NOTE} } }`, "type: integer")}`,
};

/** A fetch handler that has nothing but below `/v1`. WRONG: a note that is no note. */
const TARGET = `
import Database from "better-sqlite3";
export function createTarget(lane) {
  const db = new Database(lane.dbPath);
  db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY)");
  return (request) => {
    const [, base, notes, id] = new URL(request.url).pathname.split("/");
    if (base !== "v1" || notes !== "notes") return Response.json({ message: "there is nothing but /v1/notes" }, { status: 418 });
    const shown = (row) => (process.env.WRONG ? { id: "one" } : row);
    if (request.method === "POST") {
      if (db.prepare("SELECT count(*) AS n FROM notes").get().n >= 2) return Response.json({}, { status: 418 });
      return Response.json(db.prepare("INSERT INTO notes DEFAULT VALUES RETURNING id").get(), { status: 201 });
    }
    const row = db.prepare("SELECT id FROM notes WHERE id = ?").get(Number(id));
    if (row === undefined) return Response.json({}, { status: 404 });
    if (request.method === "GET") return Response.json(shown(row));
    db.prepare("DELETE FROM notes WHERE id = ?").run(row.id);
    return new Response(null, { status: 204 });
  };
}
`;
const CONFIG = 'target:\n  module: target.mjs\n  env: { DB_PATH: "{db_path}" }\n';

describe("a scaffold whose target is a fetch handler of this process, below a base path", () => {
  it.each(Object.entries(DESCRIPTIONS))("from the %s", async (_, description) => {
    const cwd = folderWith({ "openapi.yaml": description, "target.mjs": TARGET, "target.yaml": CONFIG });
    linkPackages(cwd, "seqqa", "better-sqlite3");
    expect(await seqqa(["scaffold", "openapi", "openapi.yaml"], { cwd })).toMatchObject({ status: 0, stderr: "" });
    const run = (env: Readonly<Record<string, string>>): ReturnType<typeof seqqa> =>
      seqqa(["run", "qa", "--config", "target.yaml", "--reporter", "json", "--output", emptyFolder()], { cwd, env });
    const clean = await run({});
    expect(clean).toMatchObject({ status: 0, stderr: "" });
    const { violations, stopReason, coverage } = only(documentOf(clean));
    expect({ violations, stopReason }).toEqual({ violations: [], stopReason: "exhausted" });
    expect(Object.entries(coverage.actions).map(([name, { statuses }]) => [name, Object.keys(statuses)])).toEqual([
      ["create_note", ["201"]],
      ["read_note", ["200"]],
      ["delete_note", ["204"]],
    ]);
    // `conformsTo` knows the operation below the base path, too.
    const wrong = only(documentOf(await run({ WRONG: "1" })));
    expect(wrong.violations.map(({ invariant }) => invariant)).toContain("conforms_to");
  });
});
