import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { size, some } from "../sizes.ts";
import { folderWith, linkPackages, startNode } from "../support/e2e.ts";

const AGENT = `
import { Action, Agent, Invariant, World } from "seqqa";
import { MockClient } from "seqqa/mocking";
export const agent = new Agent({
  name: "mock",
  world: () => {
    const api = new MockClient();
    api.whenPost("/a").respond({});
    return new World({ api });
  },
  actions: [
    new Action({
      name: "add",
      run: async (api, context) => {
        const response = await api.post("/a");
        const n = context.get("n") ?? 0;
        if (n === 3) throw new Error("too many");
        context.set("n", n + 1);
        return response;
      },
    }),
  ],
  invariants: [new Invariant({ name: "two_at_most", check: (world) => (world.context.get("n") ?? 0) < 3 })],
});
`;

/** Explores, and prints how many bytes of heap each of the later explorations leaves behind. */
const MEASURE = `
import { agent } from "./mock.explore.mjs";
const options = JSON.parse(process.argv[2]);
const [warm, measured] = [Number(process.argv[3]), Number(process.argv[4])];
if (options.module) options.module = new URL("./mock.explore.mjs", import.meta.url).href;
const explore = async (times) => {
  for (let i = 0; i < times; i++) {
    const { violations } = await agent.explore(options);
    if (violations.length !== 1) throw new Error("another result");
  }
};
const used = async () => {
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    gc();
  }
  return process.memoryUsage().heapUsed;
};
await explore(warm);
const before = await used();
await explore(measured);
console.log(Math.round(((await used()) - before) / measured));
`;

describe("agent.explore(), many times in one process", () => {
  // It was 16 to 27 KB for each with a module: copies of the module, which Node keeps until the process ends. Compiled code is left, about 3 KB for each;
  // with few explorations the measurement varies by 3 KB.
  const ways: readonly (readonly [string, object, number, number, number])[] = [
    ["in this thread, of a module", { module: true }, size(40, 100), size(30, 200), size(9000, 5000)],
    ["in this thread", {}, 150, 200, 4000],
  ];
  it.each(some(ways, 1))("%s leaves next to nothing behind", { timeout: 300_000 }, async (_what, options, warm, measured, most) => {
    const folder = folderWith({ "package.json": '{ "type": "module" }' });
    linkPackages(folder, "seqqa");
    writeFileSync(join(folder, "mock.explore.mjs"), AGENT);
    writeFileSync(join(folder, "measure.mjs"), MEASURE);
    const args = ["--expose-gc", "measure.mjs", JSON.stringify(options), String(warm), String(measured)];
    const { status, stdout, stderr } = await startNode(args, { cwd: folder }).ended;
    expect([status, stderr]).toEqual([0, ""]);
    expect(Number(stdout.trim())).toBeLessThan(most);
  });
});
