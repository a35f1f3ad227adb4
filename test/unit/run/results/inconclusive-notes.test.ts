import { describe, expect, it } from "vitest";
import type { Committer } from "../../../../src/engine/commit/committer.ts";
import type { InconclusiveEvent } from "../../../../src/messages/lane-messages.ts";
import { inconclusiveNotes } from "../../../../src/run/results/inconclusive-notes.ts";
import { committerAt, rowsOf } from "../../engine/rows.ts";

/** A committer that has these from a step each. */
function committerOf(all: readonly InconclusiveEvent[]): Committer {
  const committer = committerAt(["a"]);
  const rows = rowsOf([{ to: 1 }]);
  for (const one of all)
    committer.commit(0, 0, { rows, at: 0, stepEvents: { unit: 0, action: 0, findings: [], errors: [], exchanges: [], unjudged: [one] } });
  return committer;
}

const orders = (count: number): InconclusiveEvent[] =>
  Array.from({ length: count }, (_, id) => ({ invariant: "own", what: `order ${id}` }));

describe("what rules could not judge", () => {
  it("is said by rule and reason, most frequent first", () => {
    const [first, second] = orders(2) as [InconclusiveEvent, InconclusiveEvent];
    expect(inconclusiveNotes(committerOf([first, second, second, { ...first, invariant: "other", partly: true }]), ["a"])).toEqual([
      "Inconclusive: the rule own could not be checked in 2 of the 4 steps of a: order 1.",
      "Inconclusive: the rule own could not be checked in 1 of the 4 steps of a: order 0.",
      "Inconclusive: the rule other could be checked only in part in 1 of the 4 steps of a: order 0.",
    ]);
  });

  it("is counted together beyond a thousand reasons, and those that are known are counted on", () => {
    const all = orders(5000);
    const committer = committerOf([...all, all[7]!, all[4999]!]);
    expect(committer.unjudged.reasons).toHaveLength(1000);
    const notes = inconclusiveNotes(committer, ["a"]);
    expect(notes).toHaveLength(21);
    expect(notes[0]).toBe("Inconclusive: the rule own could not be checked in 2 of the 5,002 steps of a: order 7.");
    expect(notes[20]).toBe("Inconclusive: rules could not be checked in 4,981 more steps, for other reasons.");
  });
});
