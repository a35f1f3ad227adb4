import { beforeAll, describe, expect, it } from "vitest";
import { explainedDifferences, loadHasher, NO_ORIGINS, NOTHING_KNOWN, type ShownState } from "../../../../src/state/index.ts";
import { Canonicalizer } from "../../../../src/state/canonical/canonicalizer.ts";
import { JSON_TEXT } from "../../../../src/state/values/places.ts";
import { CLOCK, stored, table } from "../support.ts";

beforeAll(loadHasher);

const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
const id = { place: JSON.stringify(["tables", "db", "notes", "id"]), after: "", domain: undefined };
const inJson = { place: JSON.stringify(["tables", "db", "notes", "data", JSON_TEXT, "by"]), after: "", domain: undefined };

/** The state after a request that inserted a note. */
function after(row: readonly string[], body: string = ""): ShownState {
  const canonical = new Canonicalizer(options, { ...NOTHING_KNOWN, generated: [id, inJson] });
  canonical.root(stored(table("notes", "*id data", [])));
  const exchanges = [{ method: "POST", path: "/notes", body, acting: " ", answer: row.join(" ") }];
  const step = { action: "note", exchanges, startMs: CLOCK, endMs: CLOCK + 5 };
  return canonical.shown(canonical.renamer.observe(stored(table("notes", "*id data", [row])), NO_ORIGINS, step).facts);
}

const same = "made-value-1";

describe("states with different fingerprints", () => {
  it("differ in their values", () => {
    expect(explainedDifferences(after([same, "a"]), after([same, "b"]), 8)).toEqual([
      '- systems.db.notes + {id: #1, data: "a"}',
      '+ systems.db.notes + {id: #1, data: "b"}',
    ]);
  });

  it("of values that are shown alike, the fields are named whose values come from different requests", () => {
    const [one, other] = [after([same, "a"], "k=1"), after(["made-value-2", "a"], "k=2")];
    expect(one.marked).toEqual(other.marked);
    expect(explainedDifferences(one, other, 8)).toEqual([
      "no value, but these values come from a different request or in another order: notes.id",
    ]);
  });

  it("of JSON with the same entries, the field is named in which they have another order", () => {
    const [one, other] = ['{"by":"made-value-2","x":1}', '{"x":1,"by":"made-value-2"}'].map((json) => after([same, json]));
    expect(explainedDifferences(one!, other!, 8)).toEqual([
      "no value, but these values come from a different request or in another order: notes.data",
    ]);
  });
});

it("equal states have no differences", () => {
  expect(explainedDifferences(after([same, "a"]), after(["made-value-2", "a"]), 8)).toEqual([]);
});
