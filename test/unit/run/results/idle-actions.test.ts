import { describe, expect, it } from "vitest";
import { Action } from "../../../../src/model/declare/action.ts";
import { AgentDefinition } from "../../../../src/model/declare/agent.ts";
import { idleActions, withExemptions } from "../../../../src/run/results/idle-actions.ts";

const EXHAUSTIVE = { stopReason: "exhausted", steps: 100, isExhaustive: true } as const;
const CUT = { stopReason: "max_steps", steps: 100, isExhaustive: false } as const;
const action = (name: string, options: object = {}): Action => new Action({ name, run: () => Promise.resolve(null), ...options });
const works = { applied: 3, skipped: 1, statuses: { 201: 3 } };
const refused = (count: number): typeof works => ({ applied: count, skipped: 0, statuses: { 404: count } as never });
const skipped = (count: number): typeof works => ({ applied: 0, skipped: count, statuses: {} as never });

describe("idleActions", () => {
  it("says so if the time was used up before the first step", () => {
    expect(idleActions({}, { stopReason: "max_time", steps: 0, isExhaustive: false })).toEqual([
      "The time limit was reached before the first step. Raise exploration.max_time.",
    ]);
    expect(idleActions({}, { stopReason: "max_time", steps: 1, isExhaustive: false })).toEqual([]);
  });

  it("says so if a rule that the root state breaks prevented every step, unless no action need apply", () => {
    const root = { stopReason: "exhausted", steps: 0, isExhaustive: false } as const;
    expect(idleActions({ create: skipped(0) }, root)).toEqual([
      expect.stringMatching(/^No action was executed, because the root state breaks/),
    ]);
    expect(idleActions({ create: { ...skipped(0), mayNeverApply: true } }, root)).toEqual([]);
    expect(idleActions({ create: skipped(0) }, { ...root, stopReason: "max_depth" })).toEqual([]);
  });

  it("says nothing where every action worked", () => {
    expect(idleActions({ create: works }, EXHAUSTIVE)).toEqual([]);
  });

  it("names what never applied and what was refused each time", () => {
    expect(idleActions({ create: works, pay: refused(24), ship: skipped(1_200) }, EXHAUSTIVE)).toEqual([
      "1 of 3 actions worked. These actions never worked: pay was answered 404 in all 24 states in which it was tried, ship never applied in 1,200 states. " +
        "Correct these actions, set mayNeverApply or mayNeverSucceed for single actions, or set exploration.require_all_actions to false.",
    ]);
  });

  it("judges a search that is not exhaustive after 20 tries", () => {
    expect(idleActions({ pay: refused(19), ship: skipped(19) }, CUT)).toEqual([]);
    expect(idleActions({ pay: refused(20) }, CUT)).toHaveLength(1);
    expect(idleActions({ ship: skipped(20) }, CUT)).toHaveLength(1);
  });

  it("does not judge a run that was ended by its first violation, or interrupted", () => {
    for (const stopReason of ["first_violation", "interrupted"] as const)
      expect(idleActions({ pay: refused(99) }, { stopReason, steps: 1, isExhaustive: false })).toEqual([]);
  });

  it("judges a server error each time, too, and no edge that answers nothing", () => {
    expect(idleActions({ pay: { applied: 2, skipped: 0, statuses: { 500: 2 } } }, EXHAUSTIVE)).toHaveLength(1);
    expect(idleActions({ edge: { applied: 2, skipped: 0, statuses: { 0: 2 } } }, EXHAUSTIVE)).toEqual([]);
  });

  it("judges 2xx answers whose body refuses the request like a refusal", () => {
    const errors = { applied: 3, skipped: 0, statuses: { 200: 3 }, refusedInBody: 3 };
    expect(idleActions({ create: works, order: errors }, EXHAUSTIVE)[0]).toContain(
      "1 of 2 actions worked. These actions never worked: order was answered 200 with errors in all 3 states in which it was tried.",
    );
    expect(idleActions({ order: { ...errors, refusedInBody: 2 } }, EXHAUSTIVE)).toEqual([]);
    expect(idleActions({ order: { ...errors, mayNeverSucceed: true } }, EXHAUSTIVE)).toEqual([]);
  });

  it("names ten, and counts the others", () => {
    const many = Object.fromEntries(Array.from({ length: 13 }, (_, index) => [`action_${index}`, skipped(1)]));
    expect(idleActions(many, EXHAUSTIVE)[0]).toContain(", and 3 more actions. ");
  });
});

describe("withExemptions", () => {
  const definition = new AgentDefinition({
    actions: [
      action("expected", { expectedStatus: 404 }),
      action("apply", { mayNeverApply: true }),
      action("succeed", { mayNeverSucceed: true }),
      action("plain"),
    ],
    invariants: [],
  }) as unknown as AgentDefinition<never, never>;
  const idle = (requireAll: boolean, counts: typeof works): string =>
    idleActions(
      withExemptions(
        { expected: counts, apply: counts, succeed: counts, plain: counts, intruder: { ...counts, brought: true } },
        definition,
        requireAll,
      ),
      EXHAUSTIVE,
    ).join();

  it("exempts what is declared, what expects a status and what rules brought", () => {
    expect(idle(true, skipped(3))).toContain(
      "0 of 4 actions worked. These actions never worked: succeed never applied in 3 states, plain never applied in 3 states.",
    );
    expect(idle(true, refused(3))).toMatch(
      /worked\. These actions never worked: apply was answered .*, plain was answered [^,]*\. Correct/,
    );
  });

  it("counts an action as working that is refused as it must be, but not one that may also be granted", () => {
    const expecting = (expectedStatus: unknown): unknown => {
      const agent = new AgentDefinition({ actions: [action("one", { expectedStatus })], invariants: [] }) as never;
      return withExemptions({ one: refused(3) }, agent, true)["one"]!.mustBeRefused;
    };
    expect(["4xx", [401, "5xx"], 404].map(expecting)).toEqual([true, true, true]);
    expect(["2xx", [200, 409], "3xx"].map(expecting)).toEqual([undefined, undefined, undefined]);
    expect(idle(true, refused(3))).toContain("1 of 4 actions worked.");
  });

  it("counts redirects of an action as unseen writes, unless the user says that it may never succeed", () => {
    const counts = { applied: 3, skipped: 0, statuses: { 303: 3 }, unseenWrites: 3 };
    const agent = new AgentDefinition({
      actions: [action("form", { expectedStatus: 303 }), action("refused", { mayNeverSucceed: true })],
      invariants: [],
    }) as unknown as AgentDefinition<never, never>;
    const { form, refused: other, mixed } = withExemptions({ form: counts, refused: counts, mixed: counts }, agent, false);
    expect([form, other, mixed].map((one) => one!.unseenWrites)).toEqual([3, undefined, 3]);
  });

  it("exempts all where not all are required", () => {
    expect(idle(false, skipped(3)) + idle(false, refused(3))).toBe("");
  });
});
