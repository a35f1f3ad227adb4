import { describe, expect, it } from "vitest";
import { MemoryAdapter } from "../../../src/adapters/memory/index.ts";
import { relearn } from "../../../src/lane/bring-up/bring-up.ts";
import { Action } from "../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../src/model/declare/agent.ts";
import { Invariant } from "../../../src/model/declare/invariant.ts";
import { World } from "../../../src/model/declare/world.ts";
import { ApiResponse } from "../../../src/model/http/response.ts";
import type { Observed, StoreTraits } from "../../../src/model/stores/store-adapter.ts";
import { NOTHING_KNOWN } from "../../../src/state/index.ts";
import { some } from "../../sizes.ts";
import { laneCase, mess, type CaseResult, type Hands, type LaneCase } from "../../support/lane-case.ts";
import { laneOf } from "../../support/lane-parts.ts";
import { leapsInTime } from "../../support/leaping-clock.ts";

leapsInTime();

const changes = { run: (hands: Hands) => (hands.store.state.n++, ApiResponse.of(200)) };
const nothing = { run: () => ApiResponse.of(200) };

describe.each([
  ["a store in this process", false],
  ["a store that is watched", true],
  ["a store that keeps its last look", "looks"],
] as const)("invariants over %s", (_where, watched) => {
  const after = async (invariants: LaneCase["invariants"], actions: LaneCase["actions"] = [changes]): Promise<CaseResult> =>
    (await laneCase({ actions, invariants: invariants ?? [], watched })).expand();

  it.each([
    ["answers at once", ({ store }: Hands) => store.state.n < 1],
    ["answers later", ({ store }: Hands) => Promise.resolve(store.state.n < 1)],
  ])("a rule that %s and does not hold is a finding with its state", async (_how, check) => {
    const { rows, expansion, errors } = await after([{ name: "below_one", severity: "critical", message: "too many", check }]);
    expect(rows).toMatchObject([{ kind: "executed", found: true, same: false }]);
    expect(expansion.stepEvents[0]!.findings).toEqual([{ invariant: "below_one", severity: "critical", message: "too many" }]);
    expect(errors).toEqual([]);
  });

  it("every rule is checked, whatever the others say", async () => {
    const { findings, errors } = await after([
      { name: "holds", check: () => true },
      { name: "first", check: ({ store }) => store.state.n === 0 },
      {
        name: "throws",
        check: () => {
          throw new Error("boom");
        },
      },
      { name: "second", check: async ({ store }) => store.state.n === 0 },
    ]);
    expect(findings).toEqual(["first", "second"]);
    expect(errors).toMatchObject([{ code: "INVARIANT_THREW", source: "throws" }]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("boom");
      },
      "INVARIANT_THREW",
      "boom",
    ],
    [
      "rejects",
      async () => {
        throw new Error("boom");
      },
      "INVARIANT_THREW",
      "boom",
    ],
    ["reads an unset key", ({ context }: Hands) => context["missing"], "INVARIANT_THREW", "missing"],
    ["returns nothing", () => undefined, "INVARIANT_NOT_BOOLEAN", "nothing"],
    ["returns a number", () => 1, "INVARIANT_NOT_BOOLEAN", "number 1"],
    ["resolves to text", async () => "true", "INVARIANT_NOT_BOOLEAN", "string true"],
    ["resolves to nothing", async () => undefined, "INVARIANT_NOT_BOOLEAN", "nothing"],
    ["resolves to an object without a prototype", async () => Object.create(null) as unknown, "INVARIANT_NOT_BOOLEAN", "an object"],
    ["returns null", () => null, "INVARIANT_NOT_BOOLEAN", "null"],
  ] as const)("one that %s is an error naming it, not a finding", async (_what, check, code, text) => {
    const { rows, findings, errors } = await after([{ name: "rule", check }]);
    expect(errors).toMatchObject([{ code, source: "rule", message: expect.stringContaining(text) as string }]);
    expect(errors[0]!.message).toContain('"rule"');
    expect(findings).toEqual([]);
    expect(rows).toMatchObject([{ kind: "executed", found: false, same: false }]);
  });

  it.each([
    ["the context", ({ context }: Hands) => context.set("checked", 1)],
    ["a context value in place", ({ context }: Hands) => void (context["list"] as number[]).push(9)],
    ["the store", ({ store }: Hands) => void (store.state.n += 10)],
    ["everything", mess],
  ])("a check that writes to %s is put back and reported as an error naming it", async (_what, write) => {
    const checks = [
      async (hands: Hands) => (await Promise.resolve(), write(hands), true),
      (hands: Hands) => (write(hands), true),
      async (hands: Hands) => (write(hands), true),
    ];
    for (const check of some(checks, 1)) {
      const plain = await after([{ name: "rule", check: () => true }]);
      const { rows, errors, findings } = await after([{ name: "rule", check }]);
      expect(errors).toMatchObject([{ code: "INVARIANT_WROTE", source: "rule", message: expect.stringContaining('"rule"') as string }]);
      expect(findings).toEqual([]);
      // The state is the one that the action led to, not the one that the check made of it.
      expect(rows).toEqual(plain.rows);
    }
  });

  it("of several checks, the one that wrote is named", async () => {
    const { errors } = await after([
      { name: "first", check: () => true },
      { name: "writes", check: ({ context }) => (context.set("checked", 1), true) },
      { name: "last", check: () => true },
    ]);
    expect(errors).toMatchObject([{ code: "INVARIANT_WROTE", source: "writes" }]);
  });

  it("`when` chooses after which actions it is checked, by name and tags", async () => {
    const never = { name: "never", check: ({ store }: Hands) => store.state.n === 0 };
    const byName = await after([{ ...never, when: ({ name }) => name === "a1" }], [changes, changes]);
    expect(byName.rows.map(({ found }) => found)).toEqual([false, true]);
    const byTag = await after([{ ...never, when: ({ tags }) => tags.includes("money") }], [{ ...changes, tags: ["money"] }, changes]);
    expect(byTag.rows.map(({ found }) => found)).toEqual([true, false]);
  });

  it("an action that changed nothing is not checked again, but for rules that `when` kept from being checked before", async () => {
    let always = 0;
    let sometimes = 0;
    const lane = await laneCase({
      watched,
      // Without objects in the context, which might have been changed in place.
      context: { plain: 1 },
      actions: [nothing, changes],
      invariants: [
        { name: "always", check: () => (always++, true) },
        { name: "sometimes", when: () => true, check: () => (sometimes++, true) },
      ],
    });
    expect([always, sometimes]).toEqual([1, 1]);
    await lane.expand();
    expect([always, sometimes]).toEqual([2, 3]);
  });

  it("all are checked in the root state, whatever `when` says", async () => {
    const lane = await laneCase({
      watched,
      actions: [changes],
      invariants: [
        { name: "broken", when: () => false, check: () => false },
        {
          name: "throws",
          check: () => {
            throw new Error("boom");
          },
        },
      ],
    });
    expect(lane.lane.base.report.findings).toMatchObject([{ invariant: "broken" }]);
    expect(lane.lane.base.report.errors).toMatchObject([{ code: "INVARIANT_THREW", source: "throws" }]);
  });

  it("a check that writes in the root state is put back", async () => {
    const lane = await laneCase({ watched, actions: [nothing], invariants: [{ name: "writes", check: (hands) => (mess(hands), true) }] });
    expect(lane.store.state).toEqual({ n: 0 });
    expect(lane.context.toJSON()).toEqual({ list: [1] });
    expect(lane.client.token).toBeNull();
  });
});

describe("a store that changes in the root state without a write that it reports", () => {
  class Drifting extends MemoryAdapter<{ n: number }> {
    override readonly traits: StoreTraits = { portable: true, commits: true };
    drifts = false;
    override changed(): boolean {
      return false;
    }
    override observe(): Observed {
      return this.drifts ? { kind: "value", value: { n: 1 } } : super.observe();
    }
  }

  it.each([
    ["a check", true],
    ["no check", false],
  ])("is a write of another client, if there is %s", async (_what, hasCheck) => {
    const store = new Drifting({ state: { n: 0 } });
    const world = new World<object, object>({ api: {}, systems: { store }, context: {} });
    const check = (): boolean => (store.drifts = true);
    const definition = new AgentDefinition<object, object>({
      world,
      actions: [new Action<object, object>({ name: "a0", run: async () => ApiResponse.of(200) })],
      invariants: hasCheck ? [new Invariant<object, object>({ name: "innocent", check })] : [],
    });
    let { base } = await laneOf(definition);
    if (!hasCheck) {
      const capture = store.capture.bind(store);
      store.capture = () => (check(), capture());
      base = await relearn(base, NOTHING_KNOWN);
    }
    expect(base.report.errors.map(({ code, source }) => [code, source])).toEqual([["OTHER_WRITER", "stores"]]);
  });
});
