import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { some } from "../sizes.ts";
import { atEnd } from "../support/at-end.ts";
import { folderWith, linkPackages, only, seqqa, seqqaProcess, writtenIn, type Ran } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_COUNTS, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

/** Leaves `started` behind, so that it shows whether anything could have been sent. */
const WATCHED_CONFIG = NOTES_CONFIG.replace("node server.mjs", "touch started; exec node server.mjs");
const GOOD = { "qa/seqqa.yaml": WATCHED_CONFIG, "qa/server.mjs": NOTES_SERVER, "qa/notes.explore.ts": notesExploration() };

interface Bad {
  readonly what: string;
  /** In place of those of a folder that works. */
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The sentence on standard error, and what it says to do. */
  readonly says: RegExp;
  readonly hint?: RegExp;
}

const exploration = (text: string): Readonly<Record<string, string>> => ({ "qa/notes.explore.ts": text });

/** One sentence, with a line on what to do, and no stack. */
function expectOneSentence({ stderr }: Ran, says: RegExp, hint: RegExp | undefined): void {
  const [first = "", ...rest] = stderr.split(/^hint: /m);
  expect(first).toMatch(says);
  expect(first.match(/^error: /gm)).toHaveLength(1);
  expect(rest.join("")).toMatch(hint ?? /\S/);
  expect(stderr).not.toMatch(/^\s+at /m);
  expect(stderr).not.toContain("seqqa itself failed");
}

// Of usage and of configuration files one each, through the whole command: unit/cli/misuse and unit/config/broken-files have the tables.
const MISTAKES: readonly Bad[] = [
  {
    what: "an unknown option",
    args: ["run", "qa", "--max-step", "3"],
    says: /Unknown option '--max-step'\./,
    hint: /Did you mean --max-steps\?/,
  },
  {
    what: "an unknown key",
    files: { "qa/seqqa.yaml": `${WATCHED_CONFIG}\nexploration:\n  max_step: 3\n` },
    says: /^error: qa\/seqqa\.yaml:9:3: .*max_step/,
    hint: /max_steps/,
  },
  {
    what: "a syntax error",
    files: exploration("import { Agent } from 'seqqa';\nexport const agent = new Agent({\n  actions: [,\n];\n"),
    says: /^error: qa\/notes\.explore\.ts:4:2: Expected/,
    hint: /Correct this line\./,
  },
  {
    what: "an export that is no Agent",
    files: exploration("export const agent = { actions: [] };\n"),
    says: /^error: .*qa\/notes\.explore\.ts exports an `agent` that is not an Agent/,
    hint: /new Agent\(/,
  },
  {
    what: "no export at all",
    files: exploration("export {};\n"),
    says: /^error: .*qa\/notes\.explore\.ts exports nothing, but an exploration file must export `agent` or `graph`\./,
    hint: /export const agent/,
  },
  {
    what: "an export that is no StateGraph",
    files: exploration("export const graph = { nodes: [] };\n"),
    says: /^error: .*qa\/notes\.explore\.ts exports a `graph` that is not a StateGraph\./,
    hint: /export const graph = new StateGraph\(/,
  },
  {
    what: "an Agent exported as graph",
    files: exploration(
      'import { Action, Agent } from "seqqa";\nexport const graph = new Agent({ actions: [new Action({ name: "a", run: async () => null })], invariants: [] });\n',
    ),
    says: /^error: .*qa\/notes\.explore\.ts exports a `graph` that is not a StateGraph\./,
    hint: /new StateGraph\(/,
  },
  {
    what: "an agent and a graph in one file",
    files: exploration(
      'import { StateGraph } from "seqqa";\nexport const agent = 1;\nexport const graph = new StateGraph({ name: "g" });\n',
    ),
    says: /^error: .*qa\/notes\.explore\.ts exports both `agent` and `graph`, but a file can contain only one exploration\./,
    hint: /to another file/,
  },
  {
    what: "empty actions",
    files: exploration('import { Agent } from "seqqa";\n\nexport const agent = new Agent({ actions: [], invariants: [] });\n'),
    says: /^error: qa\/notes\.explore\.ts:3:22: The Agent has no actions\./,
    hint: /at least one Action/,
  },
  {
    what: "duplicate actions",
    files: exploration(notesExploration({ actions: 'new Action({ name: "clear", run: async () => null }),' })),
    says: /^error: qa\/notes\.explore\.ts:3:22: The Agent's actions\[0\] and actions\[2\] have the same name "clear"\./,
    hint: /a different name/,
  },
  {
    what: "--parallel 2 with a World in place of a factory",
    files: exploration(notesExploration({ more: "world: new World()," })),
    args: ["run", "qa", "--parallel", "2"],
    says: /^error: .*`parallel` is 2, but the Agent's world is a single World, which only one lane can use\./,
    hint: /world: \(lane\) => new World/,
  },
  {
    what: "an initial context value that cannot be cloned, at import",
    files: exploration(`${notesExploration()}new World({ context: { f: () => 1 } });\n`),
    says: /^error: qa\/notes\.explore\.ts:\d+:\d+: the file threw an error when seqqa imported it: TypeError: .*context key "f"/,
  },
  {
    what: "an import that is not there",
    files: exploration("import { nothing } from './nowhere.ts';\nexport const agent = nothing;\n"),
    says: /^error: qa\/notes\.explore\.ts:1:\d+: Could not resolve ".\/nowhere\.ts"/,
    hint: /Check the path/,
  },
  {
    what: "a name that seqqa does not export",
    files: exploration("import { Agnet } from 'seqqa';\nexport const agent = new Agnet({});\n"),
    says: /^error: qa\/notes\.explore\.ts:1:\d+: .*does not provide an export named 'Agnet'/,
    hint: /Check the name in the import/,
  },
  {
    what: "a throw at import",
    files: exploration(
      "interface Early { readonly a: 1 }\nconst early: Early = { a: 1 };\nthrow new RangeError(`much too early ${early.a}`);\n",
    ),
    says: /^error: qa\/notes\.explore\.ts:3:7: the file threw an error when seqqa imported it: RangeError: much too early 1/,
    hint: /runs when seqqa imports the file/,
  },
  {
    what: "an edge to a node that is not there",
    files: exploration(
      'import { StateGraph } from "seqqa";\n\nexport const graph = new StateGraph({ name: "g" })\n  .addNode("created", { initial: true })\n  .addEdge("created", "creatd", { action: async () => null });\n',
    ),
    says: /^error: qa\/notes\.explore\.ts:5:4: addEdge\("created", "creatd"\): there is no node "creatd"\./,
    hint: /Did you mean "created"\?/,
  },
  {
    what: "a graph without an initial node",
    files: exploration(
      'import { StateGraph } from "seqqa";\nexport const graph = new StateGraph({ name: "g" }).addNode("a").addEdge("a", "a", { action: async () => null });\n',
    ),
    says: /^error: qa\/notes\.explore\.ts: The StateGraph "g" has no initial node\./,
    hint: /addNode\("a", \{ initial: true \}\)/,
  },
  {
    what: "--parallel 2 on one base_url",
    files: { "qa/seqqa.yaml": "base_url: http://127.0.0.1:9\n" },
    args: ["run", "qa", "--parallel", "2"],
    says: /`parallel` is 2, but base_url gives only one running target/,
    hint: /target\.command/,
  },
  {
    what: "a command that is not there",
    files: { "qa/seqqa.yaml": "target:\n  command: no-such-command-anywhere\n" },
    says: /^error: .*no-such-command-anywhere.* exit code 127 before it was ready/,
    hint: /PATH/,
  },
];

describe("a mistake in usage or configuration ends with 2, and nothing is sent", () => {
  // In the quick suite unit/model/declare, unit/config/broken-files, process/loader, e2e/loader and process/targets have the others.
  it.concurrent.each(some(MISTAKES, 12))("$what", async ({ files = {}, args = ["run", "qa"], says, hint }) => {
    const cwd = folderWith({ ...GOOD, ...files });
    const ran = await seqqa(args, { cwd });
    expectOneSentence(ran, says, hint);
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 2, stdout: "" });
    expect(existsSync(join(cwd, "qa/started"))).toBe(false);
  });

  it("shows the stack of the user's own lines with --verbose", async () => {
    const files = exploration("const boom = (): never => {\n  throw new Error('early');\n};\nboom();\n");
    const { status, stderr } = await seqqa(["run", "qa", "--verbose"], { cwd: folderWith({ ...GOOD, ...files }) });
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: qa\/notes\.explore\.ts:2:9: /);
    expect(stderr).toMatch(/^\s+at /m);
  });
});

interface Thrown {
  readonly what: string;
  readonly args?: readonly string[];
  readonly parts: Parameters<typeof notesExploration>[0];
  readonly code: string;
  readonly message: RegExp;
  /** The user's own line and column; the exploration's third line holds the actions, its fourth the invariants. */
  readonly where?: RegExp;
}

const THROWN: readonly Thrown[] = [
  {
    what: "an action that throws",
    parts: { actions: 'new Action({ name: "throws", run: async () => { throw new RangeError("out of range"); } }),' },
    code: "ACTION_THREW",
    message: /^Action "throws" threw: RangeError: out of range$/,
    where: /notes\.explore\.ts:4:\d+/,
  },
  {
    what: "an action that leaves a rejection behind",
    parts: {
      actions:
        'new Action({ name: "strays", run: async (api) => { void Promise.reject(new Error("astray")); return api.get("/notes"); } }),',
    },
    code: "STRAY_REJECTION",
    message: /^A promise that action "strays" did not await was rejected: astray$/,
    where: /notes\.explore\.ts:4:\d+/,
  },
  ...[1, 2].map((lanes) => ({
    what: `an action whose timer throws, --parallel ${lanes}`,
    args: ["--parallel", `${lanes}`],
    parts: {
      actions:
        'new Action({ name: "ticks", run: async (api) => { await new Promise((done) => { setTimeout(() => { done(); throw new Error("tick"); }, 1); }); return api.get("/notes"); } }),',
    },
    code: "UNCAUGHT_EXCEPTION",
    message: /^Code that action "ticks" or an earlier action started and did not await threw an error: tick$/,
    where: /notes\.explore\.ts:4:\d+/,
  })),
  {
    what: "an invariant that throws",
    parts: { invariants: 'new Invariant({ name: "throws", check: () => { throw new Error("no such column"); } }),' },
    code: "INVARIANT_THREW",
    message: /^Invariant "throws" threw: no such column$/,
    where: /notes\.explore\.ts:8:\d+/,
  },
  {
    what: "an invariant that writes to the store through a connection of its own",
    parts: {
      top: `import Database from "better-sqlite3";`,
      more: "world: (lane) => new World({ context: { file: lane.dbPath }, stateFromContext: [] }),",
      invariants: `new Invariant({ name: "tidies", check: (world) => {
        const db = new Database(world.context["file"]);
        db.prepare("INSERT INTO notes (text) VALUES ('mine')").run();
        db.close();
        return true;
      } }),`,
    },
    code: "INVARIANT_WROTE",
    message: /^The check of invariant "tidies" changed a store.*may only read/,
  },
  {
    what: "an action that forgets to return",
    parts: { actions: 'new Action({ name: "forgets", run: (async (api: any) => { await api.get("/notes"); }) as any }),' },
    code: "ACTION_NO_RESPONSE",
    message:
      /^Action "forgets" returned nothing\. Return the response of its call, or null if the action cannot be called in this state\.$/,
  },
  {
    what: "an action that returns something else",
    parts: { actions: 'new Action({ name: "wrong", run: (async () => 42) as any }),' },
    code: "ACTION_NO_RESPONSE",
    message: /^Action "wrong" returned number 42\. Return the response/,
  },
  {
    what: "an action that reads an unset key",
    parts: { actions: 'new Action({ name: "reads", run: async (api, context) => api.get(`/notes/${context["note_id"]}`) }),' },
    code: "ACTION_THREW",
    message: /^Action "reads" threw: KeyError: .*note_id/,
    where: /notes\.explore\.ts:4:\d+/,
  },
  {
    what: "an action that requires an unset key",
    parts: {
      actions: 'new Action({ name: "requires", run: async (api, context) => api.get(`/notes/${context.getRequired("note_id")}`) }),',
    },
    code: "ACTION_THREW",
    message: /Required context key not found: note_id/,
    where: /notes\.explore\.ts:4:\d+/,
  },
  {
    what: "an action that sets a value that cannot be cloned",
    parts: {
      actions:
        'new Action({ name: "sets", run: async (api, context) => { const response = await api.get("/notes"); context.set("socket", () => 1); return response; } }),',
    },
    code: "ACTION_THREW",
    message: /^Action "sets" threw: TypeError: The value for context key "socket" is a function; store plain data/,
    where: /notes\.explore\.ts:4:\d+/,
  },
  {
    what: "an action that does not await a request",
    parts: {
      actions:
        'new Action({ name: "hurries", run: async (api) => { const answer = await api.get("/notes"); void api.post("/notes"); return answer; } }),',
    },
    code: "PENDING_REQUEST",
    message: /^Action "hurries" ended before its request was answered: POST \/notes\. Await every request/,
  },
  {
    what: "a precondition that throws",
    parts: { actions: 'new Action({ name: "asks", precondition: (context) => context["flag"], run: async () => null }),' },
    code: "PRECONDITION_THREW",
    message: /^The precondition of action "asks" threw an error: KeyError: .*flag/,
    where: /notes\.explore\.ts:4:\d+/,
  },
  {
    what: "a skipped action that changed the store",
    parts: { actions: 'new Action({ name: "half", run: async (api) => { await api.post("/notes"); return null; } }),' },
    code: "SKIP_CHANGED_STATE",
    message: /^Action "half" returned null \(skipped\), but it had already changed the state/,
  },
  {
    what: "an invariant that returns a non-boolean",
    parts: { invariants: 'new Invariant({ name: "counts", check: (() => 1) as any }),' },
    code: "INVARIANT_NOT_BOOLEAN",
    message: /^The check of invariant "counts" returned number 1, but must return true, false, or \{ ok, actual, expected \}\.$/,
  },
  {
    what: "an invariant that returns nothing",
    parts: { invariants: 'new Invariant({ name: "mute", check: (async () => {}) as any }),' },
    code: "INVARIANT_NOT_BOOLEAN",
    message: /^The check of invariant "mute" returned nothing, but must return true, false, or \{ ok, actual, expected \}\.$/,
  },
  {
    what: "an invariant that writes to the context",
    parts: { invariants: 'new Invariant({ name: "notes_it", check: (world) => { world.context["seen"] = true; return true; } }),' },
    code: "INVARIANT_WROTE",
    message: /^The check of invariant "notes_it" changed the context.*may only read/,
  },
  {
    what: "an invariant that writes through the API",
    parts: { invariants: 'new Invariant({ name: "posts", check: async (world) => { await world.api.post("/notes"); return true; } }),' },
    code: "INVARIANT_WROTE",
    message: /^The check of invariant "posts" changed a store.*may only read/,
  },
];

describe("user code that fails on the way ends with 3, and the rest is explored", () => {
  // In the quick suite unit/lane/actions, unit/lane/invariants and e2e/pending have the others.
  it.concurrent.each(some(THROWN, 4))("$what", async ({ parts, args = [], code, message, where }) => {
    const cwd = folderWith({ ...GOOD, ...exploration(notesExploration(parts)) });
    linkPackages(cwd, "better-sqlite3");
    const ran = await seqqa(["run", "qa", "--output", "out", ...args], { cwd });
    expect({ status: ran.status, stderr: ran.stderr.replace(/^(?:note: |notes {2}).*\n/gm, "") }).toEqual({ status: 3, stderr: "" });
    const document = writtenIn(join(cwd, "out"));
    const { errors, violations, divergences, statesVisited, stopReason } = only(document);
    expect({ exitStatus: document.exitStatus, violations, divergences, statesVisited, stopReason }).toEqual({
      exitStatus: 3,
      violations: [],
      divergences: [],
      statesVisited: NOTES_COUNTS.statesVisited,
      stopReason: "exhausted",
    });
    expect(errors.map((error) => error.code)).toEqual([code]);
    expect(errors[0]!.message).toMatch(message);
    // In the words of the console: what, in which action or rule, on which path, and the user's own line.
    expect(ran.stdout).toContain(errors[0]!.message);
    expect(ran.stdout).toMatch(new RegExp(`^Error in ${errors[0]!.source} \\(${code}`, "m"));
    expect(ran.stdout).not.toMatch(/^\s+at /m);
    if (where !== undefined) {
      expect(/^ {2}where +(.*)$/m.exec(ran.stdout)?.[1]).toMatch(where);
      expect(errors[0]!.where).toMatch(where);
    }
  });
});

it("what a timer throws without a line of the user's is no step's: it ends the run with 3, as a defect of seqqa's own", async () => {
  const foreign = 'setTimeout(() => { done(); throw Object.assign(new Error("foreign"), { stack: "Error: foreign" }); }, 1);';
  const actions = `new Action({ name: "ticks", run: async (api) => { await new Promise((done) => { ${foreign} }); return api.get("/notes"); } }),`;
  const cwd = folderWith({ ...GOOD, ...exploration(notesExploration({ actions })) });
  const { status, stderr } = await seqqaProcess(["run", "qa", "--output", "out", "--parallel", "1"], { cwd });
  expect(status).toBe(3);
  expect(stderr).toMatch(/^error: seqqa itself failed: foreign/m);
});

it("what a file throws at its top level, outside of every step, is named as the user's error, not as a defect of seqqa", async () => {
  const cwd = folderWith({
    ...GOOD,
    "qa/notes.explore.ts": `${notesExploration({ actions: "" })}\nsetTimeout(() => { throw new Error("my timer"); }, 1);\n`,
  });
  const { status, stderr } = await seqqaProcess(["run", "qa", "--output", "out"], { cwd });
  expect(status).toBe(3);
  expect(stderr).toMatch(
    /^error: qa\/notes\.explore\.ts:12:\d+: Your code threw an error outside of every call that seqqa awaits: my timer\nhint: Await/m,
  );
});

it("what target.module throws when it is loaded is named with its place", async () => {
  const cwd = folderWith({
    "seqqa.yaml": "target:\n  module: ./app.ts\n",
    "app.ts": "const settings: { db?: { url: string } } = {};\n\nconsole.log(settings.db!.url);\n",
    "qa/notes.explore.ts": notesExploration({ actions: "" }),
  });
  linkPackages(cwd, "seqqa");
  const { status, stderr } = await seqqa(["run", "qa", "--output", "out", "--parallel", "1"], { cwd });
  expect(stderr).toMatch(
    /^error: app\.ts:3:\d+: The module of target\.module threw an error when seqqa loaded it: Cannot read properties/m,
  );
  expect(status).toBe(3);
});

/** Listens on a free port until the test is over. */
async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A run that could not begin: still one sentence, exit 3, and a document that says why. */
async function fails(files: Readonly<Record<string, string>>, says: RegExp, hint: RegExp, args: readonly string[] = []): Promise<Ran> {
  const cwd = folderWith({ ...GOOD, ...files });
  const ran = await seqqa(["run", "qa", "--output", "out", ...args], { cwd });
  expectOneSentence(ran, says, hint);
  expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 3, stdout: "" });
  const { explorations, failures, exitStatus } = writtenIn(join(cwd, "out"));
  expect({ explorations, exitStatus, failures: failures?.length }).toEqual({ explorations: [], exitStatus: 3, failures: 1 });
  return ran;
}

const target = (command: string, more = ""): Readonly<Record<string, string>> => ({
  "qa/seqqa.yaml": `target:\n  command: ${JSON.stringify(command)}\n${more}`,
});

describe("a target that is not what it should be ends with 3", () => {
  it("refuses connections", async () => {
    const port = await closedPort();
    await fails(
      { "qa/seqqa.yaml": `base_url: http://127.0.0.1:${port}\n` },
      new RegExp(`^error: Connection refused: the target at http://127\\.0\\.0\\.1:${port} gave no answer\\.$`, "m"),
      /Check that the target runs/,
    );
  });

  it("has an unknown host", async () => {
    await fails(
      { "qa/seqqa.yaml": "base_url: http://nowhere.invalid:3000\n" },
      /^error: Unknown host: .*http:\/\/nowhere\.invalid:3000/,
      /host name/,
    );
  });

  it("dies at start, with what it printed", async () => {
    await fails(
      target("node die.mjs"),
      /"node die\.mjs", ended with exit code \d+ before it was ready\. Its last output:\n(?: {2}\| .*\n)*? {2}\| .*die\.mjs/,
      /by hand/,
    );
  });

  it("dies at start on every lane", async () => {
    await fails(
      target("echo out of memory; exit 4"),
      /ended with exit code 4 before it was ready\. Its last output:\n {2}\| out of memory\n$/,
      /by hand/,
      ["--parallel", "2"],
    );
  });

  it("never gets ready", async () => {
    await fails(
      target("echo starting; sleep 100", "  ready_timeout: 0.5\n"),
      /gave no HTTP answer on http:.* within 0\.5 s\. Its last output:\n {2}\| starting/,
      /ready_timeout/,
    );
  });

  it("answers garbage", async () => {
    const garbage = `import { createServer } from "node:net"; createServer((s) => s.on("error", () => {}).end("\\u0001 garbage\\r\\n\\r\\n")).listen(Number(process.env.PORT), "127.0.0.1");`;
    await fails(
      { ...target("node garbage.mjs"), "qa/garbage.mjs": garbage },
      /^error: The program that listens on http:\/\/127\.0\.0\.1:\d+\/ does not answer in HTTP\./,
      /speaks http/,
    );
  });

  it("wants a fixed port that is busy", async () => {
    const port = await listening(createServer((_, response) => response.end()));
    await fails(
      target(`PORT=${port} node server.mjs`, `  ready: http://127.0.0.1:${port}/\n`),
      new RegExp(`^error: The target .* cannot listen on its port, because another process uses port ${port}\\.$`, "m"),
      /\{port\}/,
    );
  });

  it.each([
    ["is no database", "qa/store.db", "this is no database\n".repeat(100), /qa\/store\.db is not a SQLite database\.$/m],
    ["is not there", "qa/other.db", "", /qa\/store\.db/],
  ])("has a store that %s: a mistake in the configuration", async (_, file, text, says) => {
    const port = await listening(createServer((__, response) => response.end("{}")));
    const cwd = folderWith({ ...GOOD, "qa/seqqa.yaml": `base_url: http://127.0.0.1:${port}\ndb_url: sqlite:store.db\n`, [file]: text });
    const ran = await seqqa(["run", "qa"], { cwd, env: { SEQQA_ALLOW_DB: "store.db" } });
    expectOneSentence(ran, says, /path/i);
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 2, stdout: "" });
    expect(existsSync(join(cwd, "qa/store.db"))).toBe(file === "qa/store.db");
  });

  it("has a store that cannot be written", async () => {
    const port = await listening(createServer((_, response) => response.end("{}")));
    const cwd = folderWith({ ...GOOD, "qa/make.mjs": NOTES_SERVER });
    // A read-only file does not stop root, whom containers run as; one that another connection holds locked stops anybody.
    const { default: Database } = await import("better-sqlite3");
    const db = new Database(join(cwd, "qa/store.db"));
    db.exec("CREATE TABLE notes (id INTEGER PRIMARY KEY); BEGIN IMMEDIATE");
    atEnd(() => void db.close());
    writeFileSync(join(cwd, "qa/seqqa.yaml"), `base_url: http://127.0.0.1:${port}\ndb_url: sqlite:store.db\n`);
    const ran = await seqqa(["run", "qa", "--output", "out", "--allow-db", "store.db"], { cwd });
    expectOneSentence(ran, /store\.db/, /\S/);
    expect({ status: ran.status, stdout: ran.stdout }).toEqual({ status: 3, stdout: "" });
  });

  it("gives two lanes another root state each", async () => {
    const random = NOTES_SERVER.replace(
      "createServer((",
      "db.exec(`INSERT INTO notes (text) VALUES ('${\"lane \" + process.env.LANE}')`);\ncreateServer((",
    );
    const files = { "qa/server.mjs": random, "qa/seqqa.yaml": `${WATCHED_CONFIG}    LANE: "{lane}"\n` };
    await fails(files, /^error: The root state of lane 1 differs from that of lane 0: .*lane [01]/, /ignore/, ["--parallel", "2"]);
  });
});
