import { describe, expect, it } from "vitest";
import { planFaults } from "../../../../src/faults/plan/plan-faults.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { shop } from "../../races/plan/shop.ts";

describe("calls whose writes are made to fail", () => {
  it("are one of each kind, the first that was committed; the others are counted", async () => {
    const { explorer } = await runExplorer(shop());
    const { faults, skipped } = planFaults(explorer.committer, { ownActions: 3 });
    const { edges } = explorer.committer;
    const kinds = new Map<string, number>();
    for (let edge = 0; edge < edges.size; edge++) {
      const { action, status, from, to } = edges.at(edge);
      const kind = JSON.stringify([action, status, from === to]);
      if (!kinds.has(kind)) kinds.set(kind, from);
    }
    expect(faults.map(({ node, action }) => [node, action])).toEqual(
      [...kinds].map(([kind, from]) => [from, (JSON.parse(kind) as number[])[0]]),
    );
    expect(faults.length).toBeGreaterThan(3);
    expect(skipped).toEqual({ same_kind: edges.size - faults.length });
  });

  it("are the agent's own actions alone", async () => {
    const { explorer } = await runExplorer(shop());
    const { faults, skipped } = planFaults(explorer.committer, { ownActions: 1 });
    expect(new Set(faults.map(({ action }) => action))).toEqual(new Set([0]));
    expect(skipped["brought"]).toBeGreaterThan(0);
  });

  it("are the same for every number of lanes", async () => {
    const [one, three] = await Promise.all(
      [1, 3].map(async (lanes) => planFaults((await runExplorer(shop(), { lanes, delays: true })).explorer.committer, { ownActions: 3 })),
    );
    expect(three).toEqual(one);
  });
});
