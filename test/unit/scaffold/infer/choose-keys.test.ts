import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chooseKeys, reachable } from "../../../../src/scaffold/infer/setup/choose-keys.ts";
import type { PlannedAction } from "../../../../src/scaffold/infer/plan.ts";
import { size } from "../../../sizes.ts";
import { action, operation } from "../write/plans.ts";

const calls = (...all: readonly (readonly [needs: string, produces?: string])[]): readonly PlannedAction[] =>
  all.map(([needs, produces = ""], index) =>
    action(`call_${index}`, operation("get", `/${index}`), {
      needs: needs.split(" ").filter((key) => key !== ""),
      produces: produces.split(" ").flatMap((key) => (key === "" ? [] : [{ key, from: "body", path: ["id"] }])),
    }),
  );
const chosen = (actions: readonly PlannedAction[]): readonly string[] =>
  chooseKeys(actions, []).map(({ key, unlocks, reached }) => `${key} +${unlocks} = ${reached}`);

describe("keys for setup", () => {
  it("are those that unlock most actions, the best one first", () => {
    expect(chosen(calls([""], ["a"], ["b"], ["b"], ["b"], ["a"]))).toEqual(["b +3 = 4", "a +2 = 6"]);
  });

  it("count what the unlocked actions produce for others", () => {
    expect(chosen(calls(["a", "c"], ["c"], ["c"], ["b"], ["b"]))).toEqual(["a +3 = 3", "b +2 = 5"]);
  });

  it("are keys of a circle, too: only calls that need them produce them", () => {
    expect(chosen(calls(["a", "b"], ["b", "a"], ["b"]))).toEqual(["a +3 = 3"]);
  });

  it("are chosen together where one alone unlocks nothing", () => {
    expect(chosen(calls([""], ["a b"], ["a b"], ["a b"], ["c"]))).toEqual(["a +0 = 1", "b +3 = 4", "c +1 = 5"]);
  });

  it("are none if everything can be called, and at most eight", () => {
    expect(chosen(calls([""], ["", "a"], ["a"]))).toEqual([]);
    expect(chosen(calls(..."abcdefghijkl".split("").map((key) => [key] as const)))).toHaveLength(8);
  });

  it("leave out what unlocks less than a half percent", () => {
    const many = calls(...Array.from({ length: 300 }, () => [""] as const), ["a"], ["b"], ["b"]);
    expect(chosen(many)).toEqual(["b +2 = 302"]);
  });

  it("unlock as many actions as they say (a naive count)", () => {
    const key = fc.constantFrom("a", "b", "c", "d", "e", "f");
    const some = fc.uniqueArray(key, { maxLength: 3 }).map((keys) => keys.join(" "));
    fc.assert(
      fc.property(fc.array(fc.tuple(some, some), { maxLength: 14 }), (all) => {
        const actions = calls(...all);
        const given: string[] = [];
        let before = naive(actions, given);
        expect(reachable(actions)).toBe(before);
        for (const one of chooseKeys(actions, [])) {
          given.push(one.key);
          const now = naive(actions, given);
          expect(one).toMatchObject({ unlocks: now - before, reached: now });
          before = now;
        }
        // Few enough keys to be given all.
        expect(before).toBe(actions.length);
      }),
      { numRuns: size(80, 5000) },
    );
  });
});

function naive(actions: readonly PlannedAction[], given: readonly string[]): number {
  const have = new Set(given);
  const done = new Set<PlannedAction>();
  for (let more = true; more;) {
    more = false;
    for (const one of actions) {
      if (done.has(one) || !one.needs.every((key) => have.has(key))) continue;
      done.add(one);
      more = true;
      for (const { key } of one.produces) have.add(key);
    }
  }
  return done.size;
}
