import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { jsonText, runDocument } from "../../../../src/reports/index.ts";
import { newRunId, readRun, readStoredRun } from "../../../../src/run-log/index.ts";
import { RunLock } from "../../../../src/run-log/run-lock.ts";
import { gatedRace, race, raceCoverage } from "../../../support/race.ts";
import { HOSTILE, journey, report, result, violation } from "../../../support/results.ts";
import { configIn, graphOf, store } from "../../../support/stored-runs.ts";

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
function folder(): string {
  folders.push(mkdtempSync(join(tmpdir(), "seqqa-runs-")));
  return folders.at(-1)!;
}

const explored = (changes: Parameters<typeof result>[0] = {}) => ({ name: "shop", file: "qa/shop.explore.ts", result: result(changes) });
const fileOf = (config: ReturnType<typeof configIn>, id: string): string => join(config.report.outputDir, "runs", `${id}.db`);

/** A finding with everything that one can have, and texts that no encoding knows. */
function everything() {
  const step = violation().steps[0]!;
  const hostile = {
    request: { method: "POST", url: `http://a/${HOSTILE}`, headers: { [`x-${HOSTILE}`]: HOSTILE }, body: HOSTILE },
    response: { status: 200, headers: {}, body: `</script>]]>${HOSTILE}` },
    durationMs: 0.1,
  };
  return violation({
    message: HOSTILE,
    steps: [
      { ...step, changes: [`- ${HOSTILE}`], requests: [...step.requests, hostile, { ...hostile, response: undefined, error: HOSTILE }] },
    ],
    checks: [hostile],
    minimality: "one_minimal",
    shrunkFrom: ["a", "b"],
    draws: [[], [1]],
    known: true,
  });
}

/** A race with everything that one can have. */
function everyRace() {
  const { requests, ...call } = race().observed.calls[0]!;
  const hostile = { request: { method: "POST", url: `http://a/${HOSTILE}`, headers: {}, body: HOSTILE }, error: HOSTILE, durationMs: 0.1 };
  const none = { ...call, action: HOSTILE, status: null, requests: [...requests, hostile] };
  return race({
    message: HOSTILE,
    prefix: [HOSTILE],
    verdict: "invariant",
    invariant: HOSTILE,
    observed: { order: null, calls: [none, none], changes: [HOSTILE], broken: [HOSTILE] },
    allowed: [],
    draws: [[], [1]],
    known: true,
  });
}

describe("a run that is kept", () => {
  it("is read as the document that it was, character by character", () => {
    const config = configIn(folder());
    const run = report({
      run: newRunId(new Date()),
      explorations: [
        explored({
          violations: [everything()],
          races: [everyRace(), gatedRace()],
          raceCoverage: raceCoverage(),
          divergences: [{ kind: "merge", path: ["a"], message: HOSTILE, differences: [HOSTILE] }],
          errors: [{ code: "X", message: HOSTILE, path: [], source: "a", count: 2 }],
        }),
        explored(),
      ],
      journeys: [{ name: "login", file: "qa/journeys/login.ts", result: journey(), notes: ["a"] }],
      failures: [{ file: "a", code: "B", message: HOSTILE, hint: undefined }],
      known: { file: "known.yaml", found: ["3fa1b2c4"], stale: [], unseen: [] },
    });
    const { data, id } = readRun(config.report.outputDir, store(config, run));
    expect(id).toBe(run.run);
    const written = jsonText(data.document);
    expect(written).toBe(jsonText(runDocument(run, config.report)));
    expect(written).toContain("lone\\ud800");
    expect(data.graphs).toHaveLength(2);
  });

  it("has the ids of its findings, also those of actions with the same cause", () => {
    const config = configIn(folder());
    const operations = ["b", "c"].map((id) => ({ action: id, id, count: 1 }));
    store(config, { explorations: [explored({ violations: [violation({ id: "a" }), violation({ id: "b", operations })] }), explored()] });
    const { explorations } = readStoredRun(config.report.outputDir, undefined);
    expect(explorations.map(({ findingIds }) => findingIds)).toEqual([["a", "b", "c"], []]);
  });

  it("that did not end is one that was interrupted", () => {
    const config = configIn(folder());
    store(config, { explorations: [explored()], exitStatus: 0 }, false);
    expect(readRun(config.report.outputDir, undefined).data.document).toMatchObject({ exitStatus: 130 });
  });

  it("is the owner's alone, one file, and holds no secret of the configuration", () => {
    const home = folder();
    writeFileSync(
      join(home, "seqqa.yaml"),
      "target:\n  command: run\n  env: { API_KEY: hunter2, URL: 'http://u:hunter2@h' }\ndb_url: postgres://u:hunter2@127.0.0.1/d\nreport: { redact: [x-mine] }\n",
    );
    const config = configIn(home);
    const file = fileOf(config, store(config, { explorations: [explored()] }));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(config.report.outputDir, "runs"))).toHaveLength(1);
    expect(readFileSync(file, "latin1")).not.toContain("hunter2");
    const db = new Database(file, { readonly: true });
    const rows = db
      .prepare("SELECT key, value FROM config WHERE key IN ('db_url', 'target.env', 'report.redact') ORDER BY key")
      .raw()
      .all();
    db.close();
    expect(rows).toEqual([
      ["db_url", '"postgres://***@127.0.0.1/d"'],
      ["report.redact", '["x-mine"]'],
      ["target.env", '["API_KEY","URL"]'],
    ]);
  });

  it("is one of the newest 20, by the time in their ids, and nothing else is touched", () => {
    const home = folder();
    const config = configIn(home);
    const ids = Array.from({ length: 23 }, (_, n) => newRunId(new Date(Date.UTC(2026, 0, 1, 0, 0, n % 2, n))));
    for (const run of ids) store(config, { run });
    const runs = join(config.report.outputDir, "runs");
    writeFileSync(join(runs, "notes.db"), "mine");
    // An older run that ends last, as a long one or a resumed one does, keeps its own log until the next one ends.
    const old = newRunId(new Date(Date.UTC(2025, 0, 1)));
    store(config, { run: old });
    expect(readdirSync(runs)).toContain(`${old}.db`);
    store(config, { run: ids[22]! });
    const newest = ids.toSorted().slice(-20);
    expect(readdirSync(runs).toSorted()).toEqual([...newest.map((id) => `${id}.db`), "notes.db"]);
    expect(readRun(config.report.outputDir, undefined).id).toBe(newest.at(-1));
    expect(() => readRun(config.report.outputDir, "../notes")).toThrow(/Run not found: \.\.\/notes\.$/);
    expect(() => readRun(home, "../mine")).toThrow(/No run is stored in/);
  });
});

describe("a run whose search ended", () => {
  const none = { ...raceCoverage(), skipped: {}, dismissed: {} };
  const unaudited = { ...result().verdict, exceptions: [{ kind: "unaudited_reduction" as const, count: 2, text: "two merges" }] };
  it.each([
    ["everything was done", { raceCoverage: none }, false],
    ["a finding was not replayed", { violations: [violation({ notReplayed: true, notReplayedReason: "max_time" })] }, true],
    ["a pair of calls had no time", { raceCoverage: { ...none, skipped: { max_time: 1 } } }, true],
    ["a merge was not audited", { verdict: unaudited }, true],
  ] as const)("has work left or not: %s", (_what, changes, isCut) => {
    const config = configIn(folder());
    store(config, { explorations: [explored({ ...changes, stopReason: "exhausted" })] });
    expect(readStoredRun(config.report.outputDir, undefined).explorations).toMatchObject([{ stopReason: "exhausted", isCut }]);
  });
});

describe("a run in progress", () => {
  it("keeps its log, however many newer runs end", () => {
    const config = configIn(folder());
    const at = (n: number): string => newRunId(new Date(Date.UTC(2026, 0, 1, 0, 0, n)));
    const running = store(config, { run: at(0) });
    const lock = new RunLock(fileOf(config, running));
    const ids = Array.from({ length: 21 }, (_, n) => store(config, { run: at(n + 1) }));
    const logs = readdirSync(join(config.report.outputDir, "runs")).filter((name) => name.endsWith(".db"));
    expect(logs.toSorted()).toEqual([running, ...ids.slice(1)].map((id) => `${id}.db`));
    lock.release();
  });
});

describe("races in a store", () => {
  it("are rows that plain SQL reads: what was observed beside what the orders give", () => {
    const config = configIn(folder());
    const file = fileOf(config, store(config, { explorations: [explored({ races: [race()] })] }));
    const db = new Database(file, { readonly: true });
    const rows = db
      .prepare(
        "SELECT r.first, r.hits, o.position, o.executed, o.statuses, x.status, x.response_body FROM races r JOIN race_outcomes o ON o.exploration = r.exploration AND o.race = r.position JOIN exchanges x ON x.exploration = r.exploration AND x.race = r.position AND x.outcome = o.position ORDER BY o.position, x.step",
      )
      .raw()
      .all();
    db.close();
    const [done, no] = ['{"id":1,"refunded":100}', '{"error":"refunded already"}'];
    expect(rows).toEqual([
      ["refund_order", 14, 0, null, "[200,200]", 200, done],
      ["refund_order", 14, 0, null, "[200,200]", 200, done],
      ["refund_order", 14, 1, "[0,1]", "[200,409]", 200, done],
      ["refund_order", 14, 1, "[0,1]", "[200,409]", 409, no],
      ["refund_order", 14, 2, "[1,0]", "[409,200]", 409, no],
      ["refund_order", 14, 2, "[1,0]", "[409,200]", 200, done],
    ]);
  });

  it("have none of their requests with report.include_request_response: false", () => {
    const home = folder();
    writeFileSync(join(home, "seqqa.yaml"), "report: { include_request_response: false }\n");
    const config = configIn(home);
    const file = fileOf(config, store(config, { explorations: [explored({ races: [race()] })] }));
    const db = new Database(file, { readonly: true });
    expect(db.prepare("SELECT count(*) FROM exchanges WHERE race IS NOT NULL").pluck().get()).toBe(0);
    db.close();
    expect(readFileSync(file, "latin1")).not.toMatch(/refunded already|\/orders\/1\/refund/);
    const [shown] = readRun(config.report.outputDir, undefined).data.document.explorations[0]!.races;
    expect(shown).toMatchObject({
      requests: [],
      observed: {
        calls: [
          { status: 200, requests: [] },
          { status: 200, requests: [] },
        ],
      },
    });
  });
});

describe("a store that seqqa did not write is refused:", () => {
  const sql =
    (statement: string) =>
    (file: string): void => {
      const db = new Database(file);
      db.unsafeMode();
      db.exec(statement);
      db.close();
    };
  const records = (hex: string): ((file: string) => void) => sql(`UPDATE commits SET records = x'${hex.replaceAll(" ", "")}'`);
  it.each<readonly [string, (file: string) => void, RegExp]>([
    ["no database", (file) => writeFileSync(file, "x".repeat(5000)), /the file is not a SQLite database\.$/],
    ["an empty file", (file) => writeFileSync(file, ""), /the file is not a run of seqqa\.$/],
    ["half of it", (file) => truncateSync(file, 30_000), /seqqa cannot read .*: the file is damaged\.$/],
    ["a database of something else", sql("DROP TABLE run"), /the file is not a run of seqqa\.$/],
    ["another version", sql("PRAGMA user_version = 7"), /its schema has version 7, and this seqqa reads version 4\.$/],
    [
      "a trigger",
      sql("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END"),
      /its tables differ from the tables that seqqa writes \(schema version 4\)\.$/,
    ],
    [
      "a view",
      sql("DROP TABLE config; CREATE VIEW config AS SELECT 1 AS key"),
      /its tables differ from the tables that seqqa writes \(schema version 4\)\.$/,
    ],
    ["no run", sql("DELETE FROM run"), /seqqa cannot read /],
    ["a document that is none", sql("UPDATE explorations SET document = '[1]'"), /a stored value is not a JSON object\.$/],
    ["text that is no JSON", sql("UPDATE explorations SET document = '{'"), /seqqa cannot read /],
    ["a circle of parents", sql("UPDATE nodes SET parent = 2 WHERE id = 1"), /its stored states and steps contradict each other\.$/],
    [
      "an edge to nowhere",
      records("00000000 00000000 c8000000 63000000 00000000 00000000"),
      /its stored states and steps contradict each other\.$/,
    ],
    ["half a record", records("00000000 00000000 c8000000"), /the list of results in the run log is cut off\.$/],
    ["half a number", records("0000"), /a part of the stored steps is incomplete\.$/],
  ])("%s", (_what, spoil, says) => {
    const config = configIn(folder());
    const file = fileOf(config, store(config, { explorations: [explored()] }));
    const refused = (): unknown => {
      try {
        spoil(file);
      } catch {
        // STRICT tables take no such value at all.
        throw Object.assign(new Error("cannot be read: "), { exitStatus: 2 });
      }
      return readRun(config.report.outputDir, undefined);
    };
    expect(refused).toThrow(expect.objectContaining({ exitStatus: 2, message: expect.stringMatching(says) as string }));
  });
});

describe("the graph of reports", () => {
  it("is whole up to 5,000 states; of more it has what is around findings and near the root, with all parents", () => {
    const config = configIn(folder());
    const actions = ["next", "jump"];
    // A chain of 9,000 states, each with a dead end that only it has: 18,000 in all.
    const edges = Array.from({ length: 9000 }, (_, n) => [
      [n === 0 ? 0 : 2 * n - 1, 0, 2 * n + 1] as const,
      [2 * n + 1, 1, 2 * n + 2] as const,
    ]).flat();
    const far = violation({ reproductionPath: ["next", ...Array.from({ length: 1999 }, () => "next")], state: 3999 });
    const graph = graphOf(edges, actions);
    store(config, { explorations: [explored({ graph, violations: [far] }), explored({ graph: graphOf(edges.slice(0, 4000), actions) })] });
    const [sampled, whole] = readRun(config.report.outputDir, undefined).data.graphs;
    expect(whole).toMatchObject({ totalNodes: 4001, totalEdges: 4000 });
    expect(whole!.nodes.id).toHaveLength(4001);
    expect(whole!.edges.from).toHaveLength(4000);
    expect(sampled).toMatchObject({ totalNodes: 18_001, totalEdges: 18_000 });
    const shown = new Map(sampled!.nodes.id.map((id, index) => [id, index]));
    expect(shown.size).toBeGreaterThanOrEqual(5000);
    expect(shown.size).toBeLessThan(5100);
    expect(shown.has(3999) && shown.has(4000) && shown.has(4001)).toBe(true); // the end of the path and its neighbours
    expect(shown.has(17_999)).toBe(false);
    sampled!.nodes.parent.forEach((parent, index) => expect(parent < 0 ? -1 : shown.get(parent)).toBeLessThan(index));
    sampled!.edges.from.forEach((from, index) => expect([shown.has(from), shown.has(sampled!.edges.to[index]!)]).toEqual([true, true]));
  });
});
