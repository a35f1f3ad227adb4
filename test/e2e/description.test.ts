import { existsSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full } from "../sizes.ts";
import { folderWith, seqqa, startNode, until } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

// The description's tables of the command line and of errors, row by row and in its words: a folder, the built command, its exit status and output.

const journey = (name: string, action: string, more = ""): string => `import { Journey, Step } from "seqqa";
export const journey = new Journey({ name: "${name}", steps: [new Step({ name: "a step", ${more} action: ${action} })] });
`;
const NOTES = { "seqqa.yaml": NOTES_CONFIG, "server.mjs": NOTES_SERVER };
const adds = journey("add a note", 'async (client) => client.post("/notes")');
const reads = journey("read", 'async (client) => client.get("/notes")');
const violated = notesExploration({
  invariants: `new Invariant({ name: "one_at_most", severity: "medium", message: "there are two",
    check: async (world) => (await world.api.get("/notes")).json().length < 2 })`,
});
/** Answers 503 as often as FAILS says, then 200. */
const FAILING_SERVER = `import { createServer } from "node:http";
let left = Number(process.env.FAILS);
createServer((request, response) => {
  if (request.url === "/") return response.end();
  if (left-- > 0) return response.writeHead(503).end();
  response.end('{"asked": ' + (Number(process.env.FAILS) + 1) + "}");
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
const retrying = (fails: number): string => `target:
  command: node server.mjs
  env: { PORT: "{port}", FAILS: "${fails}" }
retry: { max_attempts: 3, delay: 0.01, retry_on_status: [503] }
`;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

type Row = readonly [row: string, files: Readonly<Record<string, string>>, args: readonly string[], status: number, said: RegExp];

describe("Command-line program", () => {
  it.each<Row>([
    [
      "seqqa demo: finds a planted sequence bug; needs no setup",
      {},
      ["demo"],
      0,
      /\[CRITICAL\] refund_within_amount[^]*\[CRITICAL\] pay_order \|\| pay_order[^]*\[HIGH\] ship_order_false_success/,
    ],
    ["seqqa doctor: diagnoses the environment", NOTES, ["doctor"], 0, /All checks passed: a run can start/],
    [
      "seqqa run <journey_name>: runs one journey by its name",
      { ...NOTES, "journeys/x.ts": adds, "journeys/y.ts": reads },
      ["run", "add a note"],
      0,
      /^add a note\n[^]*passed/m,
    ],
    ["... --verbose", { ...NOTES, "journeys/x.ts": adds }, ["run", "add a note", "--verbose"], 0, /POST .*\/notes/],
    ["... --parallel <n>", { ...NOTES, "journeys/x.ts": adds }, ["run", "add a note", "--parallel", "2"], 0, /passed/],
    [
      "seqqa run --all: runs every journey",
      { ...NOTES, "journeys/x.ts": adds, "journeys/y.ts": reads },
      ["run", "--all"],
      0,
      /PASSED  2 journeys: 2 passed/,
    ],
    [
      "seqqa run <directory>: runs the exploration files in a directory",
      { ...NOTES, "notes.explore.mjs": notesExploration() },
      ["run", "."],
      0,
      /3 states/,
    ],
    ["seqqa list: lists available journeys", { ...NOTES, "journeys/x.ts": adds }, ["list"], 0, /^journey +add a note /m],
    ["seqqa --version: prints the version", {}, ["--version"], 0, /^0\.6\.4\n$/],
  ])("%s", async (_, files, args, status, said) => {
    const ran = await seqqa(args, { cwd: folderWith(files) });
    expect(ran.stdout + (ran.status === status ? "" : ran.stderr)).toMatch(said);
    expect(ran.status).toBe(status);
  });

  it("... --no-infra: uses services that are already running", async () => {
    const port = await freePort();
    const cwd = folderWith({
      "journeys/x.mjs": adds,
      "seqqa.yaml": `${NOTES_CONFIG}base_url: http://127.0.0.1:${port}\n`,
      "server.mjs": NOTES_SERVER,
    });
    const refused = await seqqa(["run", "add a note", "--no-infra"], { cwd });
    expect(refused.stderr).toContain(`Connection refused: the target at http://127.0.0.1:${port} gave no answer`);
    startNode(["server.mjs"], { cwd, env: { PORT: String(port), DB_PATH: join(cwd, "notes.db") } });
    const notes = async (): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}`)).json();
    await until(() => notes().then(Array.isArray, () => false), "the server listens");
    expect(await seqqa(["run", "add a note", "--no-infra"], { cwd })).toMatchObject({ status: 0, stderr: "" });
    expect(await notes()).toHaveLength(1);
  });

  /** The reports are those of one run. */
  let explored: Promise<string> | undefined;
  const exploredFolder = async (): Promise<string> => {
    const cwd = folderWith({ ...NOTES, "notes.explore.mjs": notesExploration() });
    expect((await seqqa(["run", "."], { cwd })).status).toBe(0);
    return cwd;
  };
  it.each(["html", "json", "junit"])("seqqa report --format %s --output <file>: writes a report", async (format) => {
    const cwd = await (explored ??= exploredFolder());
    const ran = await seqqa(["report", "--format", format, "--output", "it"], { cwd });
    expect({ status: ran.status, stderr: ran.status === 0 ? "" : ran.stderr, there: existsSync(join(cwd, "it")) }).toEqual({
      status: 0,
      stderr: "",
      there: true,
    });
    expect(readFileSync(join(cwd, "it"), "utf8")).toMatch({ html: /^<!doctype html>/i, json: /^\{/, junit: /^<\?xml/ }[format]!);
  });
});

describe("Errors", () => {
  // In the quick suite unit/model/context has one, and unit/cli/run the other.
  const isQuick = ([row]: Row): boolean => !/^(?:context\[key\]|A violation with severity)/.test(row);
  const throwing = (body: string): string =>
    notesExploration({ actions: `new Action({ name: "x", run: async (api, context) => { ${body} } }),` });
  const rows: readonly Row[] = [
    [
      "context[key] with an unset key: KeyError",
      { ...NOTES, "a.explore.mjs": throwing('return api.get("/" + context["order_id"]);') },
      ["run", "."],
      3,
      /KeyError: .*order_id/,
    ],
    [
      "get_required(key) with an unset key: KeyError whose message reads Required context key not found: <key>",
      { ...NOTES, "a.explore.mjs": throwing('return api.get("/" + context.getRequired("order_id"));') },
      ["run", "."],
      3,
      /Required context key not found: order_id/,
    ],
    [
      "A value that a prior step did not set: KeyError on read",
      { ...NOTES, "journeys/x.mjs": journey("typo", 'async (client, context) => client.get("/" + context["ordr_id"])') },
      ["run", "typo"],
      1,
      /ordr_id/,
    ],
    [
      "Target server not running or not reachable: a Connection refused error",
      { "seqqa.yaml": "base_url: http://127.0.0.1:1\n", "a.explore.mjs": notesExploration() },
      ["run", "."],
      3,
      /Connection refused: the target at http:\/\/127\.0\.0\.1:1 gave no answer/,
    ],
    ["Journey name not found (wrong directory)", NOTES, ["run", "add"], 2, /Journey not found/],
    [
      "Journey name not found (no module-level journey variable)",
      { ...NOTES, "journeys/add.mjs": "export const other = 1;" },
      ["run", "add"],
      2,
      /Journey not found: add/,
    ],
    [
      "Journey name not found (a file name used in place of the name)",
      { ...NOTES, "journeys/x.ts": adds },
      ["run", "x.ts"],
      2,
      /Journey not found: x\.ts[^]*add a note/,
    ],
    [
      "A step exceeds its timeout: the step fails as timed out",
      { ...NOTES, "journeys/x.mjs": journey("slow", "() => new Promise((resolve) => setTimeout(resolve, 20_000))", "timeout: 0.1,") },
      ["run", "slow"],
      1,
      /timed out/,
    ],
    [
      "A step with expect_failure true returns a failure: counts as the expected result",
      {
        ...NOTES,
        "journeys/x.mjs": journey(
          "refused",
          'async (c) => { await c.post("/notes"); await c.post("/notes"); return c.post("/notes"); }',
          "expectFailure: true,",
        ),
      },
      ["run", "refused"],
      0,
      /passed/,
    ],
    [
      "An HTTP response whose status is in retry.retry_on_status: retried ...",
      { "seqqa.yaml": retrying(2), "server.mjs": FAILING_SERVER, "journeys/x.mjs": journey("try", 'async (c) => c.get("/x")') },
      ["run", "try"],
      0,
      /passed/,
    ],
    [
      "... up to retry.max_attempts",
      { "seqqa.yaml": retrying(3), "server.mjs": FAILING_SERVER, "journeys/x.mjs": journey("try", 'async (c) => c.get("/x")') },
      ["run", "try"],
      1,
      /503/,
    ],
    [
      "An invariant returns False: a violation record is created, with the severity of the invariant",
      { ...NOTES, "a.explore.mjs": violated },
      ["run", "."],
      1,
      /\[MEDIUM\] one_at_most\n {2}there are two\n {2}path {6}add -> add\n {2}request {3}POST .*\/notes\n {2}response {2}201 /,
    ],
    [
      "A violation with severity at or above fail_on_severity: the run fails",
      { ...NOTES, "a.explore.mjs": violated },
      ["run", ".", "--fail-on-severity", "medium"],
      1,
      /\[MEDIUM\]/,
    ],
    ["... and not below it", { ...NOTES, "a.explore.mjs": violated }, ["run", ".", "--fail-on-severity", "high"], 0, /\[MEDIUM\]/],
  ];
  it.each<Row>(full ? rows : rows.filter(isQuick))("%s", async (_, files, args, status, said) => {
    const ran = await seqqa(args, { cwd: folderWith(files) });
    expect(ran.stdout + ran.stderr).toMatch(said);
    expect(ran.stderr).not.toMatch(/^\s+at /m);
    expect(ran.status).toBe(status);
  });
});
