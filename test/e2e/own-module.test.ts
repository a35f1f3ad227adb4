import { describe, expect, it } from "vitest";
import { folderWith, linkPackages, startNode } from "../support/e2e.ts";

const agent = `import { Action, Agent, World } from "seqqa";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { ApiResponse } from "seqqa/adapters/http";
export const agent = new Agent({
  name: "counter",
  world: () => { const db = new MemoryAdapter({ state: { n: 0 } }); return new World({ api: db, systems: { db } }); },
  actions: [new Action({ name: "inc", run: async (db) => { if (db.state.n > 3) return null; db.state.n++; return ApiResponse.of(200); } })],
  invariants: [],
});
`;

function folder(files: Readonly<Record<string, string>>): string {
  const made = folderWith(files);
  linkPackages(made, "seqqa");
  return made;
}

describe("an agent that is explored by a script", () => {
  it("on several lanes, from another file", async () => {
    const script = `import { agent } from "./counter.explore.mjs";
const result = await agent.explore({ parallel: 2, module: new URL("./counter.explore.mjs", import.meta.url).href });
console.log(result.statesVisited, result.stopReason);`;
    const ran = await startNode(["script.mjs"], { cwd: folder({ "counter.explore.mjs": agent, "script.mjs": script }) }).ended;
    expect(ran).toMatchObject({ status: 0, stdout: "5 exhausted\n" });
  });

  it("at the top level of its own module: says why that cannot be, instead of starting itself again and again", async () => {
    const own = `${agent}await agent.explore({ parallel: 2, module: import.meta.url });`;
    const ran = await startNode(["counter.explore.mjs"], { cwd: folder({ "counter.explore.mjs": own }) }).ended;
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/counter\.explore\.mjs.*explore\(\) was called by a module that is being loaded/);
    expect(ran.stderr).toMatch(/another file that imports the agent/);
  });
});
