import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, size } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, type Explored } from "../support/e2e.ts";
import { typeErrors } from "../support/type-check.ts";

const SDL = `
type Note { id: ID! text: String! }
type Session { token: String! }
type RemovePayload { success: Boolean! errors: [String!]! }
type Query { note(id: ID!): Note  noteLength(id: ID!): Int }
type Mutation {
  login(email: String!, password: String!): Session!
  createNote(text: String!): Note!
  updateNote(id: ID!, text: String!): Note
  removeNote(id: ID!): RemovePayload!
}
`;

/** Notes behind graphql-js and SQLite. BUG: the operation that asks for no owner. */
const SERVER = `
import { createServer } from "node:http";
import Database from "better-sqlite3";
import { buildSchema, graphql, GraphQLError } from "graphql";
const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, text TEXT NOT NULL)");
const schema = buildSchema(process.env.SDL);
const bug = process.env.BUG;
const owned = (id, user, name) => {
  const note = db.prepare("SELECT * FROM notes WHERE id = ?").get(id);
  return note !== undefined && (note.owner === user || bug === name) ? note : null;
};
const rootValue = {
  login: ({ email, password }) => {
    if (password !== "password") throw new GraphQLError("no");
    return { token: Buffer.from(email).toString("hex") };
  },
  createNote: ({ text }, { user }) => db.prepare("INSERT INTO notes (owner, text) VALUES (?, ?) RETURNING *").get(user, text),
  note: ({ id }, { user }) => owned(id, user, "note"),
  noteLength: ({ id }, { user }) => owned(id, user, "noteLength")?.text.length,
  updateNote: ({ id, text }, { user }) => {
    if (owned(id, user, "updateNote") === null) throw new GraphQLError("no such note");
    db.prepare("UPDATE notes SET text = ? WHERE id = ?").run(text + "!", id);
    return bug === "updateNote" ? null : owned(id, user, "");
  },
  removeNote: ({ id }, { user }) => {
    if (owned(id, user, "removeNote") === null) return { success: false, errors: ["no such note"] };
    db.prepare("DELETE FROM notes WHERE id = ?").run(id);
    return { success: true, errors: [] };
  },
};
createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  const send = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
  if (request.method !== "POST") return send({});
  const { query, variables } = JSON.parse(body);
  const user = Buffer.from(/^Bearer (.*)$/.exec(request.headers.authorization ?? "")?.[1] ?? "", "hex").toString();
  send(await graphql({ schema, source: query, rootValue, variableValues: variables, contextValue: { user } }));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
const CONFIG =
  'target:\n  command: node ../server.mjs\n  env: { PORT: "{port}", DB_PATH: "{db_path}", SDL: "${SDL}", BUG: "${BUG}" }\nexploration: { max_steps: ' +
  `${size(120, 300)} }\n`;

async function scaffolded(): Promise<string> {
  const folder = folderWith({ "server.mjs": SERVER, "schema.graphql": SDL });
  linkPackages(folder, "seqqa", "better-sqlite3", "graphql");
  expect(await seqqa(["scaffold", "graphql", "schema.graphql"], { cwd: folder })).toMatchObject({ status: 0, stderr: "" });
  writeFileSync(join(folder, "qa/seqqa.yaml"), CONFIG);
  return folder;
}

async function explored(folder: string, bug: string, ...args: readonly string[]): Promise<Explored> {
  const command = ["run", ".", ...args, "--reporter", "json", "--output", emptyFolder()];
  const ran = await seqqa(command, { cwd: join(folder, "qa"), env: { SDL, BUG: bug } });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

describe("ownership, as a scaffold of GraphQL has it", () => {
  it("type-checks, tries what names a note, and finds nothing where notes are kept apart", async () => {
    const folder = await scaffolded();
    expect(typeErrors(join(folder, "qa"))).toEqual([]);
    const { violations, errors, divergences, coverage } = await explored(folder, "none");
    expect({ violations, errors, divergences }).toEqual({ violations: [], errors: [], divergences: [] });
    const tried = Object.entries(coverage.actions).filter(([name, { applied }]) => name.endsWith("_as_bob") && applied > 0);
    expect(tried.map(([name]) => name).toSorted()).toEqual([
      "note_as_bob",
      "note_length_as_bob",
      "remove_note_as_bob",
      "update_note_as_bob",
    ]);
  });

  const bugs = [
    ["note", "note_as_bob", "bob saw what the owner made: query note with {note_id} was answered with status 200 and id, text"],
    [
      "noteLength",
      "note_length_as_bob",
      "bob saw what the owner made: query noteLength with {note_id} was answered with status 200 and noteLength",
    ],
    [
      "updateNote",
      "update_note_as_bob",
      "bob changed what the owner made: mutation updateNote with {note_id} was answered with status 200; db.notes: 1 row changed",
    ],
    [
      "removeNote",
      "remove_note_as_bob",
      "bob changed what the owner made: mutation removeNote with {note_id} was answered with status 200; db.notes: 1 row removed",
    ],
  ] as const;
  // In the quick suite a mutation: unit/rules/ownership has the answers of queries, and e2e/ownership what shows another's note.
  it.each(full ? bugs : bugs.filter(([bug]) => bug === "removeNote"))("finds that %s asks for no owner", async (bug, action, message) => {
    const { violations } = await explored(await scaffolded(), bug, "--max-depth", "2");
    expect(violations.map((one) => [one.invariant, one.reproductionPath.join(" "), one.message])).toEqual([
      ["ownership", `create_note ${action}`, message],
    ]);
  });
});
