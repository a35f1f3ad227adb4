import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { folderWith, linkPackages, root, seqqa, start, until } from "../support/e2e.ts";

const shop = join(root, "fixtures/demo");
const file = "fixtures/demo/shop.explore.mjs";
const REFUND_TWICE = ["create_order", "pay_order", "refund_order", "refund_order"];

describe("seqqa try", () => {
  it("executes a path, and shows requests, answers, changes, rules and the actions that apply next", async () => {
    const held = await seqqa(["try", "demo shop", "create_order", "pay_order"], { cwd: shop });
    expect(held.status).toBe(0);
    expect(held.stdout).toMatch(/^2\. pay_order\n {3}POST http:\S+\/orders\/1\/pay\n {3}-> 200 in .* {2}\{"id":1,.*"status":"paid"/m);
    expect(held.stdout).toContain('   - systems.db.orders {id: 1, status: "created", paid: 0}\n');
    expect(held.stdout).toContain('   + systems.db.orders {id: 1, status: "paid", paid: 1}\n');
    expect(held.stdout).toContain("   ✓ refund_within_amount, paid_once, unpaid_never_shipped\n");
    expect(held.stdout).toContain("Next, 5 of 5 actions apply: create_order, pay_order, ship_order, refund_order, cancel_order\n");
  });

  it("without an action it shows the root state", async () => {
    const { status, stdout } = await seqqa(["try", file]);
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: expect.stringMatching(
        /^shop \(fixtures\/demo\/shop\.explore\.mjs\)\n {3}✓ .*\n\nState [0-9a-f]{8}, compared with the root state\n {3}\(equal\)\nNext, 1 of 5 actions apply: create_order\n$/,
      ),
    });
  });

  it.each([
    [1, REFUND_TWICE, "   ✗ [CRITICAL] refund_within_amount: refunded more than was paid\n"],
    [3, ["pay_order", "create_order"], "1. pay_order  does not apply here\n"],
  ])("ends with %i for %j", async (status, path, said) => {
    const tried = await seqqa(["try", file, ...path]);
    expect(tried).toMatchObject({ status, stdout: expect.stringContaining(said) });
    expect(tried.stdout).not.toContain("2. create_order");
  });

  it.each([
    [["try", "shap"], 'No exploration is named "shap".\nhint: The explorations are: demo shop.'],
    [
      ["try", "."],
      '. is a folder. One exploration is expected.\nhint: Give the name of an exploration and the configuration, such as "demo shop" --config seqqa.yaml.',
    ],
    [["try", "demo shap"], 'No exploration is named "demo shap".\nhint: Did you mean demo shop?'],
    [
      ["try", "qa/none.explore.ts"],
      "The file qa/none.explore.ts does not exist.\nhint: seqqa list shows the files and names of all explorations.",
    ],
    [["try", "demo shop", "pay_ordr"], 'The exploration has no action "pay_ordr".\nhint: Did you mean pay_order?'],
    [["try", "demo shop", "--seed", "x"], /--seed/],
  ])("refuses %j", async (args, said) => {
    const { status, stdout, stderr } = await seqqa(args, { cwd: shop });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    if (typeof said === "string") expect(stderr).toBe(`error: ${said}\n`);
    else expect(stderr).toMatch(said);
  });

  it("shows why the file of the named exploration cannot be used, and which files cannot be used", async () => {
    const cwd = folderWith({ "seqqa.yaml": "base_url: http://127.0.0.1:9", "own.explore.ts": 'throw new Error("no settings");\n' });
    const named = await seqqa(["try", "own"], { cwd });
    expect([named.status, named.stderr]).toEqual([2, expect.stringMatching(/^error: own\.explore\.ts:1:\d+: .*no settings/)]);
    const other = await seqqa(["try", "other"], { cwd });
    expect(other.stderr).toBe(
      'error: No exploration is named "other".\nhint: seqqa found no exploration that can be used. Files that cannot be used: own.explore.ts. seqqa list shows why.\n',
    );
  });

  it("names the line of an action that throws, and with --verbose each caller", async () => {
    const thrower = 'const fail = () => {\n  throw new Error("no id");\n};\n';
    const code = `import { Action, Agent } from "seqqa";\n${thrower}const run = async () => {\n  fail();\n};\n`;
    const cwd = folderWith({
      "seqqa.yaml": "target: { command: node server.mjs, env: { PORT: '{port}' } }",
      "server.mjs": `import { createServer } from "node:http";\ncreateServer((_, response) => response.end("{}")).listen(process.env.PORT, "127.0.0.1");\n`,
      "own.explore.ts": `${code}export const agent = new Agent({ name: "own", actions: [new Action({ name: "act", run })], invariants: [] });\n`,
    });
    const { status, stdout, stderr } = await seqqa(["try", "own.explore.ts", "act"], { cwd });
    expect(status, stderr).toBe(3);
    expect(stdout).toMatch(/^1\. act {2}failed\n {3}\? act: .*no id\n {5}at \S*own\.explore\.ts:3:9\n\n/m);
    const verbose = await seqqa(["try", "own.explore.ts", "act", "--verbose"], { cwd });
    expect(verbose.stdout).toMatch(/ {5}at fail \(\S*own\.explore\.ts:3:9\)\n {5}at \S*run \(\S*own\.explore\.ts:6:3\)\n/);
  });

  it("--keep leaves the lane running until Ctrl-C, and keeps the status", async () => {
    const kept = start(["try", file, ...REFUND_TWICE, "--keep"]);
    await until(() => kept.said.stdout.includes("until you press Ctrl-C"), "the lane is kept");
    expect(await orderAt(kept.said.stdout)).toMatchObject({ refunded: 200 });
    kept.child.kill("SIGINT");
    expect(await kept.ended).toMatchObject({ status: 1, stderr: "" });
  });
});

describe("seqqa open", () => {
  const text = (name: string): string => readFileSync(join(shop, name), "utf8");
  const cwd = folderWith(Object.fromEntries(["server.mjs", "seqqa.yaml", "shop.explore.mjs"].map((name) => [name, text(name)])));
  const PAID = ["create_order", "pay_order"];
  let paid = "";
  beforeAll(async () => {
    linkPackages(cwd, "seqqa", "better-sqlite3");
    expect((await seqqa(["run", ".", "--races", "off"], { cwd })).status).toBe(1);
    // A state has one id: in the run, and when somebody goes there.
    paid = /^State ([0-9a-f]{8}),/m.exec((await seqqa(["try", "demo shop", ...PAID], { cwd })).stdout)![1]!;
  });

  it.each([
    ["a state", () => ({ id: paid, path: PAID, order: { status: "paid", refunded: 0 } })],
    ["a finding", () => ({ id: "c8b37c17", path: REFUND_TWICE, order: { status: "refunded", refunded: 200 } })],
  ])("brings a lane to %s of the last run, by the beginning of its id", async (_what, chosen) => {
    const { id, path, order } = chosen();
    const kept = start(["open", id], { cwd });
    await until(() => kept.said.stdout.includes("until you press Ctrl-C"), "the lane is kept");
    expect(kept.said.stdout.match(/^\d+\. \w+/gm)).toEqual(path.map((action, index) => `${index + 1}. ${action}`));
    expect(await orderAt(kept.said.stdout)).toMatchObject(order);
    kept.child.kill("SIGINT");
    expect(await kept.ended).toMatchObject({ status: 0, stderr: "" });
  });

  it.each([
    [["deadbeef"], /^error: Run \S+ has no finding and no state "deadbeef"\./],
    [["c8b37c17", "--run", "20200101-000000-000-0000"], /^error: Run not found/],
  ])("refuses %j", async (args, said) => {
    const { status, stdout, stderr } = await seqqa(["open", ...args], { cwd });
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(said);
  });

  it("says with 3 that a state is not reached any longer", async () => {
    writeFileSync(join(cwd, "server.mjs"), text("server.mjs").replace("SET status = 'paid'", "SET status = 'pending'"));
    const { status, stdout } = await seqqa(["open", paid], { cwd });
    expect({ status, stdout }).toEqual({
      status: 3,
      stdout: expect.stringMatching(/State [0-9a-f]{8} was not reached: its path now leads to state/),
    });
  });
});

/** Asks the lane that a command keeps for its first order. */
async function orderAt(said: string): Promise<unknown> {
  const url = /until you press Ctrl-C\. The lane of the target uses:\n {2}(http:\S+)/.exec(said)![1]!;
  return (await fetch(`${url}/orders/1`)).json();
}
