import { describe, expect, it } from "vitest";
import { TABLE } from "../../../src/config/schema/table.ts";
import { orderOf } from "../../../src/engine/frontiers/index.ts";
import * as published from "../../../src/index.ts";
import { Agent, Action } from "../../../src/index.ts";
import { BREADTH_FIRST, STRATEGIES, STRATEGY_KINDS } from "../../../src/model/declare/search/strategy.ts";

const noop = new Action({ name: "noop", run: () => Promise.resolve(null) });

describe.each(STRATEGY_KINDS)("the strategy %s", (kind) => {
  const facts = STRATEGIES[kind];

  it("is a class that users can import, under the name that the configuration has", () => {
    expect(Object.values(published)).toContain(facts.class);
    expect(new facts.class().kind).toBe(kind);
    const exploration = TABLE.fields["exploration"]!.spec;
    expect(exploration).toMatchObject({ fields: { strategy: { spec: { choices: expect.arrayContaining([kind]) as unknown } } } });
  });

  it("has a frontier, which is a queue only if the strategy opens states by their distance", () => {
    const order = orderOf(kind, 2, 7);
    order.open(0, { lo: 1, hi: 2, shape: 0, novel: true });
    expect([order.peek(), order.ref, order.size]).toEqual([true, 0, 1]);
    if (order.queue !== undefined) expect(facts.isShortestFirst).toBe(true);
  });
});

it("what shards, merges and proofs use opens states by their distance", () => {
  expect(STRATEGIES[BREADTH_FIRST].isShortestFirst).toBe(true);
});

it("a strategy of nobody is refused with the names of those that there are", () => {
  const make = (): unknown => new Agent({ actions: [noop], invariants: [], strategy: { kind: "best" } as never });
  expect(make).toThrow(
    expect.objectContaining({ code: "AGENT_INVALID", exitStatus: 2, message: "The Agent's strategy is not a strategy of seqqa." }),
  );
  expect(make).toThrow(
    expect.objectContaining({ hint: expect.stringMatching(/^Write strategy: new BFS\(\), new DFS\(\), .* or new \w+\(\)\.$/) as unknown }),
  );
});
