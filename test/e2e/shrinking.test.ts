import { expect, it } from "vitest";
import { full, size } from "../sizes.ts";
import { documentOf, emptyFolder, only, seqqa, type Explored } from "../support/e2e.ts";

const VERBS = (order: number): readonly string[] => [
  ...Array.from({ length: order }, () => "create"),
  ...["pay", "ship", "cancel"].map((verb) => `${verb}_${order}`),
];

async function explored(name: string, ...args: readonly string[]): Promise<Explored> {
  const command = ["run", "fixtures/ledger", "--only", name, "--strategy", "dfs", "--max-depth", "30", "--reporter", "json"];
  const ran = await seqqa([...command, "--output", emptyFolder(), ...args], { env: { BUG: "1" }, timeoutMs: 150_000 });
  return only(documentOf(ran));
}

/** What a run says of its violations but for durations. */
const told = ({ digest, violations }: Explored): unknown =>
  JSON.parse(JSON.stringify({ digest, violations }, (key, value: unknown) => (key === "durationMs" ? 0 : value)));

it("a violation that DFS found at depth 30 is reported with the shortest path, proven: over HTTP, with the budget used up long before", async () => {
  // Depth first and cut: the graph knows no short way, steps are left out, and what comes out is proven breadth first.
  const { violations, maxDepthReached, completeToDepth } = await explored("ledger", "--max-steps", "600", "--parallel", full ? "2" : "1");
  expect({ maxDepthReached, completeToDepth }).toEqual({ maxDepthReached: 30, completeToDepth: 2 });
  for (const { reproductionPath, minimality, confirmed, shrunkFrom, steps } of violations) {
    const order = Number(/\d$/.exec(reproductionPath.at(-1)!)![0]);
    expect({ reproductionPath, minimality, confirmed }).toEqual({
      reproductionPath: VERBS(order),
      minimality: "shortest",
      confirmed: true,
    });
    expect(shrunkFrom!.length).toBeGreaterThan(reproductionPath.length);
    expect(steps.at(-1)!.changes).toHaveLength(2);
  }
  expect(violations.map(({ reproductionPath }) => reproductionPath.length).toSorted((a, b) => a - b)).toEqual([4, 4, 5, 5, 6, 6]);
  expect(Math.max(...violations.map(({ shrunkFrom }) => shrunkFrom!.length))).toBeGreaterThan(25);
});

it("the graph alone gives the shortest path where everything was explored", async () => {
  const { violations, open } = await explored("memory", "--max-steps", String(size(2000, 400_000)));
  if (full) expect(open).toBe(0);
  expect(violations.map(({ reproductionPath, minimality }) => ({ reproductionPath, minimality }))).toEqual(
    [1, 2, 3].map((order) => ({ reproductionPath: VERBS(order), minimality: "shortest" })),
  );
});

// In the quick suite e2e/one-answer compares what runs with one lane and with two say of a planted bug.
it.runIf(full)("says the same with one lane and with several", async () => {
  const one = await explored("memory", "--max-steps", String(size(250, 2000)), "--seed", "3", "--strategy", "random");
  const three = await explored(
    "memory",
    "--max-steps",
    String(size(250, 2000)),
    "--seed",
    "3",
    "--strategy",
    "random",
    "--parallel",
    String(size(2, 3)),
  );
  expect(one.violations.some(({ shrunkFrom }) => shrunkFrom !== undefined)).toBe(true);
  expect(told(three)).toEqual(told(one));
});
