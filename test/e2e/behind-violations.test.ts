import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { full, some } from "../sizes.ts";
import { emptyFolder, folderWith, only, seqqa, writtenIn, type Explored } from "../support/e2e.ts";

/**
 * One order of 100. Two coupons make its total negative, which is a cheap defect. Behind it is another: an order of less than nothing is shipped unpaid. A fee
 * makes the total positive again.
 */
const SERVER = `
import { createServer } from "node:http";
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(import.meta.url)})("better-sqlite3");

const db = new Database(process.env.DB_PATH);
db.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, total INTEGER, coupons INTEGER, fees INTEGER, paid INTEGER, shipped INTEGER)");
if (db.prepare("SELECT count(*) AS n FROM orders").get().n === 0) db.exec("INSERT INTO orders VALUES (1, 100, 0, 0, 0, 0)");
const CHANGES = {
  coupon: (order) => order.coupons < 2 && { coupons: order.coupons + 1, total: order.total - 60 },
  fee: (order) => order.fees < 1 && { fees: 1, total: order.total + 30 },
  pay: (order) => order.total > 0 && !order.paid && { paid: 1 },
  ship: (order) => (order.paid || order.total < 0) && !order.shipped && { shipped: 1 },
};
createServer((request, response) => {
  const order = db.prepare("SELECT * FROM orders").get();
  const answer = (status, body) => response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  const change = CHANGES[request.url.slice(1)];
  if (change === undefined) return answer(200, order);
  const changed = change(order);
  if (changed === false) return answer(409, {});
  for (const [column, value] of Object.entries(changed)) db.prepare("UPDATE orders SET " + column + " = ?").run(value);
  answer(200, {});
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

interface Parts {
  /** Of the agent, and of the rule that is broken first. */
  readonly agent?: string;
  readonly negative?: string;
  readonly config?: string;
}

function folder({ agent = "", negative = "", config = "" }: Parts): string {
  return folderWith({
    "server.mjs": SERVER,
    "seqqa.yaml": `target: { command: node server.mjs, env: { PORT: "{port}", DB_PATH: "{db_path}" } }\n${config}`,
    "orders.explore.ts": `import { Action, Agent, Invariant, World } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
const order = async (api: HttpClient) => (await api.get("/")).json<{ total: number; paid: number; shipped: number }>();
export const agent = new Agent({
  ${agent}
  world: (lane) => new World({ api: new HttpClient(lane.baseUrl), systems: lane.systems }),
  actions: ["coupon", "fee", "pay", "ship"].map((name) => new Action({ name, run: (api: HttpClient) => api.post("/" + name) })),
  invariants: [
    new Invariant({ name: "total_not_negative", ${negative} check: async ({ api }) => (await order(api)).total >= 0 }),
    new Invariant({ name: "shipped_is_paid", check: async ({ api }) => order(api).then(({ paid, shipped }) => !shipped || !!paid) }),
  ],
});
`,
  });
}

async function explored(
  cwd: string,
  ...args: readonly string[]
): Promise<Explored & { readonly status: number | null; readonly stdout: string }> {
  const { status, stdout } = await seqqa(["run", ".", "--output", "out", ...args], { cwd });
  return { status, stdout, ...only(writtenIn(join(cwd, "out"))) };
}

const found = ({ violations }: Pick<Explored, "violations">): readonly string[] =>
  violations.map(({ invariant, reproductionPath }) => `${invariant}: ${reproductionPath.join(" ")}`).toSorted();

/** By an independent model: all 2^4 flags and counters that the calls reach, and each last call after which a rule is broken that held before it. */
function model(): { readonly states: number; readonly findings: readonly string[] } {
  type Order = { total: number; coupons: number; fees: number; paid: boolean; shipped: boolean };
  const next = (o: Order): Record<string, Order | undefined> => ({
    coupon: o.coupons < 2 ? { ...o, coupons: o.coupons + 1, total: o.total - 60 } : undefined,
    fee: o.fees === 0 ? { ...o, fees: 1, total: o.total + 30 } : undefined,
    pay: o.total > 0 && !o.paid ? { ...o, paid: true } : undefined,
    ship: (o.paid || o.total < 0) && !o.shipped ? { ...o, shipped: true } : undefined,
  });
  const root = { total: 100, coupons: 0, fees: 0, paid: false, shipped: false };
  const paths = new Map<string, readonly [Order, readonly string[]]>([[JSON.stringify(root), [root, []]]]);
  const findings = new Map<string, string>();
  for (const [before, path] of paths.values()) {
    for (const [call, after] of Object.entries(next(before))) {
      if (after === undefined) continue;
      const longer = [...path, call];
      const note = (rule: string, held: boolean, holds: boolean): unknown =>
        held && !holds && !findings.has(rule + call) && findings.set(rule + call, `${rule}: ${longer.join(" ")}`);
      note("total_not_negative", before.total >= 0, after.total >= 0);
      note("shipped_is_paid", !before.shipped || before.paid, !after.shipped || after.paid);
      if (!paths.has(JSON.stringify(after))) paths.set(JSON.stringify(after), [after, longer]);
    }
  }
  return { states: paths.size, findings: [...findings.values()].toSorted() };
}

describe("a cheap violation", () => {
  it("hides what is behind it, and the run says so and what helps", async () => {
    const result = await explored(folder({}));
    expect([result.status, found(result)]).toEqual([1, ["total_not_negative: coupon coupon"]]);
    expect(result.verdict).toMatchObject({ complete: false, exceptions: [{ kind: "violating_states" }] });
    expect(result.notes).toContain(
      "seqqa did not explore from states that break a rule. To explore from them, add --continue-after-violation.",
    );
    expect(result.stdout).toContain("--continue-after-violation");
  });

  const ways = [
    ["for one rule", { negative: "blocking: false," }, []],
    ["by the agent", { agent: "continueAfterViolation: true," }, []],
    ["by a flag", {}, ["--continue-after-violation"]],
    ["by the configuration", { config: "exploration: { continue_after_violation: true }\n" }, []],
  ] as const;
  // In the quick suite the next test has the agent's own and the flag; unit/config has every key.
  it.each(some(ways, 1))("is passed %s, with the same answer for lanes and shards", async (how, parts, args) => {
    const { states, findings } = model();
    // The rule about shipping still blocks, so that what is behind it is left out.
    const passesAll = how !== "for one rule";
    const cwd = folder(parts);
    const result = await explored(cwd, ...args);
    expect([result.status, found(result)]).toEqual([1, findings]);
    if (passesAll) expect(result).toMatchObject({ statesVisited: states, verdict: { complete: true, exceptions: [] } });
    else expect(result.verdict.exceptions).toMatchObject([{ kind: "violating_states" }]);
    // The policy is the same, whoever says so. In the quick suite e2e/shards merges findings.
    if (!full || (passesAll && how !== "by a flag")) return;
    expect(await explored(cwd, ...args, "--parallel", "2")).toMatchObject({ digest: result.digest });
    const shards = [1, 2].map((index) => [`${index}/2`, emptyFolder()] as const);
    for (const [shard, output] of shards) await seqqa(["run", ".", ...args, "--shard", shard, "--output", output], { cwd });
    const output = emptyFolder();
    await seqqa(["merge", ...shards.map(([, one]) => one), "--output", output], { cwd });
    const merged = only(writtenIn(output));
    expect([merged.digest, found(merged), merged.verdict.text]).toEqual([result.digest, findings, result.verdict.text]);
  });

  it("is passed by a run that goes on, as by one that was never ended", async () => {
    const { states, findings } = model();
    // The policy is the same, whoever says so: here the agent, below the command line.
    const whole = await explored(folder({ agent: "continueAfterViolation: true," }));
    expect([whole.status, found(whole)]).toEqual([1, findings]);
    expect(whole).toMatchObject({ statesVisited: states, verdict: { complete: true, exceptions: [] } });
    const cwd = folder({});
    await explored(cwd, "--continue-after-violation", "--max-steps", "15");
    expect(await explored(cwd, "--resume", "--max-steps", "1000")).toMatchObject({ digest: whole.digest, verdict: whole.verdict });
  });
});
