import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { full } from "../sizes.ts";
import { startNode, type Ran } from "../support/e2e.ts";
import { NOTES_CONFIG, NOTES_SERVER } from "../support/e2e-servers.ts";
import { folderWithPacked } from "../support/packed.ts";

/** What is explored, in the test file itself, in TypeScript or, without its types, in JavaScript. */
const DECLARED = `import { Action, Agent, Invariant, Journey, StateGraph, Step, World } from "seqqa";
import { ApiResponse } from "seqqa/adapters/http";
import { MemoryAdapter } from "seqqa/adapters/memory";

interface Notes { added: number }

export const agent/*: Agent<Notes>*/ = new Agent/*<Notes>*/({
  name: "notes",
  actions: [
    new Action/*<Notes>*/({ name: "add", run: async (api) => api.post("/notes") }),
    new Action/*<Notes>*/({ name: "clear", run: async (api) => api.delete("/notes") }),
  ],
  invariants: [new Invariant/*<Notes>*/({ name: "one_at_most", check: async (world) => (await world.api.get("/notes")).json/*<unknown[]>*/().length < 2 })],
});

export const graph/*: StateGraph*/ = new StateGraph({ name: "none or some" })
  .addNode("none", { initial: true })
  .addNode("some")
  .addEdge("none", "some", { action: async (client) => client.post("/notes") })
  .addEdge("some", "none", { action: async (client) => client.delete("/notes") });

interface Counter { state: { n: number } }

export const counter/*: Agent<Notes, Counter>*/ = new Agent/*<Notes, Counter>*/({
  name: "counter",
  world: () => {
    const db = new MemoryAdapter({ state: { n: 0 } });
    return new World({ api: db, systems: { db } });
  },
  actions: [
    new Action/*<Notes, Counter>*/({ name: "inc", run: async (db) => (db.state.n > 3 ? null : ApiResponse.of(200, { n: ++db.state.n })) }),
  ],
  invariants: [],
});

const api = { ping: async () => ApiResponse.of(200, { pong: true }) };
export const journey = new Journey/*<Notes, typeof api>*/({
  name: "ping",
  client: api,
  steps: [new Step({ name: "ping", action: async (client/*: typeof api*/) => client.ping() })],
});
`;
const typescript = DECLARED.replaceAll(/\/\*(.*?)\*\//g, "$1");
const javascript = DECLARED.replaceAll(/^interface .*\n/gm, "");

/** Equal in both runners but for how they compare. */
const tests = (equal: (actual: string, expected: string) => string): string => `
describe("the notes", () => {
  it("have a counter, which is explored on two lanes", async () => {
    const result = await counter.explore({ parallel: 2, module: import.meta.url });
    ${equal("[result.statesVisited, result.stopReason, result.errors]", '[5, "exhausted", []]')}
  });
  it("are explored on two lanes", async () => {
    const result = await agent.explore({ parallel: 2, module: import.meta.url, config: "qa/seqqa.yaml" });
    ${equal("[result.statesVisited, result.stopReason, result.errors.length]", '[3, "exhausted", 0]')}
    ${equal("result.violations.map((violation) => violation.reproductionPath)", 'process.env.WRONG ? [] : [["add", "add"]]')}
  });
  it("have a graph", async () => {
    const result = await graph.explore(undefined, { parallel: 2, module: import.meta.url, config: "qa/seqqa.yaml" });
    ${equal("[result.stopReason, result.unreachedNodes, result.deadEdges, result.violations]", '["exhausted", [], [], []]')}
  });
  it("have a journey", async () => {
    const { status, steps } = await journey.run();
    ${equal("[status, steps.map((step) => step.status)]", '["passed", ["passed"]]')}
  });
});
`;
const forVitest = `import { describe, expect, it } from "vitest";
${typescript}${tests((actual, expected) => `expect(${actual}).toEqual(${expected});`)}`;
const forVitestGlobals = `${typescript}${tests((actual, expected) => `expect(${actual}).toEqual(${expected});`)}`;
const forNode = `import assert from "node:assert/strict";
import test, { describe, it } from "node:test";
${javascript}${tests((actual, expected) => `assert.deepEqual(${actual}, ${expected});`)}
test("only once: this file is imported by every lane, and its tests are not run there", async () => {
  console.log("ran in " + process.pid);
});
`;

/** By name: the one that a wrong expectation fails, and one more. */
const TWO = "are explored on two lanes|have a journey";

let packed = "";
beforeAll(() => {
  packed = folderWithPacked("vitest");
  writeFileSync(join(packed, "package.json"), '{ "type": "module" }');
});

function folder(name: string, file: string, text: string): string {
  const made = join(packed, name);
  mkdirSync(join(made, "qa"), { recursive: true });
  writeFileSync(join(made, "qa/seqqa.yaml"), NOTES_CONFIG);
  writeFileSync(join(made, "qa/server.mjs"), NOTES_SERVER);
  writeFileSync(join(made, file), text);
  return made;
}

const vitest = (cwd: string, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}): Promise<Ran> =>
  startNode([join(packed, "node_modules/vitest/vitest.mjs"), "run", "--root", ".", "--testTimeout", "60000", ...args], {
    cwd,
    env: { NO_COLOR: "1", ...env },
  }).ended;

describe("agent.explore({ parallel: 2, module: import.meta.url }), graph.explore and journey.run in a file of tests", () => {
  it.runIf(full)("of vitest, in TypeScript", async () => {
    const { status, stdout, stderr } = await vitest(folder("vitest-file", "notes.test.ts", forVitest));
    expect(stdout + stderr).toMatch(/Tests\s+4 passed \(4\)/);
    expect(stdout + stderr).not.toMatch(/Unhandled|close timed out|hanging/);
    expect(status).toBe(0);
  });

  it.runIf(full)("of vitest with global functions, in threads, where a wrong expectation fails, and the other tests pass", async () => {
    const cwd = folder("vitest-wrong", "notes.test.ts", forVitestGlobals);
    const { status, stdout, stderr } = await vitest(cwd, ["--globals", "--pool", "threads"], { WRONG: "1" });
    expect(stdout + stderr).toMatch(/Tests\s+1 failed \| 3 passed \(4\)/);
    expect(stdout + stderr).not.toMatch(/Unhandled|close timed out|hanging/);
    expect(status).toBe(1);
  });

  // In the quick suite e2e/state-graph explores a graph on several lanes.
  it("of node:test, which ends by itself: nothing is left that would keep it", async () => {
    const chosen = full ? [] : ["--test-name-pattern", `${TWO}|only once`];
    const cwd = folder("node-file", "notes.test.mjs", forNode);
    const { status, stdout } = await startNode(["--test", "--test-reporter=tap", ...chosen], { cwd }).ended;
    expect(stdout).toMatch(full ? /^# pass 5$/m : /^# pass 3$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
    expect(stdout.match(/ran in \d+/g)).toHaveLength(1);
    expect(status).toBe(0);
  });

  it.runIf(full)("of node:test, where a wrong expectation fails, and another test passes", async () => {
    const cwd = folder("node-wrong", "notes.test.mjs", forNode);
    const { status, stdout } = await startNode(["--test", "--test-reporter=tap", "--test-name-pattern", TWO], { cwd, env: { WRONG: "1" } })
      .ended;
    expect(stdout).toMatch(/^# pass 1$/m);
    expect(stdout).toMatch(/^# fail 1$/m);
    expect(status).toBe(1);
  });
});
