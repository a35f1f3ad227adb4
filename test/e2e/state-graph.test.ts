import { describe, expect, it } from "vitest";
import { explore, ORDER_BUGS, orderGraph, type OrderBug } from "../models/index.ts";
import { full, laneCounts } from "../sizes.ts";
import { documentOf, emptyFolder, folderWith, linkPackages, only, seqqa, startNode, type Explored } from "../support/e2e.ts";

interface GraphResult extends Explored {
  readonly unreachedNodes: readonly string[];
  readonly deadEdges: readonly string[];
  readonly deniedChecks: readonly string[];
}

async function run(bug: OrderBug, ...args: readonly string[]): Promise<GraphResult & { readonly status: number | null }> {
  const command = ["run", "fixtures/order-model", "--only", "order-graph", "--reporter", "json", "--output", emptyFolder(), ...args];
  const ran = await seqqa(command, { env: bug === "none" ? {} : { BUG: bug } });
  expect(ran.stderr).toBe("");
  return { ...(only(documentOf(ran)) as GraphResult), status: ran.status };
}

/** What each bug shows beside the rules that the model says are broken. */
const SAID: Readonly<Record<OrderBug, Pick<GraphResult, "unreachedNodes" | "deadEdges"> & { readonly claimed: readonly string[] }>> = {
  none: { unreachedNodes: [], deadEdges: [], claimed: [] },
  double_refund: { unreachedNodes: [], deadEdges: [], claimed: [] },
  refund_canceled: { unreachedNodes: [], deadEdges: [], claimed: [] },
  ship_unpaid: { unreachedNodes: [], deadEdges: [], claimed: [] },
  // What lies behind the denied state is not known.
  lost_payment: {
    unreachedNodes: ["shipped", "refunded"],
    deadEdges: ["ship_order", "refund_paid", "cancel_paid"],
    claimed: [],
  },
  never_ships: { unreachedNodes: ["shipped"], deadEdges: ["ship_order"], claimed: ["shipped_unreached", "ship_order_dead"] },
  no_late_cancel: { unreachedNodes: [], deadEdges: ["cancel_paid"], claimed: ["cancel_paid_dead"] },
};

/** In the quick suite the one that hides others; the command line below has one with claims. */
const BUGS: readonly OrderBug[] = full ? ORDER_BUGS : ["lost_payment"];

describe.each<OrderBug>(["none", ...BUGS])("the order model as a StateGraph, BUG %s", (bug) => {
  it("equals its model on every number of lanes", async () => {
    const counts = explore(orderGraph(bug));
    const { unreachedNodes, deadEdges, claimed } = SAID[bug];
    // One digest for one lane and two: in the quick suite that of graph.explore() below.
    const runs: GraphResult[] = [];
    for (const lanes of laneCounts) runs.push(await run(bug, "--parallel", lanes));
    const [one, two] = [runs[0]!, runs.at(-1)!];
    const broken = Object.keys(counts.findings);
    expect(one).toMatchObject({
      status: broken.length + claimed.length === 0 ? 0 : 1,
      statesVisited: counts.states,
      transitions: counts.transitions,
      skipped: counts.skipped,
      stopReason: "exhausted",
      errors: [],
      divergences: [],
      unreachedNodes,
      deadEdges,
      deniedChecks: broken.filter((name) => name.endsWith("_denied")).map((name) => name.replace("_denied", "")),
    });
    const rules = one.violations.filter(({ severity }) => severity !== "low");
    expect(
      Object.fromEntries(rules.map(({ invariant, reproductionPath, confirmed }) => [invariant, [reproductionPath.length, confirmed]])),
    ).toEqual(Object.fromEntries(Object.entries(counts.shortest).map(([name, path]) => [name, [path.length, true]])));
    expect(one.violations.filter(({ severity }) => severity === "low").map(({ invariant }) => invariant)).toEqual(claimed);
    const ids = (result: GraphResult): readonly string[] => result.violations.map(({ id, invariant }) => `${id} ${invariant}`);
    expect(two.digest).toBe(one.digest);
    expect(ids(two)).toEqual(ids(one));
    expect([two.unreachedNodes, two.deadEdges, two.deniedChecks]).toEqual([one.unreachedNodes, one.deadEdges, one.deniedChecks]);
  });
});

describe("the command line with a state graph", () => {
  // In the quick suite unit/run/state-graph-model has every strategy.
  it.runIf(full).each(["dfs", "random", "coverage_guided"])("%s: the same states, one digest on two lanes", async (strategy) => {
    const [one, two] = await Promise.all(laneCounts.map((lanes) => run("none", "--strategy", strategy, "--parallel", lanes)));
    const { states, transitions } = explore(orderGraph());
    expect(one).toMatchObject({ status: 0, statesVisited: states, transitions });
    if (two !== undefined) expect(two.digest).toBe(one!.digest);
  });

  it("a budget cuts it, and nothing is claimed about what was not reached", async () => {
    const result = await run("none", "--max-steps", "3");
    expect(result).toMatchObject({ status: 0, steps: 3, stopReason: "max_steps", violations: [] });
    expect(result.unreachedNodes).toContain("shipped");
  });

  it("says on the console what was not met", async () => {
    const ran = await seqqa(["run", "fixtures/order-model", "--only", "order-graph", "--output", emptyFolder()], {
      env: { BUG: "never_ships" },
    });
    expect(ran.status).toBe(1);
    expect(ran.stdout).toContain(
      '[LOW] shipped_unreached\n  no path reached the node "shipped": "ship_order" never applied\n  path      (none)\n',
    );
    expect(ran.stdout).toContain("[LOW] ship_order_dead\n");
    expect(ran.stdout).toContain("path      create_order -> pay_order -> ship_order\n");
    expect(ran.stdout).toMatch(/^ {2}unreached {5}shipped\n {2}dead edges {4}ship_order$/m);
    // LOW is not HIGH; in the quick suite e2e/description has severities.
    if (!full) return;
    const high = await seqqa(
      ["run", "fixtures/order-model", "--only", "order-graph", "--fail-on-severity", "high", "--output", emptyFolder()],
      { env: { BUG: "never_ships" } },
    );
    expect(high.status).toBe(0);
  });
});

it("graph.explore() of a script: on several lanes by its module, and with a client", async () => {
  const graph = `import { StateGraph, World } from "seqqa";
import { MemoryAdapter } from "seqqa/adapters/memory";
import { ApiResponse } from "seqqa/adapters/http";
const up = async (db) => (db.state.n = (db.state.n + 1) % 4, ApiResponse.of(200));
const build = (world) => new StateGraph({ name: "counter", ...world }).addNode("even", { initial: true }).addNode("odd").addEdge("even", "odd", { action: up }).addEdge("odd", "even", { action: up });
export const graph = build({ world: () => { const db = new MemoryAdapter({ state: { n: 0 } }); return new World({ api: db, systems: { db } }); } });
export const plain = build({});
`;
  const script = `import { graph, plain } from "./counter.explore.mjs";
const module = new URL("./counter.explore.mjs", import.meta.url).href;
const [one, two] = [await graph.explore(), await graph.explore(undefined, { parallel: 2, module })];
console.log(one.statesVisited, two.statesVisited, one.digest === two.digest);
const alone = await plain.explore({ state: { n: 0 } });
console.log(alone.statesVisited, alone.stopReason);
await plain.explore({ state: { n: 0 } }, { parallel: 2, module }).catch((error) => console.log(error.code, error.message));`;
  const folder = folderWith({ "counter.explore.mjs": graph, "script.mjs": script });
  linkPackages(folder, "seqqa");
  const ran = await startNode(["script.mjs"], { cwd: folder }).ended;
  expect(ran).toMatchObject({ status: 0, stderr: "" });
  const [lanes, alone, refused] = ran.stdout.trim().split("\n");
  expect(lanes).toBe("4 4 true");
  expect(alone).toBe("2 exhausted");
  expect(refused).toMatch(/^LANES_NEED_FACTORY `parallel` is 2, but explore\(\) was given one client/);
});
