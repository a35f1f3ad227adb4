import { describe, expect, it } from "vitest";
import { inconclusiveEvents } from "../../../../src/lane/report/inconclusive-events.ts";

describe("why a rule could not judge", () => {
  it.each([
    ["as it is", "no stores", "no stores"],
    ["as it is, up to 300 characters", "a".repeat(300), "a".repeat(300)],
    ["cut, if it is longer", "!".repeat(301), `${"!".repeat(300)}... (301 characters)`],
    [
      "cut before a word that would be cut in two",
      `said: ${"x".repeat(290)} to-ken.1`.padEnd(400, "y"),
      `said: ${"x".repeat(290)} ... (400 characters)`,
    ],
    ["cut to nothing, if it is one word", "s".repeat(301), "... (301 characters)"],
    ["cut between characters", `${"!".repeat(299)}😀`, `${"!".repeat(299)}... (301 characters)`],
  ])("is kept %s", (_, why, what) => {
    expect(inconclusiveEvents("rule", why)).toEqual({ invariant: "rule", what });
  });

  it.each([
    [undefined, "nothing"],
    [null, "null"],
    ["", "an empty text"],
    [" \n", "an empty text"],
    [7, "a value of type number"],
    [{ toString: () => "no stores" }, "a value of type object"],
    [Symbol("no stores"), "a value of type symbol"],
  ])("is a text: %o is refused", (why, given) => {
    const message = `A rule called step.inconclusive() with ${given}. Pass a short text that says why the rule cannot judge the step.`;
    expect(() => inconclusiveEvents("rule", why)).toThrow(new TypeError(message));
  });
});
