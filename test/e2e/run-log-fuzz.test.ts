import Database from "better-sqlite3";
import fc from "fast-check";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { misfitOf } from "../../src/run-log/rows/fits-schema.ts";
import { htmlText, jsonText, junitText, REPORT_FORMATS, type RunDocument } from "../../src/reports/index.ts";
import { findStates, readFindings, readRecord, readResultsFile, readRun, readStates, readStoredRun } from "../../src/run-log/index.ts";
import { compareRuns } from "../../src/diff/index.ts";
import { beyondInRecord } from "../../src/run/resume/check-record.ts";
import { batches, size } from "../sizes.ts";
import { folderWith, linkPackages, seqqa } from "../support/e2e.ts";
import { anyValue, HOSTILE_TEXTS, INTERNAL, mutated, mutatedBytes, tried } from "../support/fuzz.ts";
import { codePoint } from "../support/code-point.ts";
import { parseXml } from "../support/xml.ts";

const EXPLORATION = `
import { Action, Agent, Invariant, Journey, Step, World } from "seqqa";
import { MockClient } from "seqqa/mocking";
const world = () => {
  const api = new MockClient();
  api.whenPost("/a").respond({ id: 1 });
  api.whenPost("/b").respond({ error: "no" }, { status: 500 });
  return new World({ api });
};
const count = (context) => context.get("n") ?? 0;
export const agent = new Agent({
  name: "mock",
  world,
  actions: [
    new Action({ name: "add", run: async (api, context) => { context.set("n", count(context) + 1); return api.post("/a", { json: { n: count(context) } }); } }),
    new Action({ name: "less", precondition: (context) => count(context) > 0, run: async (api, context) => { context.set("n", count(context) - 1); return api.post("/a"); } }),
    new Action({ name: "fail", run: (api) => api.post("/b") }),
    new Action({ name: "throws", precondition: (context) => count(context) === 2, run: () => { throw new Error("never"); } }),
  ],
  invariants: [new Invariant({ name: "five_at_most", check: (world) => count(world.context) < 6 })],
  maxSteps: 60,
});
`;

let folder = "";
let log: Buffer;
let file = "";
let results: unknown;
beforeAll(async () => {
  folder = folderWith({ "seqqa.yaml": "report: { output_dir: ./out }\n", "mock.explore.ts": EXPLORATION });
  linkPackages(folder, "seqqa");
  const { status, stderr } = await seqqa(["run", "."], { cwd: folder });
  expect(status, stderr).toBe(1);
  const runs = join(folder, "out/runs");
  file = join(
    runs,
    readdirSync(runs).find((name) => name.endsWith(".db"))!,
  );
  log = readFileSync(file);
  results = JSON.parse(readFileSync(join(folder, "out/results.json"), "utf8"));
});

const text = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: codePoint, maxLength: 20 }));
/** Changes of a column in one of its rows: JSON with other values where the column holds JSON, and any value at all. */
const columns = fc.array(
  fc.record({
    table: fc.nat(100),
    column: fc.nat(100),
    row: fc.nat(1000),
    kind: fc.constantFrom("json", "json", "json", "any", "delete"),
    value: fc.oneof<fc.Arbitrary<string | number | bigint | null | Buffer>[]>(
      text,
      fc.constantFrom(null, 0, -1, 2 ** 31, -(2 ** 31), 1e18, 2n ** 62n, 1.5, "{}", "[]", "null", '{"__proto__":{"polluted":true}}'),
      fc.uint8Array({ maxLength: 100 }).map((bytes) => Buffer.from(bytes)),
    ),
    place: fc.nat(100_000),
    other: anyValue,
  }),
  { minLength: 1, maxLength: 3 },
);

type Columns = typeof columns extends fc.Arbitrary<infer T> ? T : never;

function spoil(changes: Columns): void {
  const db = new Database(file);
  try {
    db.pragma("ignore_check_constraints = ON");
    db.pragma("foreign_keys = OFF");
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all() as readonly string[];
    const filled = tables.filter((one) => db.prepare(`SELECT count(*) FROM "${one}"`).pluck().get() !== 0);
    for (const { table, column, row, kind, value, place, other } of changes) {
      const name = filled[table % filled.length]!;
      const names = db.prepare("SELECT name, pk FROM pragma_table_info(?)").all(name) as readonly {
        readonly name: string;
        readonly pk: number;
      }[];
      const rows = db.prepare(`SELECT * FROM "${name}"`).all() as readonly Readonly<Record<string, unknown>>[];
      if (rows.length === 0) continue;
      const chosen = rows[row % rows.length]!;
      const keys = names.filter(({ pk }) => pk > 0).map((one) => one.name);
      const where = keys.length === 0 ? "1" : keys.map((key) => `"${key}" IS ?`).join(" AND ");
      const which = keys.map((key) => chosen[key]);
      const documents = names.filter((one) => typeof chosen[one.name] === "string" && /^[[{]/.test(chosen[one.name] as string));
      const isJson = kind === "json" && documents.length > 0;
      const target = (isJson ? documents : names)[column % (isJson ? documents : names).length]!.name;
      try {
        if (kind === "delete") db.prepare(`DELETE FROM "${name}" WHERE ${where}`).run(...which);
        else
          db.prepare(`UPDATE "${name}" SET "${target}" = ? WHERE ${where}`).run(
            isJson ? changed(chosen[target] as string, place, other) : value,
            ...which,
          );
      } catch (error) {
        // SQLite itself refuses a value of another type, a key that is there, or NULL.
        if (!(error as { readonly code?: string }).code?.startsWith("SQLITE_")) throw error;
      }
    }
  } finally {
    db.close();
  }
}

/** The JSON of a column with a change that the draws decide. */
function changed(json: string, place: number, other: unknown): string {
  return JSON.stringify(fc.sample(mutated([JSON.parse(json)]), { numRuns: 1, seed: place })[0] ?? other) ?? "null";
}

function compareWith(document: RunDocument): void {
  try {
    compareRuns({ name: "before", document: results as RunDocument }, { name: "after", document });
  } catch (error) {
    // The command makes it a sentence: lists of a graph are not in the schema.
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).not.toMatch(INTERNAL);
  }
}

/** Reads a run as every command does: for reports, for a replay, for `open`, for `suggest`, for `diff`, and to resume it. */
async function readAll(): Promise<number> {
  const out = join(folder, "out");
  let read = 0;
  const data = await tried(() => readRun(out, undefined).data);
  if (data !== undefined) {
    read++;
    expect(misfitOf(data.document)).toBeUndefined();
    const html = htmlText(data);
    expect(html).not.toMatch(/<img src=x|<script>pwned/);
    jsonText(data.document);
    compareWith(data.document);
    parseXml(junitText(data.document));
    const { format } = await REPORT_FORMATS["sarif"]!();
    for (const piece of format.render(data)) expect(typeof piece).toBe("string");
  }
  await tried(() => readFindings(out, undefined));
  await tried(() => readStates(out, undefined));
  await tried(() => findStates(out, undefined, ""));
  const stored = await tried(() => readStoredRun(out, undefined));
  for (const exploration of stored?.explorations ?? []) {
    await tried(() =>
      beyondInRecord(stored!, { exploration, name: exploration.name, budget: { maxDepth: undefined, stopOnFirstViolation: false } }),
    );
    await tried(() =>
      readRecord(stored!.file, exploration, ({ recorded, depth }) => {
        for (let index = 0; index < recorded.batches; index++) recorded.batch(index);
        for (let node = 0; node < recorded.lo.length; node++) depth(node);
      }),
    );
  }
  return read;
}

function restore(bytes: Buffer): void {
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(`${file}${suffix}`, { force: true });
  writeFileSync(file, bytes);
}

describe("whatever stands in a run log", () => {
  it.each(batches(size(30, 10_000), 1000).map(({ first, count }) => [String(first), count] as const))(
    "is a run, or one sentence that says why it cannot be read: cases from %s",
    { timeout: 3_600_000 },
    async (_first, count) => {
      const bytes = mutatedBytes(fc.constant(0).map(() => log)).map((changedLog) => ({ kind: "bytes" as const, changedLog }));
      const rows = columns.map((changes) => ({ kind: "rows" as const, changes }));
      let read = 0;
      await fc.assert(
        fc.asyncProperty(fc.oneof({ weight: 3, arbitrary: rows }, { weight: 1, arbitrary: bytes }), async (one) => {
          restore(one.kind === "bytes" ? one.changedLog : log);
          if (one.kind === "rows") spoil(one.changes);
          read += await readAll();
        }),
        { numRuns: count },
      );
      expect(read).toBeGreaterThan(count / 20);
    },
  );
});

describe("whatever stands in a results.json", () => {
  it("is a result, or one sentence that says why it cannot be read", { timeout: 3_600_000 }, async () => {
    const path = join(folder, "fuzz/results.json");
    mkdirSync(join(folder, "fuzz"), { recursive: true });
    const json = mutated([results]).map((one) => JSON.stringify(one) ?? "");
    const content = fc.oneof(
      json.map((one) => Buffer.from(one)),
      mutatedBytes(json),
    );
    await fc.assert(
      fc.asyncProperty(content, async (bytes) => {
        writeFileSync(path, bytes);
        const document = await tried(() => readResultsFile(path, "results.json"));
        if (document === undefined) return;
        expect(htmlText({ document, graphs: [] })).not.toMatch(/<img src=x|<script>pwned/);
        compareWith(document);
      }),
      { numRuns: size(60, 10_000) },
    );
  });
});
