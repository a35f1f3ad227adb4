import { describe, expect, it } from "vitest";
import { laneCounts } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, type Explored } from "../support/e2e.ts";

/** Notes with a counter of views. DEFECT is a list of what is wrong. */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT, views INTEGER NOT NULL DEFAULT 0)");
const has = (defect) => (process.env.DEFECT ?? "").split(",").includes(defect);
createServer((request, response) => {
  const send = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body ?? null));
  const count = db.prepare("SELECT count(*) AS n FROM notes").get().n;
  if (request.method === "POST" && request.url === "/notes") {
    if (count >= 2) {
      if (has("refused_writes")) db.prepare("INSERT INTO notes (text) VALUES ('left')").run();
      return send(409, { error: "full" });
    }
    const { lastInsertRowid } = db.prepare("INSERT INTO notes (text) VALUES ('one')").run();
    return send(201, { id: Number(lastInsertRowid) });
  }
  const note = db.prepare("SELECT * FROM notes WHERE id = ?").get(Number(request.url.split("/")[2]));
  if (request.method === "GET" && has("breaks") && note?.id === 2) return send(500, {});
  if (request.method === "GET" && has("reads_write")) db.prepare("UPDATE notes SET views = views + 1").run();
  if (has("other_body") && note !== undefined) note.text = 5;
  return note === undefined ? send(404) : send(200, note);
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

const EXPLORATION = `
import { Action, Agent } from "seqqa";
import { conformsTo, noServerErrors, rejectedMeansUnchanged } from "seqqa/rules";
const except = (process.env.DEFECT ?? "").includes("counts") ? ["notes.views"] : [];
const create = new Action<{ id: number }>({
  name: "create_note",
  run: async (api, context) => {
    const response = await api.post("/notes");
    if (response.ok) context.set("id", response.json<{ id: number }>().id);
    return response;
  },
});
const read = new Action<{ id: number }>({
  name: "read_note",
  precondition: (context) => context.has("id"),
  run: async (api, context) => api.get("/notes/" + context.getRequired("id")),
});
export const agent = new Agent<{ id: number }>({ name: "notes", actions: [create, read], invariants: [noServerErrors(), rejectedMeansUnchanged({ except }), conformsTo("openapi.yaml", { except: ["5xx"] })] });
`;

const DESCRIPTION = `
openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    post:
      responses:
        201: { description: made, content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer } } } } } }
        409: { description: full }
  /notes/{id}:
    get:
      responses:
        200: { description: one, content: { application/json: { schema: { $ref: note.yaml } } } }
        404: { description: none }
`;

const NOTE =
  "type: object\nrequired: [id, text]\nproperties: { id: { type: integer }, text: { type: string }, views: { type: integer } }\n";

async function explored(defect: string, ...args: readonly string[]): Promise<Explored> {
  const config = 'target:\n  command: node server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}" }\n';
  const folder = folderWith({
    "server.mjs": SERVER,
    "notes.explore.ts": EXPLORATION,
    "seqqa.yaml": config,
    "openapi.yaml": DESCRIPTION,
    "note.yaml": NOTE,
  });
  linkPackages(folder, "seqqa", "better-sqlite3");
  const command = ["run", ".", "--max-steps", "60", "--reporter", "json", "--output", emptyFolder(), ...args];
  const ran = await seqqa(command, { cwd: folder, env: { DEFECT: defect } });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

const found = ({ violations }: Explored): unknown =>
  violations.map(({ invariant, message, reproductionPath, confirmed }) => ({
    invariant,
    message,
    path: reproductionPath.join(" "),
    confirmed,
  }));

describe("rules of steps, over a real store", () => {
  it("say nothing of an API that keeps them", async () => {
    expect(await explored("")).toMatchObject({ statesVisited: 3, transitions: 5, violations: [], errors: [], divergences: [] });
  });

  it.each(laneCounts)("find a refused call that wrote, with --parallel %s", async (parallel) => {
    expect(found(await explored("refused_writes", "--parallel", parallel))).toEqual([
      {
        invariant: "rejected_means_unchanged",
        message: "create_note was refused with status 409 and changed the stores: db.notes: 1 row added",
        path: "create_note create_note create_note",
        confirmed: true,
      },
    ]);
  });

  it("find a call that only reads and wrote", async () => {
    expect(found(await explored("reads_write"))).toEqual([
      {
        invariant: "rejected_means_unchanged",
        message: "read_note only reads (GET) and changed the stores: db.notes: 1 row changed (notes.views)",
        path: "create_note read_note",
        confirmed: true,
      },
    ]);
  });

  it("allow changes of the columns in except, which still belong to the state", async () => {
    const { violations, statesVisited } = await explored("reads_write,counts");
    expect(violations).toEqual([]);
    expect(statesVisited).toBeGreaterThan(3);
    const other = await explored("refused_writes,counts");
    expect(found(other)).toMatchObject([{ invariant: "rejected_means_unchanged" }]);
  });

  it("find an answer that is not as described, and say no value of it", async () => {
    expect(found(await explored("other_body"))).toEqual([
      {
        invariant: "conforms_to",
        message: "GET /notes/{id}, status 200: /text is not of type string",
        path: "create_note read_note",
        confirmed: true,
      },
    ]);
  });

  it("find a server error, which is not reported twice", async () => {
    expect(found(await explored("breaks"))).toEqual([
      {
        invariant: "no_server_errors",
        message: "read_note was answered with status 500",
        path: "create_note create_note read_note",
        confirmed: true,
      },
    ]);
  });
});
