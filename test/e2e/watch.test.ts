import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { full } from "../sizes.ts";
import { folderWith, linkPackages, root, seqqa, start, until } from "../support/e2e.ts";

const shop = join(root, "fixtures/demo");
const text = (name: string): string => readFileSync(join(shop, name), "utf8");
const FIXED = ['order.paid === 1 && order.status !== "cancelled"', 'order.status === "paid"'] as const;
const OTHER = `import { Action, Agent, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
export const agent = new Agent({
  name: "other",
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems }),
  actions: [new Action({ name: "look", run: (api) => api.get("/orders/1"), expectedStatus: [404] })],
  invariants: [],
});
`;

it("runs again what a change affects, keeps the other results, also for the next time, and ends with the last status", async () => {
  const config = text("seqqa.yaml").replace("races: pairs", "races: off");
  const cwd = folderWith({
    "api/server.mjs": text("server.mjs"),
    "seqqa.yaml": config.replace("command: node server.mjs", "command: node server.mjs\n  cwd: ./api"),
    "shop.explore.mjs": text("shop.explore.mjs"),
    "other.explore.mjs": OTHER,
  });
  linkPackages(cwd, "seqqa", "better-sqlite3");
  const watching = start(["run", ".", "--watch"], { cwd });
  const { said } = watching;
  const rounds = (): number => said.stderr.split("Waiting for changes; Ctrl-C ends.").length - 1;
  const round = async (count: number): Promise<string> => {
    const before = said.stdout.length;
    await until(() => rounds() === count, `round ${count}`);
    return said.stdout.slice(before);
  };
  expect(await round(1)).toMatch(/FAILED {2}2 explorations; 1 finding/);
  // The rule of one exploration: the other one keeps its result.
  writeFileSync(join(cwd, "other.explore.mjs"), OTHER.replace("orders/1", "orders/2"));
  const second = await round(2);
  expect(second).toMatch(/^demo shop: unchanged since run \S+: exhaustive except .*; 1 finding\n/);
  expect(second).toMatch(/^PASSED {2}1 of 1 action worked/m);
  expect(said.stderr).toContain("other.explore.mjs changed.\n");
  // The target belongs to both.
  writeFileSync(join(cwd, "api/server.mjs"), text("server.mjs").replace(...FIXED));
  expect(await round(3)).toMatch(/PASSED {2}2 explorations; 6 of 6 actions worked/);
  writeFileSync(join(cwd, "seqqa.yaml"), readFileSync(join(cwd, "seqqa.yaml"), "utf8").replace("max_steps: 1000", "max_steps: none"));
  expect(await round(4)).toBe("");
  expect(said.stderr).toContain("seqqa.yaml changed.\n");
  expect(said.stderr).toMatch(/error: .*max_steps/);
  writeFileSync(join(cwd, "seqqa.yaml"), readFileSync(join(cwd, "seqqa.yaml"), "utf8").replace("max_steps: none", "max_steps: 1000"));
  expect((await round(5)).match(/unchanged since run/g)).toHaveLength(2);
  // No source, so no round begins; but it may be a part of the target, so the next one explores again.
  writeFileSync(join(cwd, "api/upload.bin"), "x");
  writeFileSync(join(cwd, "other.explore.mjs"), OTHER);
  expect(await round(6)).toMatch(/PASSED {2}2 explorations/);
  watching.child.kill("SIGINT");
  expect(await watching.ended).toMatchObject({ status: 0 });
  // In the quick suite unit/cli/watch/watch-runs has all files the next time, and --only has one below.
  if (full) {
    const later = start(["run", ".", "--watch"], { cwd });
    await until(() => later.said.stderr.includes("Waiting for changes"), "the next time");
    expect(later.said.stdout.match(/unchanged since run/g)).toHaveLength(2);
    later.child.kill("SIGINT");
    expect(await later.ended).toMatchObject({ status: 0 });
  }
  // The second time, only the file that --only leaves out has no stored result.
  for (const says of [/PASSED/, /unchanged since run/]) {
    const some = start(["run", ".", "--watch", "--only", "other"], { cwd });
    await until(() => some.said.stderr.includes("Waiting for changes"), "--only");
    expect(some.said.stderr).not.toContain("--only found no exploration");
    expect(some.said.stdout).toMatch(says);
    some.child.kill("SIGINT");
    expect(await some.ended).toMatchObject({ status: 0 });
  }
});

it.each([
  [["run", ".", "--watch", "--ui"], "--watch cannot be combined with --ui.\nhint: Remove --watch or --ui."],
  [["run", ".", "--watch", "--resume"], "--watch cannot be combined with --resume.\nhint: Remove --watch or --resume."],
  [["run", "--all", "--watch"], "--watch"],
  [["run", ".", "--watch", "--update-known"], "--watch cannot be combined with --update-known."],
])("refuses %j", async (args, said) => {
  const { status, stdout, stderr } = await seqqa(args, { cwd: shop });
  expect({ status, stdout, stderr }).toEqual({ status: 2, stdout: "", stderr: expect.stringContaining(said) });
});
