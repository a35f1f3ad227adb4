import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "node:net";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { full, laneCounts } from "../sizes.ts";
import type { JourneyEvent, JourneyRun } from "../../src/run/journeys/journey-run.ts";
import { answering, type Answering } from "../support/answering.ts";
import { folderWith, root, startNode, until } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER } from "../support/e2e-servers.ts";

interface Said {
  readonly found: {
    readonly journeys: readonly { readonly name: string }[];
    readonly unusable: readonly { readonly file: string; readonly code: string; readonly message: string; readonly hint: string }[];
  };
  readonly runs: readonly JourneyRun[];
  readonly events: readonly JourneyEvent[];
  readonly error?: { readonly code: string; readonly message: string };
}

/** Runs all journeys of a folder, as the command line does in it. */
const RUNS = `
import { findJourneys, runJourneys } from ${JSON.stringify(join(root, "dist/run/index.js"))};
import { loadConfig } from ${JSON.stringify(join(root, "dist/config/index.js"))};
async function answer({ cwd, args: [parallel = "1", bail], allowedStores }, signal = new AbortController().signal) {
  process.chdir(cwd);
  const events = [];
  const said = { events };
  try {
    const config = loadConfig({ directory: ".", allowedStores, flags: [{ key: "parallel", flag: "parallel", value: parallel }] });
    const { journeys, unusable } = await findJourneys(config);
    said.found = { journeys, unusable: unusable.map(({ file, error }) => ({ file, code: error.code, message: error.message, hint: error.hint })) };
    const onEvent = (event) => events.push(event);
    said.runs = await runJourneys({ journeys, config, bail: bail === "bail", signal, onEvent });
  } catch (error) {
    said.error = { code: error.code, message: error.message };
  }
  return said;
}
`;

/** The same in a process of its own, for the folder that it is started in. SIGINT ends the run. */
const RUNNER = `${RUNS}
const ender = new AbortController();
process.on("SIGINT", () => ender.abort());
console.log(JSON.stringify(await answer({ cwd: ".", args: process.argv.slice(2) }, ender.signal)));
`;

const HEAD = `import { Journey, Step } from "seqqa";\nimport { HttpClient } from "seqqa/adapters/http";\n`;
const journey = (name: string, steps: string, more = ""): string =>
  `${HEAD}export const journey = new Journey({ name: ${JSON.stringify(name)}, ${more} steps: [${steps}] });\n`;
const step = (name: string, body: string, more = ""): string =>
  `new Step({ name: ${JSON.stringify(name)}, ${more} action: async (api, context, args) => { ${body} } })`;

/** Expects no note, adds two, and is refused a third. */
const fills = (name: string): string =>
  journey(
    name,
    [
      step(
        "empty",
        'const all = await api.get("/notes"); if (all.json().length > 0 || context.has("id")) throw new Error("not fresh: " + all.text); context.set("id", 1); api.setAuthToken("t");',
      ),
      step("add", 'return api.post("/notes");'),
      step("add again", 'return api.post("/notes");'),
      step("full", 'return api.post("/notes");', "expectFailure: 409,"),
    ].join(", "),
  );

function folder(files: Readonly<Record<string, string>>, config = NOTES_CONFIG, server = NOTES_SERVER): string {
  return folderWith({ "seqqa.yaml": config, "server.mjs": server, "runner.mjs": RUNNER, ...files });
}

/** One process for the runs of all tests. */
let program: Answering | undefined;
const run = async (cwd: string, args: readonly string[] = [], allowedStores: readonly string[] = []): Promise<Said> =>
  (await (program ??= answering(RUNS)).ask({ cwd, args, allowedStores })) as Said;

const statuses = ({ runs }: Said): unknown[] =>
  runs.map(({ result }) => [result.name, result.status, ...result.steps.map(({ status }) => status)]);

/** Without what differs from run to run: times, ports, dates. */
const comparable = (said: unknown): string =>
  JSON.stringify(said, (key, value: unknown) =>
    key === "durationMs" || key === "headers" || key === "stack" ? undefined : value,
  ).replaceAll(/127\.0\.0\.1:\d+/g, "host");

describe("journeys on lanes", () => {
  const files = {
    "journeys/a.ts": fills("a"),
    "journeys/deep/b.mts": fills("b"),
    "journeys/c.js": journey(
      "c",
      `${step("wrong", 'return api.get("/notes");', "expectFailure: true,")}, ${step("never", 'return api.delete("/notes");')}`,
    ),
    "journeys/d.ts": fills("d"),
    "journeys/e.ts": fills("e"),
  };

  it("each from the root with a context and a client of its own; the same for 1 lane and for 2", async () => {
    const cwd = folder(files);
    const one = await run(cwd, ["1"]);
    const passed = ["passed", "passed", "passed", "passed", "passed"];
    expect(statuses(one)).toEqual([
      ["a", ...passed],
      ["c", "failed", "failed", "skipped"],
      ["d", ...passed],
      ["b", ...passed],
      ["e", ...passed],
    ]);
    expect(one.runs.every(({ notes, error, notPutBack }) => notes.length === 0 && error === undefined && notPutBack === undefined)).toBe(
      true,
    );
    expect(one.runs[1]!.result.steps[0]).toMatchObject({
      error: "Expected to fail, answered 200 to GET /notes.",
      where: expect.stringMatching(/^journeys\/c\.js:3:\d+$/),
    });
    const two = await run(cwd, ["2"]);
    expect(comparable(two)).toBe(comparable(one));
  });

  it("bail: the first failure in the order of the journeys is the last one, however many lanes", async () => {
    const cwd = folder(files);
    const one = await run(cwd, ["1", "bail"]);
    expect(one.runs.map(({ result }) => result.name)).toEqual(["a", "c"]);
    // In the quick suite the test before compares lanes.
    if (full) expect(comparable(await run(cwd, ["2", "bail"]))).toBe(comparable(one));
  });

  it("a journey of which no step was executed proves nothing", async () => {
    const idle = journey("idle", `${step("first", "return null;")}, ${step("second", "return null;")}`);
    const { runs } = await run(folder({ "journeys/idle.js": idle }));
    expect(runs[0]).toMatchObject({ result: { status: "passed" }, error: { code: "JOURNEY_DID_NOTHING" } });
  });

  it("files that define no journey are said to be unusable, with the reason", async () => {
    const cwd = folder({
      "journeys/none.ts": "export const other = 1;\n",
      "journeys/object.ts": "export const journey = {};\n",
      "journeys/throws.ts": 'throw new Error("at import");\n',
      "journeys/node_modules/x.ts": fills("hidden"),
      "journeys/types.d.ts": "export {};\n",
    });
    const { found, runs } = await run(cwd);
    expect(found.unusable.map(({ file, code }) => [file.slice(cwd.length), code])).toEqual([
      ["/journeys/none.ts", "NO_JOURNEY"],
      ["/journeys/object.ts", "NO_JOURNEY"],
      ["/journeys/throws.ts", "LOAD_THREW"],
    ]);
    expect(found.unusable[0]!.message).toBe(`${cwd}/journeys/none.ts exports other, but a journey file must export \`journey\`.`);
    expect(found.unusable[0]!.hint).toBe(
      'Write: export const journey = new Journey({ name, steps }), with Journey imported from "seqqa". Move modules that only help journeys out of the folder journeys.',
    );
    expect([found.journeys, runs]).toEqual([[], []]);
  });

  it("two journeys of one name are an error that names both files", async () => {
    const cwd = folder({ "journeys/a.ts": fills("same"), "journeys/b.ts": fills("same") });
    expect((await run(cwd)).error).toEqual({
      code: "JOURNEY_NAME_TWICE",
      message: `${cwd}/journeys/a.ts and ${cwd}/journeys/b.ts both define a journey named "same".`,
    });
  });
});

const DYING = NOTES_SERVER.replace(
  "createServer((request, response) => {",
  `createServer((request, response) => {
  if (request.url === "/die") { console.log("cannot go on"); process.exit(7); }
  if (request.url === "/late") { setTimeout(() => db.exec("INSERT INTO notes (text) VALUES ('late')"), 300); return; }`,
);

describe("what goes wrong on a lane", () => {
  it("a target that dies fails the step, with how it ended; the next journey gets a lane of its own", async () => {
    const die = journey("die", `${step("ask", 'return api.get("/die");')}, ${step("never", 'return api.get("/notes");')}`);
    const said = await run(folder({ "journeys/a.ts": die, "journeys/b.ts": fills("b") }, NOTES_CONFIG, DYING));
    expect(statuses(said)).toEqual([
      ["die", "failed", "failed", "skipped"],
      ["b", "passed", "passed", "passed", "passed", "passed"],
    ]);
    expect(said.runs[0]!.result.steps[0]!.error).toMatch(
      /got no answer from the target\. .* The target ended with exit code 7\. Its last output:\n {2}\| cannot go on$/,
    );
    expect(said.events.find(({ kind }) => kind === "step_ended")).toMatchObject({
      step: { error: expect.stringContaining("exit code 7") },
    });
  });

  it("what a cancelled request still writes does not reach the next journey", async () => {
    const slow = journey("slow", step("wait", 'return api.get("/late");', "timeout: 0.2,"));
    const said = await run(
      folder(
        {
          "journeys/a.ts": slow,
          "journeys/b.ts": journey(
            "b",
            `${step("wait", "await new Promise((done) => setTimeout(done, 500));")}, ${step("none", 'if ((await api.get("/notes")).json().length > 0) throw new Error("late write");')}`,
          ),
        },
        NOTES_CONFIG,
        DYING,
      ),
    );
    expect(statuses(said)).toEqual([
      ["slow", "timed_out", "timed_out"],
      ["b", "passed", "passed", "passed"],
    ]);
  });

  it("a client that cannot be made, and one that goes elsewhere, are errors of their journey", async () => {
    const no = journey("no", step("s", 'return api.get("/notes");'), 'client: () => { throw new Error("no certificate"); },');
    const elsewhere = journey("elsewhere", step("s", 'return api.get("/notes");'), 'client: new HttpClient("http://127.0.0.1:9"),');
    const factory = journey("factory", step("s", 'return api.get("/notes");'), "client: (lane) => new HttpClient(lane.baseUrl),");
    const { runs } = await run(folder({ "journeys/a.ts": no, "journeys/b.ts": elsewhere, "journeys/c.ts": factory }));
    expect(runs.map(({ result, error }) => [result.status, error?.code])).toEqual([
      ["failed", "CLIENT_THREW"],
      ["failed", "JOURNEY_CLIENT_ELSEWHERE"],
      ["passed", undefined],
    ]);
    expect(runs[0]!.error).toMatchObject({
      message: "The function `client` of the journey threw an error: no certificate",
      where: expect.stringMatching(/^journeys\/a\.ts:3:/),
    });
  });

  it.each(laneCounts)("an interruption ends the running step; the rest are skipped (%s lanes)", async (lanes) => {
    const hang = (name: string): string =>
      journey(
        name,
        `${step("hang", 'console.error("hangs"); await new Promise(() => undefined);')}, ${step("never", 'return api.get("/notes");')}`,
      );
    const cwd = folder({ "journeys/a.ts": hang("a"), "journeys/b.ts": hang("b"), "journeys/c.ts": hang("c") });
    const running = startNode(["runner.mjs", lanes], { cwd });
    await until(() => running.said.stderr.split("hangs").length - 1 === Number(lanes), "journeys that run");
    running.child.kill("SIGINT");
    const { runs } = JSON.parse((await running.ended).stdout) as Said;
    expect(
      runs.map(({ result }) => [
        result.name,
        result.status,
        result.interrupted,
        ...result.steps.map(({ status, error }) => error ?? status),
      ]),
    ).toEqual(["a", "b"].slice(0, Number(lanes)).map((name) => [name, "failed", true, "Interrupted.", "skipped"]));
  });
});

describe("other targets", () => {
  const memory = `import { createServer } from "node:http";
let notes = [];
createServer((request, response) => {
  if (request.method === "POST" && notes.length >= 2) return response.writeHead(409).end("{}");
  if (request.method === "POST") notes.push(1);
  response.end(JSON.stringify(notes));
}).listen(Number(process.env.PORT), "127.0.0.1");
`;
  const ok = ["passed", "passed", "passed", "passed", "passed"];

  it("one of ours without any store is started anew for each journey", async () => {
    const files = { "journeys/a.ts": fills("a"), "journeys/b.ts": fills("b") };
    const said = await run(folder(files, "target:\n  command: node server.mjs\n", memory));
    expect(statuses(said)).toEqual([
      ["a", ...ok],
      ["b", ...ok],
    ]);
    expect(said.runs.flatMap(({ notes }) => notes)).toEqual([]);
  });

  it("a module of ours without any store is loaded anew for each journey", async () => {
    const module = `let notes = [];
export const createTarget = () => ({ method }) => {
  if (method === "POST" && notes.length >= 2) return new Response("{}", { status: 409 });
  if (method === "POST") notes.push(1);
  return Response.json(notes);
};
`;
    const files = { "journeys/a.ts": fills("a"), "journeys/b.ts": fills("b") };
    const said = await run(folder(files, "target:\n  module: ./server.mjs\n", module), ["1"]);
    expect(statuses(said)).toEqual([
      ["a", ...ok],
      ["b", ...ok],
    ]);
  });

  it("target.rollback: restart, on two lanes in threads of their own", async () => {
    const files = { "journeys/a.ts": fills("a"), "journeys/b.ts": fills("b"), "journeys/c.ts": fills("c") };
    const said = await run(folder(files, `${NOTES_CONFIG}  rollback: restart\n`), ["2"]);
    expect(statuses(said)).toEqual([
      ["a", ...ok],
      ["b", ...ok],
      ["c", ...ok],
    ]);
  });

  it("the guide's journey, on the shop of the demonstration", async () => {
    const readme = readFileSync(join(root, "docs/guides/journeys.md"), "utf8");
    const text = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, block]) => block!).find((block) => block.includes("new Journey"))!;
    const config = NOTES_CONFIG.replace("server.mjs", join(root, "fixtures/demo/server.mjs"));
    expect(statuses(await run(folder({ "journeys/refund.ts": text }, config)))).toEqual([
      ["refund once", "passed", "passed", "passed", "passed"],
    ]);
  });
});

describe("a target that already runs", () => {
  it("its store ends as it began, and without a store that is said once", async () => {
    const port = await freePort();
    const cwd = folder(
      { "journeys/a.ts": fills("a"), "journeys/b.ts": fills("b") },
      `base_url: http://127.0.0.1:${port}\ndb_url: sqlite:store.test.sqlite\n`,
    );
    const file = join(cwd, "store.test.sqlite");
    const server = startNode(["server.mjs"], { cwd, env: { DB_PATH: file, PORT: String(port) } });
    await until(
      () =>
        fetch(`http://127.0.0.1:${port}/notes`).then(
          () => true,
          () => false,
        ),
      "a server that listens",
    );
    const content = (): unknown => {
      const db = new Database(file, { readonly: true });
      const all = [db.prepare("SELECT name FROM sqlite_master ORDER BY name").all(), db.prepare("SELECT * FROM notes").all()];
      db.close();
      return all;
    };
    const before = content();
    const said = await run(cwd);
    expect(said.runs.map(({ result, notes }) => [result.status, ...notes])).toEqual([["passed"], ["passed"]]);
    expect(content()).toEqual(before);
    // A store whose name does not show that it is for tests needs the user's permission, which reaches every lane.
    symlinkSync(file, join(cwd, "orders.sqlite"));
    writeFileSync(join(cwd, "seqqa.yaml"), `base_url: http://127.0.0.1:${port}\ndb_url: sqlite:orders.sqlite\n`);
    expect((await run(cwd)).error).toMatchObject({ code: "STORE_NOT_ALLOWED" });
    const allowed = await run(cwd, [], ["orders.sqlite"]);
    expect(allowed.runs.map(({ result, error }) => [result.status, error])).toEqual([1, 2].map(() => ["passed", undefined]));

    const without = folder({ "journeys/a.ts": fills("a"), "journeys/b.ts": fills("b") }, `base_url: http://127.0.0.1:${port}\n`);
    const plain = await run(without);
    const note =
      "No store is declared, so seqqa restores only the context between journeys, and not the data of the API. Declare the store with db_url or systems.";
    // The second one finds what the first one left.
    expect(plain.runs.map(({ result, notes }) => [result.status, ...notes])).toEqual([["passed", note], ["failed"]]);
    server.child.kill("SIGKILL");
    await server.ended;
    expect((await run(without)).error).toMatchObject({
      code: "TARGET_UNREACHABLE",
      message: `Connection refused: the target at http://127.0.0.1:${port} gave no answer.`,
    });
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
