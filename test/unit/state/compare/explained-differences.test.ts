import { beforeAll, describe, expect, it } from "vitest";
import { explainedDifferences, loadHasher, NO_ORIGINS, NOTHING_KNOWN, type ShownState } from "../../../../src/state/index.ts";
import { Canonicalizer } from "../../../../src/state/canonical/canonicalizer.ts";
import { contentOf } from "../../../../src/state/compare/knowledge.ts";
import { JSON_TEXT, JWT_TEXT } from "../../../../src/state/values/places.ts";
import { CLOCK, stored, table } from "../support.ts";

beforeAll(loadHasher);

const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
const id = { place: JSON.stringify(["tables", "db", "notes", "id"]), after: "", domain: undefined };
const inJson = { place: JSON.stringify(["tables", "db", "notes", "data", JSON_TEXT, "by"]), after: "", domain: undefined };
const at = {
  place: JSON.stringify(["tables", "db", "notes", "at", JWT_TEXT, "claims", "iat"]),
  after: "",
  resolutionMs: 1_000,
  base: "step",
} as const;

/** The state after a request that inserted a note. */
function after(row: readonly string[], body: string = "", ordered: readonly string[] = [], state: string = ""): ShownState {
  const canonical = new Canonicalizer({ ...options, ordered }, { ...NOTHING_KNOWN, generated: [id, inJson], times: [at] });
  canonical.root(stored(table("notes", "*id data at", [])));
  const exchanges = [{ method: "POST", path: "/notes", body, acting: " ", answer: row.join(" ") }];
  const step = { action: "note", exchanges, startMs: CLOCK, endMs: CLOCK + 5 };
  return canonical.shown(
    canonical.renamer.observe(stored(table("notes", "*id data at", [row])), { ...NO_ORIGINS, at: state, atStores: state }, step).facts,
  );
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
    expect(explainedDifferences(one, other, 8)).toEqual(["All shown values are equal, but the order or the request differs in: notes.id"]);
  });

  it("of values that are shown alike, only the fields are named whose source states the fingerprints contain", () => {
    const part = (content: object): string => Buffer.from(JSON.stringify(content)).toString("base64url");
    const token = `${part({ alg: "HS256" })}.${part({ iat: CLOCK })}.c2lnbmF0dXJl`;
    const inTwoStates = (ordered: readonly string[]): readonly string[] => {
      const [one, other] = ["1", "2"].map((state) => after([`made-value-${state}`, "a", token], `k=${state}`, ordered, state));
      return explainedDifferences(one!, other!, 8);
    };
    const text = "All shown values are equal, but the order or the request differs in:";
    expect(inTwoStates([])).toEqual([`${text} notes.id`]);
    expect(inTwoStates([contentOf(at.place)])).toEqual([`${text} notes.at, notes.id`]);
  });

  it("of JSON with the same entries, the field is named in which they have another order", () => {
    const [one, other] = ['{"by":"made-value-2","x":1}', '{"x":1,"by":"made-value-2"}'].map((json) => after([same, json]));
    expect(explainedDifferences(one!, other!, 8)).toEqual([
      "All shown values are equal, but the order or the request differs in: notes.data",
    ]);
  });
});

it("equal states have no differences", () => {
  expect(explainedDifferences(after([same, "a"]), after(["made-value-2", "a"]), 8)).toEqual([]);
});
