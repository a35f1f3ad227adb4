import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { describe, expect, it } from "vitest";
import type { RunDocument } from "../../src/reports/index.ts";
import { folderWith, linkPackages, only, seqqa, writtenIn } from "../support/e2e.ts";
import { notesExploration } from "../support/e2e-servers.ts";

const SOURCE = `import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(process.env["FROM"]!)("better-sqlite3");

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const db = new Database(process.env["DB_PATH"]);
db.exec("CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");

function add(count: number): Answer {
  if (count >= 2) return { status: 409, body: { error: "two notes are enough" } };
  if (count < 0) {
    return { status: 503, body: { error: "never reached" } };
  }
  return { status: 201, body: db.prepare("INSERT INTO notes (text) VALUES ('hello') RETURNING *").get() };
}

function answer(method: string): Answer {
  if (method === "GET") return { status: 200, body: db.prepare("SELECT * FROM notes").all() };
  if (method === "DELETE") return { status: 200, body: { deleted: db.prepare("DELETE FROM notes").run().changes } };
  return add(db.prepare("SELECT count(*) AS n FROM notes").get().n);
}

createServer((request, response) => {
  const { status, body } = answer(request.method!);
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}).listen(Number(process.env["PORT"]), "127.0.0.1");
`;
/** The line of a text in the source, from 1. */
const lineOf = (text: string): number => SOURCE.split("\n").findIndex((line) => line.includes(text)) + 1;

const CONFIG = `
target:
  command: node dist/server.mjs
  env: { PORT: "{port}", DB_PATH: "{db_path}", FROM: ${JSON.stringify(createRequire(import.meta.url).resolve("vitest"))} }
coverage:
  openapi: ./openapi.yaml
`;

const DESCRIPTION = `openapi: 3.1.0
info: { title: Notes, version: "1" }
paths:
  /notes:
    get: { responses: { "200": { description: all } } }
    post: { responses: { "201": { description: added }, 4XX: { description: refused }, "503": { description: busy } } }
    delete: { responses: { "204": { description: deleted } } }
`;

/** The invariant's requests do not count. */
const EXPLORATION = notesExploration({
  invariants: `new Invariant({ name: "two_at_most", check: async (world) => (await world.api.get("/notes")).json().length <= 2 })`,
});

function folderOf(config: string): string {
  const { code, map } = transformSync(SOURCE, {
    loader: "ts",
    sourcemap: "external",
    sourcefile: "../src/server.ts",
    minifyWhitespace: true,
  });
  const folder = folderWith({
    "seqqa.yaml": CONFIG + config,
    "openapi.yaml": DESCRIPTION,
    "src/server.ts": SOURCE,
    "dist/server.mjs": `${code}//# sourceMappingURL=server.mjs.map\n`,
    "dist/server.mjs.map": map,
    "notes.explore.mjs": EXPLORATION,
  });
  linkPackages(folder, "seqqa");
  return folder;
}

const OPERATIONS = [
  { method: "GET", path: "/notes", described: ["200"], seen: [], missing: ["200"], undescribed: [] },
  { method: "POST", path: "/notes", described: ["201", "4XX", "503"], seen: [201, 409], missing: ["503"], undescribed: [] },
  { method: "DELETE", path: "/notes", described: ["204"], seen: [200], missing: ["204"], undescribed: [200] },
];

describe("coverage", () => {
  it("counts operations and statuses of committed steps, and the code that the targets of all lanes executed", async () => {
    const folder = folderOf("  code: true\n");
    const ran = await seqqa(["run", ".", "--parallel", "2"], { cwd: folder });
    expect(ran.stderr).not.toContain("rror");
    expect(ran.status).toBe(0);
    const reports = join(folder, "reports");
    const document = writtenIn(reports) as unknown as RunDocument;
    expect(document.explorations[0]!.coverage.operations).toEqual(OPERATIONS);
    const { files, notes, lines, branches } = document.coverage!.code;
    expect(notes).toEqual([]);
    expect(files.map(({ file }) => file)).toEqual(["src/server.ts"]);
    expect(lines.covered).toBeLessThan(lines.total);
    expect(branches.covered).toBeLessThan(branches.total);
    const lcov = readFileSync(join(reports, "lcov.info"), "utf8");
    expect(lcov).toContain("\nSF:src/server.ts\n");
    expect(lcov).toContain(`\nDA:${lineOf("never reached")},0\n`);
    expect(lcov).toMatch(new RegExp(`\nDA:${lineOf("const { status, body }")},[1-9]`));
    expect(lcov).toMatch(new RegExp(`\nBRDA:${lineOf("if (count < 0)")},\\d+,0,0\n`));
    expect(ran.stdout).toContain("\noperations   2 of 3 called, 2 of 5 described statuses seen\n");
    expect(ran.stdout).toMatch(/\ncode {9}\d\d % of lines, \d\d % of branches\n/);
    expect(readFileSync(join(reports, "report.html"), "utf8")).toContain("Operations: 2 of 3 called");
  });

  it("counts the same operations with one lane, in a run that was resumed", async () => {
    const folder = folderOf("");
    await seqqa(["run", ".", "--max-steps", "1"], { cwd: folder });
    const reports = join(folder, "reports");
    expect(only(writtenIn(reports)).coverage.operations!.map(({ seen }) => seen)).toEqual([[], [201], []]);
    await seqqa(["run", ".", "--resume", "--max-steps", "1000"], { cwd: folder });
    expect(only(writtenIn(reports)).coverage.operations).toEqual(OPERATIONS);
    expect(existsSync(join(reports, "lcov.info"))).toBe(false);
  });

  it("refuses a description that does not exist before anything is started", async () => {
    const folder = folderOf("services: [{ name: mail, command: touch started }]\n");
    const ran = await seqqa(["run", "."], { cwd: folder, env: { SEQQA_COVERAGE_OPENAPI: "missing.yaml" } });
    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain("missing.yaml");
    expect(existsSync(join(folder, "started"))).toBe(false);
  });
});
