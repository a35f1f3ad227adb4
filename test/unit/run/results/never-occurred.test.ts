import { describe, expect, it } from "vitest";
import { Occurred } from "../../../../src/engine/commit/occurred-keys.ts";
import type { LaneReport } from "../../../../src/messages/lane-messages.ts";
import { neverOccurredNotes } from "../../../../src/run/results/never-occurred.ts";

function notes(
  patterns: readonly string[],
  names: readonly string[],
  steps = 200,
  stopReason: "exhausted" | "max_steps" | "interrupted" = "max_steps",
): readonly string[] {
  const occurred = new Occurred();
  occurred.root({ ignored: { patterns, occurred: [] } } as unknown as LaneReport);
  occurred.add(names);
  return neverOccurredNotes({ stopReason, committer: { steps }, occurred });
}

describe("a name under ignore that never occurred", () => {
  it.each([
    ["tokn", 'in the context. Did you mean "token"?'],
    ["context.tokn.exp", 'in the context. Did you mean "context.token.exp"?'],
    ["context.tokn[].exp", 'in the context. Did you mean "context.token[].exp"?'],
    ["token.exp", 'in the context. Did you mean "context.token.exp"?'],
    ["tokn.exp", 'in the context. Did you mean "context.token.exp"?'],
    ["context.token.exq", "in the context."],
    ["updatedAt", "in the context."],
    ["clients.alice.tokn", "in the clients."],
    ["systems.probe.items[].id", "in the systems."],
    ['cart.value where {"key":"a:*"}', "in the rows that the run changed."],
  ])("%s is said to be not %s", (pattern, says) => {
    expect(notes([pattern], ["cart", "token"])).toEqual([
      `The pattern "${pattern}" of ignore had no effect, because it never occurred ${says}`,
    ]);
  });

  it("is said of a run that explored enough to know, and of none that was interrupted", () => {
    expect(notes(["tokn"], [], 199)).toEqual([]);
    expect(notes(["tokn"], [], 1, "exhausted")).toHaveLength(1);
    expect(notes(["tokn"], [], 0, "exhausted")).toEqual([]);
    expect(notes(["tokn"], [], 1000, "interrupted")).toEqual([]);
  });
});

describe("what occurred", () => {
  it("is asked for until every pattern is found, and never where there is none", () => {
    const occurred = new Occurred();
    expect(occurred.asked).toBeUndefined();
    occurred.root({ ignored: { patterns: ["token", "cart"], occurred: ["user", "cart"] } } as unknown as LaneReport);
    expect(occurred.asked).toEqual(["user", "cart"]);
    occurred.add(["token"]);
    expect([occurred.asked, occurred.missing]).toEqual([undefined, []]);
  });
});
