import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, laneCounts } from "../sizes.ts";
import { documentOf, folderWith, linkPackages, only, root, seqqa, startNode } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_COUNTS, NOTES_SERVER, notesExploration } from "../support/e2e-servers.ts";

const NOTES = { "qa/seqqa.yaml": NOTES_CONFIG, "qa/server.mjs": NOTES_SERVER };

/** An exploration that imports what users import: all of it is used when it runs. */
const EVERYTHING = `import { Action, Agent, Invariant, World, type ApiClient } from "seqqa";
import { ApiResponse, HttpClient } from "seqqa/adapters/http";
import { SqliteAdapter } from "seqqa/adapters/sqlite";
import Database from "better-sqlite3";
import settings from "./settings.json" with { type: "json" };
import { describeNote } from "@app/notes";
import old, { verbs } from "old-package";

enum Verb { Add = "POST", Clear = "DELETE" }
if (describeNote(1) !== "note 1" || settings.limit !== 2 || old.verbs.length !== 2 || verbs[0] !== "add") throw new Error("wrong imports");
if (new Database(":memory:").prepare("SELECT 1 + 1").pluck().get() !== 2) throw new Error("no native package");

const call = (name: string, verb: Verb): Action => new Action({
  name,
  run: async (api: ApiClient) => {
    if (!(api instanceof HttpClient)) throw new Error("another copy of HttpClient");
    const response = await api.request(verb, "/notes");
    if (!(response instanceof ApiResponse)) throw new Error("another copy of ApiResponse");
    return response;
  },
});

export const agent: Agent = new Agent({
  world: (lane) => {
    if (!(lane.systems["db"] instanceof SqliteAdapter)) throw new Error("another copy of SqliteAdapter");
    return new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems });
  },
  actions: [call("add", Verb.Add), call("clear", Verb.Clear)],
  invariants: [new Invariant({
    name: "within_limit",
    check: (world) => (world.systems["db"] as SqliteAdapter).query("SELECT * FROM notes").length <= settings.limit,
  })],
});
`;

const PACKAGES = {
  "qa/all.explore.ts": EVERYTHING,
  "qa/settings.json": '{ "limit": 2 }',
  "tsconfig.json": '{\n  // as editors write it\n  "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["lib/*"] } },\n}\n',
  "lib/notes.ts": "export const describeNote = (id: number): string => `note ${id}`;\n",
  "node_modules/old-package/package.json": '{ "name": "old-package", "version": "1.0.0", "main": "main.js" }',
  "node_modules/old-package/main.js": 'const path = require("node:path"); exports.verbs = ["add", path.basename("/x/clear")];\n',
};

describe("what an exploration may import", () => {
  it.each(full ? laneCounts : ["2"])(
    "paths, JSON, CommonJS, a native package and one copy of seqqa, with --parallel %s",
    async (parallel) => {
      const cwd = folderWith({ ...NOTES, ...PACKAGES });
      linkPackages(cwd, "better-sqlite3");
      const ran = await seqqa(["run", "qa", "--parallel", parallel, "--reporter", "json", "--output", "out"], { cwd });
      expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
      expect(only(documentOf(ran))).toMatchObject({
        name: "all",
        file: "qa/all.explore.ts",
        ...NOTES_COUNTS,
        errors: [],
        stopReason: "exhausted",
      });
    },
  );

  // Many tests of e2e explore in JavaScript, such as clock-in-process.
  it.runIf(full)("explorations in JavaScript", async () => {
    const cwd = folderWith({ ...NOTES, "qa/plain.explore.mjs": notesExploration() });
    const ran = await seqqa(["run", "qa", "--reporter", "json", "--output", "out"], { cwd });
    expect(ran.status).toBe(0);
    expect(only(documentOf(ran))).toMatchObject({ name: "plain", ...NOTES_COUNTS });
  });
});

describe("where something was thrown", () => {
  const THROWING = {
    ...NOTES,
    "qa/notes.explore.ts": notesExploration({
      top: 'import { fails } from "./lib/fails.ts";',
      actions: 'new Action({ name: "fails", run: async () => fails<number>(7) }),',
    }),
    "qa/lib/fails.ts": `interface Shape<T> {
  readonly value: T;
}

export function fails<T>(value: T): never {
  const shape: Shape<T> = { value };
  throw new Error(\`failed with \${String(shape.value)}\`);
}
`,
  };

  it.each(laneCounts)("is the user's own line, with --parallel %s", async (parallel) => {
    const ran = await seqqa(["run", "qa", "--parallel", parallel, "--output", "out"], { cwd: folderWith(THROWING) });
    expect(ran.status).toBe(3);
    expect(ran.stdout).toContain('Action "fails" threw: failed with 7');
    expect(ran.stdout).toMatch(/^ {2}where +.*qa\/lib\/fails\.ts:7:9$/m);
  });

  it("shows all of the user's own frames, and none of seqqa's, with --verbose", async () => {
    const ran = await seqqa(["run", "qa", "--verbose", "--output", "out"], { cwd: folderWith(THROWING) });
    const frames = ran.stdout.match(/^\s+at .*$/gm) ?? [];
    expect(frames.map((frame) => /[\w.-]+\.ts:\d+/.exec(frame)?.[0])).toEqual(["fails.ts:7", "notes.explore.ts:4"]);
  });
});

describe("agent.explore() from a Node program", () => {
  const PROGRAM = {
    ...NOTES,
    "package.json": '{ "type": "module" }',
    "agent.mjs": `${notesExploration({ more: "world: (lane) => new World({ systems: lane.systems })," })}
export const moduleUrl = import.meta.url;
`,
    "main.mjs": `import { World } from "seqqa";
import { agent, moduleUrl } from "./agent.mjs";

const seen = [];
const options = { config: "qa/seqqa.yaml", onEvent: (event) => seen.push(event.kind) };
const one = await agent.explore(options);
const two = await agent.explore({ ...options, parallel: 2, module: moduleUrl });
const refused = await agent.explore({ ...options, parallel: 2 }).catch((error) => ({ code: error.code, exitStatus: error.exitStatus }));
console.log(JSON.stringify({
  states: [one.statesVisited, two.statesVisited],
  transitions: [one.transitions, two.transitions],
  equal: one.digest === two.digest,
  events: [...new Set(seen)].includes("finished"),
  refused,
  path: one.graph.path(2),
}));
`,
  };

  it("explores on one lane and on two, and refuses lanes without a module", async () => {
    const cwd = folderWith(PROGRAM);
    linkPackages(cwd, "seqqa");
    const ran = await startNode(["main.mjs"], { cwd }).ended;
    expect({ status: ran.status, stderr: ran.stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(ran.stdout)).toEqual({
      states: [3, 3],
      transitions: [6, 6],
      equal: true,
      events: true,
      refused: { code: "LANES_NEED_MODULE", exitStatus: 2 },
      path: ["add", "add"],
    });
  });

  it("can be given import.meta.url of the very program", async () => {
    const program = `${notesExploration({ more: "world: (lane) => new World({ systems: lane.systems })," })}
// Only where it is the program: lanes import it as well, and so does the run itself.
if (process.argv[1] === import.meta.filename && globalThis.exploring === undefined) {
  globalThis.exploring = true;
  const { isMainThread } = await import("node:worker_threads");
  if (isMainThread) {
    const result = await agent.explore({ parallel: 2, module: import.meta.url, config: "qa/seqqa.yaml" });
    console.log(result.statesVisited, result.transitions, result.stopReason);
  }
}
`;
    const cwd = folderWith({ ...NOTES, "package.json": '{ "type": "module" }', "explore.mjs": program });
    linkPackages(cwd, "seqqa");
    const ran = await startNode(["explore.mjs"], { cwd }).ended;
    expect({ status: ran.status, stdout: ran.stdout, stderr: ran.stderr }).toEqual({ status: 0, stdout: "3 6 exhausted\n", stderr: "" });
  });
});

it("a bundler that cannot start is one error, although it is started before the exploration is known", async () => {
  const cwd = folderWith({ ...NOTES, "qa/notes.explore.ts": notesExploration() });
  const { status, stderr } = await startNode([join(root, "bin/seqqa.js"), "run", "qa"], {
    cwd,
    // This program ends at once.
    env: { ESBUILD_BINARY_PATH: "/bin/false" },
  }).ended;
  expect(status).toBe(3);
  expect(stderr.match(/error:/g)).toHaveLength(1);
  expect(stderr).toContain("The service");
});
