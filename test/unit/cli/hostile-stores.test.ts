import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { journey, result, violation } from "../../support/results.ts";
import { race } from "../../support/race.ts";
import { configIn, graphOf, store } from "../../support/stored-runs.ts";
import { folderWith, seqqa } from "../../support/cli-harness.ts";

/** The store of a run with a finding, a race and a journey; where it lies. */
function kept(): { readonly cwd: string; readonly file: string } {
  const cwd = folderWith({ "seqqa.yaml": "", "shop.explore.ts": "" });
  const config = configIn(cwd);
  const found = result({ violations: [violation({ id: "aa11" })], races: [race()], graph: graphOf([[0, 0, 1]], ["create_order"]) });
  const id = store(config, {
    explorations: [{ name: "shop", file: "shop.explore.ts", result: found }],
    journeys: [{ name: "j", file: "j.ts", result: journey(), notes: [] }],
  });
  return { cwd, file: join(config.report.outputDir, "runs", `${id}.db`) };
}

const sql =
  (...statements: readonly string[]) =>
  (file: string): void => {
    const db = new Database(file);
    for (const statement of statements) expect(db.prepare(statement).run().changes, statement).toBeGreaterThan(0);
    db.close();
  };
/** Sets what stands at a path of a table's documents, as JSON. */
const set = (table: string, path: string, value: unknown): ((file: string) => void) =>
  sql(`UPDATE ${table} SET document = json_set(document, '$.${path}', json('${JSON.stringify(value)}'))`);
const MARKUP = "<img src=x onerror=alert(1)>";
const CODE = '"); process.exit(0); ("';

const COMMANDS: readonly string[] = [
  "report",
  "report --format json",
  "report --format junit --output -",
  "replay aa11",
  "replay aa11 --emit vitest",
  "replay aa11 --emit curl",
];

describe("a store that is hostile or half written: one sentence, exit status 2, and nothing is written or run", () => {
  it.each<readonly [string, (file: string) => void]>([
    ["garbage", (file) => writeFileSync(file, Buffer.alloc(100_000, "\x1b[2J\0<script>"))],
    ["nothing at all", (file) => writeFileSync(file, "")],
    ["its beginning", (file) => truncateSync(file, 4096)],
    ["its first half", (file) => truncateSync(file, readFileSync(file).length / 2)],
    ["garbage in its middle", (file) => writeFileSync(file, readFileSync(file).fill(0xff, 4096, 40_000))],
    ["a folder", (file) => (rmSync(file), mkdirSync(file))],
    [
      "a database of something else",
      (file) => {
        rmSync(file);
        new Database(file).exec("CREATE TABLE run (id)").close();
      },
    ],
    [
      "another version",
      (file) => {
        const db = new Database(file);
        db.pragma("user_version = 99");
        db.close();
      },
    ],
    ["no run", sql("DELETE FROM run")],
    ["text where JSON is expected", sql("UPDATE findings SET document = 'the finding'")],
    ["escapes where JSON is expected", sql("UPDATE findings SET document = char(27) || '[2J' || char(10) || 'error: x'")],
    ["JSON that ends too soon", sql("UPDATE findings SET document = substr(document, 1, 20)")],
    ["JSON as deep as a stack", sql(`UPDATE findings SET document = '{"a":' || replace(hex(zeroblob(100000)), '00', '[')`)],
    ["another kind of JSON", sql("UPDATE findings SET document = 'null'")],
    ["an empty object", sql("UPDATE findings SET document = '{}'")],
    ["headers that are none", sql("UPDATE exchanges SET request_headers = '[1]'")],
    ["an exchange that is none", sql("UPDATE exchanges SET exact = '{}'")],
    ["markup as the exit status", set("run", "exitStatus", MARKUP)],
    ["a time that is no text", set("run", "startedAt", { toString: MARKUP })],
    ["markup as a count", set("findings", "count", MARKUP)],
    ["text as an index", set("findings", "draws", [["x"]])],
    ["markup as a number of steps", set("explorations", "steps", MARKUP)],
    ["markup as a share", set("explorations", "coverage.pairs", MARKUP)],
    ["code as the seed", set("explorations", "seed", CODE)],
    ["a severity that is none", set("findings", "severity", MARKUP)],
    ["a path that is none", set("findings", "reproductionPath", 1e9)],
    ["a script that is no text", set("findings", "curl", { length: 1 })],
    ["a status that is none", set("finding_steps", "status", MARKUP)],
    ["markup as a time of a journey", set("journey_steps", "durationMs", MARKUP)],
    ["no calls of a race", set("race_outcomes", "calls", null)],
  ])("%s", async (what, spoil) => {
    const { cwd, file } = kept();
    spoil(file);
    for (const line of COMMANDS) {
      const { status, stdout, stderr, replayInputs } = await seqqa(line.split(" "), { cwd });
      expect({ status, stdout, replayInputs }, `${what}: ${line}: ${stderr}`).toEqual({ status: 2, stdout: "", replayInputs: [] });
      // eslint-disable-next-line no-control-regex
      expect(stderr).toMatch(/^error: seqqa cannot read the run in [^\n]*\.db: [^\n\x00-\x1f<]{1,150}\.\nhint: [^\n]+\n$/);
      expect(stderr, "what the engine says of a value").not.toMatch(/Cannot read|is not a function|is not iterable|Unexpected token/);
    }
    expect(["report.html", "results.json", "junit.xml"].map((name) => existsSync(join(cwd, "reports", name)))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it("huge values are values, and shown", async () => {
    const { cwd, file } = kept();
    set("findings", "count", 1e308)(file);
    set("findings", "draws", [[1e308]])(file);
    sql("UPDATE findings SET document = json_set(document, '$.message', hex(zeroblob(5000000)))")(file);
    for (const line of ["report", "report --format json", "report --format junit"])
      expect(await seqqa(line.split(" "), { cwd })).toMatchObject({ status: 0 });
    expect((await seqqa(["replay", "aa11"], { cwd })).replayInputs).toHaveLength(1);
  });

  it("another module than an exploration is not loaded", async () => {
    for (const module of ["/etc/passwd", "evil.mjs", "data:text/javascript,process.exit(0)", "x.explore.ts\0.mjs"]) {
      const { cwd, file } = kept();
      set("explorations", "file", module)(file);
      const { status, stderr, replayInputs } = await seqqa(["replay", "aa11"], { cwd });
      expect({ status, replayInputs }).toEqual({ status: 2, replayInputs: [] });
      expect(stderr).toMatch(/^error: seqqa does not load [^\n]*, which the run names as its exploration: [^\n]*\nhint: [^\n]+\n$/);
    }
  });
});

describe("a newer run that cannot be read", () => {
  const NEWER = "29991231-235959-111-ffff.db";

  it.each(["", "this is no database\n".repeat(100)])("is passed over with a note where no run is named (%#)", async (text) => {
    const { cwd, file } = kept();
    const newer = join(file, "..", NEWER);
    writeFileSync(newer, text);
    for (const command of ["report --format json --output -", "replay aa11 --emit curl"]) {
      const { status, stdout, stderr } = await seqqa(command.split(" "), { cwd });
      expect([status, stdout !== ""]).toEqual([0, true]);
      expect(stderr).toMatch(/^note: seqqa cannot read the run in \S+29991231-235959-111-ffff\.db: .* seqqa uses an older run\.$/m);
    }
    expect(readFileSync(newer, "utf8")).toBe(text);
    const named = await seqqa(["report", "--run", NEWER.slice(0, -3)], { cwd });
    expect([named.status, named.stderr]).toEqual([2, expect.stringContaining("seqqa cannot read")]);
  });

  it("is an error where there is no other one", async () => {
    const { cwd, file } = kept();
    writeFileSync(file, "");
    expect((await seqqa(["report"], { cwd })).status).toBe(2);
  });
});
