import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { folderWith, linkPackages, root, startNode } from "../support/e2e.ts";

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
  // In the quick suite e2e/loader explores on two lanes from a program.
  it.runIf(full)("on several lanes, from another file", async () => {
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
    expect(ran.stderr).toMatch(/counter\.explore\.mjs.*A module calls explore\(\) at its top level/);
    expect(ran.stderr).toMatch(/another file that imports the Agent/);
  });
});

describe("a driver that is not installed", () => {
  const drivers: readonly (readonly [url: string, hint: string])[] = [
    ["mysql://127.0.0.1:1/a_test", "npm install --save-dev mysql2"],
    ["postgresql://127.0.0.1:1/a_test", "npm install --save-dev pg"],
    ["redis://127.0.0.1:1/0", "npm install --save-dev ioredis"],
  ];
  it.each(some(drivers, 1))("%s: says what to install, and ends with 2", async (url, hint) => {
    const missing = `import { register } from "node:module";
register("data:text/javascript," + encodeURIComponent(\`export async function resolve(name, context, next) {
  if (/^(pg|mysql2|ioredis)(\\\\/|$)/.test(name)) throw Object.assign(new Error("Cannot find package " + name), { code: "ERR_MODULE_NOT_FOUND" });
  return next(name, context);
}\`));
`;
    const cwd = folder({
      "seqqa.yaml": `db_url: ${url}\ntarget: { command: "node x.mjs", env: { PORT: "{port}" } }\n`,
      "a.explore.mjs": agent,
      "missing.mjs": missing,
    });
    const ran = await startNode(["--import", "./missing.mjs", join(root, "bin/seqqa.js"), "run", "."], { cwd }).ended;
    expect(ran.stderr).toContain(hint);
    expect(ran.status).toBe(2);
  });
});
