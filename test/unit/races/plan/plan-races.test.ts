import { describe, expect, it } from "vitest";
import type { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { Invariant } from "../../../../src/model/declare/invariant.ts";
import type { World } from "../../../../src/model/declare/world.ts";
import { planRaces } from "../../../../src/races/index.ts";
import { runExplorer } from "../../../support/run-explorer.ts";
import { shop } from "./shop.ts";

describe("what is worth probing", () => {
  it("one pair of each class, the most suspicious first; the rest is counted", async () => {
    const { explorer } = await runExplorer(shop());
    const { races, pairs, skipped, readOnly } = planRaces(explorer.committer, { actions: 3, copies: 2 });
    const name = (action: number): string => ["take", "flag", "read"][action]!;
    // 6 states, 6 pairs in each.
    expect(pairs).toBe(36);
    expect(skipped["read_only"]).toBeGreaterThan(0);
    expect([...readOnly]).toContain("2,2");
    expect(skipped["same_class"]).toBe(36 - skipped["read_only"]! - races.length);
    const planned = races.map(
      ({ sides, node }) => `${sides.map(name).join("||")} at ${explorer.committer.nodes.path(node).map(name).join(",")}`,
    );
    // With one left the second call is refused: that is where a race does harm.
    expect(planned[0]).toBe("take||take at take");
    expect(planned).toContain("take||take at ");
    expect(planned).not.toContain("read||read at ");
    expect(new Set(planned).size).toBe(planned.length);
  });

  it("no pair of an action that a rule brought, and says how many those are", async () => {
    const { explorer } = await runExplorer(shop());
    const { races, pairs, skipped } = planRaces(explorer.committer, { actions: 3, copies: 2, ownActions: 1 });
    expect(pairs).toBe(36);
    // Of 6 pairs in each of 6 states one is of the agent's own action alone.
    expect(skipped["brought"]).toBe(30);
    expect(new Set(races.flatMap(({ sides }) => sides))).toEqual(new Set([0]));
  });

  it("no call with a finding after which the search did not continue, unless the finding does not matter", async () => {
    const stockOf = ({ systems }: World): number => (systems["shop"] as MemoryAdapter<{ stock: number }>).state.stock;
    const left = new Invariant({ name: "left", check: (world) => stockOf(world) > 1 });
    const { explorer } = await runExplorer(shop([left]));
    const cut = planRaces(explorer.committer, { actions: 3, copies: 2 });
    expect([...cut.cut]).toEqual(["0,0", "0,1", "0,2"]);
    expect(cut.races.some(({ sides }) => sides.includes(0))).toBe(false);
    const all = planRaces(explorer.committer, { actions: 3, copies: 2, isCut: () => false });
    expect([...all.cut]).toEqual([]);
    expect(all.races.some(({ sides }) => sides.join() === "0,0")).toBe(true);
  });

  it("is the same for every number of lanes", async () => {
    const plans = await Promise.all(
      [1, 3].map(async (lanes) =>
        planRaces((await runExplorer(shop(), { lanes, delays: true })).explorer.committer, { actions: 3, copies: 2 }),
      ),
    );
    expect(plans[1]).toEqual(plans[0]);
  });

  it("asks for as many copies of one call as are wanted", async () => {
    const { explorer } = await runExplorer(shop());
    const { races } = planRaces(explorer.committer, { actions: 3, copies: 5 });
    expect(new Set(races.map(({ sides }) => sides.length))).toEqual(new Set([2, 5]));
    expect(races.every(({ sides }) => sides.length === 2 || new Set(sides).size === 1)).toBe(true);
  });
});
