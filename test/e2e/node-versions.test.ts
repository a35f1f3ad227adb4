import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, expect, it } from "vitest";
import { full } from "../sizes.ts";
import { emptyFolder, type Document } from "../support/e2e.ts";
import { packed } from "../support/packed.ts";

const JAVASCRIPT = `
import { Action, Agent, Invariant, World } from "seqqa";
import { MockClient } from "seqqa/mocking";
const api = new MockClient();
api.whenPost("/items").respond({ id: 1 });
export const agent = new Agent({
  name: "items",
  world: () => new World({ api }),
  actions: [new Action({ name: "add", run: (api, context) => { context.set("n", (context.get("n") ?? 0) + 1); return api.post("/items"); } })],
  invariants: [new Invariant({ name: "two_at_most", check: (world) => (world.context.get("n") ?? 0) < 3 })],
});
`;

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Installs the packed package with a version of Node from npm, and returns a function that runs seqqa's command with this Node. */
function installed(version: string): { readonly cwd: string; readonly seqqa: (cwd: string, ...args: readonly string[]) => Ran } {
  const tools = emptyFolder();
  const name = `node-${process.platform}-${process.arch}`;
  execFileSync("npm", ["install", "--prefix", tools, "--ignore-scripts", "--no-audit", "--no-fund", `${name}@${version}`]);
  const node = join(tools, "node_modules", name);
  // The headers are for drivers that are compiled when they are installed.
  const env = { ...process.env, PATH: `${join(node, "bin")}${delimiter}${process.env["PATH"]}`, npm_config_nodedir: node };
  const cwd = emptyFolder();
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ private: true, type: "module" }));
  execFileSync("npm", ["install", "--save-dev", "--no-audit", "--no-fund", packed()], { cwd, env });
  return { cwd, seqqa: (folder, ...args) => spawnSync("npx", ["seqqa", ...args], { cwd: folder, env, encoding: "utf8" }) };
}

describe.runIf(full)("the packed package, installed by npm in an empty project", () => {
  it.each(["20", "22", "24", "26"])("runs on Node %s, in TypeScript and in JavaScript, on several lanes", (version) => {
    const { cwd, seqqa } = installed(version);
    expect(seqqa(cwd, "--version").stdout).toMatch(/^\d+\.\d+\.\d+$/m);
    expect(seqqa(cwd, "demo")).toMatchObject({ status: 0, stderr: expect.not.stringContaining("Warning") });
    expect(seqqa(cwd, "init", "shop")).toMatchObject({ status: 0 });
    const shop = join(cwd, "shop");
    for (const lanes of ["1", "2"]) {
      const { status, stdout, stderr } = seqqa(shop, "run", ".", "--races", "--parallel", lanes, "--reporter", "json");
      expect(status, stderr).toBe(1);
      const { explorations } = JSON.parse(stdout) as Document;
      expect(explorations.map(({ violations }) => violations.map(({ invariant }) => invariant))).toEqual([["no_lamp_out_of_nothing"]]);
    }
    const { violations } = (JSON.parse(readFileSync(join(shop, "reports/results.json"), "utf8")) as Document).explorations[0]!;
    expect(seqqa(shop, "replay", violations[0]!.id).status).toBe(1);
    mkdirSync(join(cwd, "items"));
    writeFileSync(join(cwd, "items/items.explore.js"), JAVASCRIPT);
    const { status, stderr } = seqqa(cwd, "run", "items", "--parallel", "2");
    expect([status, stderr]).toEqual([1, expect.not.stringContaining("Warning")]);
  });
});
