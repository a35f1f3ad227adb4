import { beforeAll, describe, expect, it } from "vitest";
import { loadHasher, NO_ORIGINS, NOTHING_KNOWN, type Facts, type Origins } from "../../../../src/state/index.ts";
import { Canonicalizer } from "../../../../src/state/canonical/canonicalizer.ts";
import { CLOCK, stored, table, uuids, type Rows } from "../support.ts";

beforeAll(loadHasher);

const place = (...segments: readonly string[]) => ({ place: JSON.stringify(segments), after: "", domain: undefined });

/** A lane's canonicalizer that knows where the values of tables and of the context are generated. */
function knowing(): Canonicalizer {
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
  const columns = ["codes.id", "codes.hash", "codes.batch", "uses.hash", "uses.id"].map((one) => place("tables", "db", ...one.split(".")));
  const held = ["a", "b", "batch", "id"].map((key) => place("context", key));
  const canonical = new Canonicalizer(options, { ...NOTHING_KNOWN, generated: [...columns, ...held, place("context", "codes", "[]")] });
  canonical.root(stored(table("codes", "*id hash batch used", []), table("uses", "*id hash", [])));
  return canonical;
}

const world = (codes: Rows, context: Facts["context"], uses: Rows = []): Facts => ({
  ...stored(table("codes", "*id hash batch used", codes), table("uses", "*id hash", uses)),
  context,
});

function hidesLinks(facts: Facts, before?: Facts): boolean {
  const canonical = knowing();
  const step = (state: Facts, origins: Origins) =>
    canonical.renamer.observe(state, origins, { action: "make", exchanges: [], startMs: CLOCK - 5, endMs: CLOCK + 5 });
  const origins = before === undefined ? NO_ORIGINS : step(before, NO_ORIGINS).origins;
  canonical.fingerprint(step(facts, origins).facts, { lo: 0, hi: 0 });
  return canonical.hidesLinks;
}

const [id1 = "", id2 = "", hash1 = "", hash2 = "", a = "", b = "", batch = "", use1 = "", use2 = "", id3 = "", hash3 = ""] = uuids(11);
const codes = (...used: readonly number[]): Rows => [
  [id1, hash1, batch, used[0]!],
  [id2, hash2, batch, used[1]!],
];

describe("a state hides which values of a step belong together", () => {
  it.each<[string, Facts]>([
    ["the rows hold hashes of values in the context", world(codes(1, 0), { a, b })],
    ["the values in the context are a list", world(codes(1, 0), { codes: [a, b] })],
    ["the context holds only one of the values", world(codes(1, 0), { a })],
    ["rows and context share the key of the batch", world(codes(1, 0), { a, b, batch })],
    ["the rows of two tables have nothing in common", world(codes(1, 0), {}, [[use1, "x"], [use2, "y"]])], // prettier-ignore
  ])("if %s", (_what, facts) => {
    expect(hidesLinks(facts)).toBe(true);
  });

  it.each<[string, Facts, Facts?]>([
    ["the step made one row", world([[id1, hash1, batch, 0]], { a, b })],
    ["the step made only the rows", world(codes(1, 0), { batch })],
    ["two tables share a value of each row", world(codes(1, 0), {}, [[use1, hash1], [use2, hash2]])], // prettier-ignore
    ["a value of its own shares the key of all rows", world(codes(1, 0), { batch, a }, [[use1, batch]])], // prettier-ignore
    ["a value of its own shares that key over another value", world(codes(1, 0), {}, [[use1, batch], [a, use1]])], // prettier-ignore
    ["a value belongs to one of several rows", world([...codes(1, 0), [id3, hash3, batch, 0]], {}, [[use1, hash1]])],
    ["the context holds the key of a row beside the values", world(codes(1, 0), { a, b, id: id1 })],
    ["two steps made the rows", world(codes(1, 0), { a, b }), world([[id1, hash1, "", 0]], { a })],
  ])("but not if %s", (_what, facts, before) => {
    expect(hidesLinks(facts, before)).toBe(false);
  });

  it("in the same text and the same second hash as the state in which they belong together otherwise", () => {
    const canonical = knowing();
    const nameOf = (...used: readonly number[]): string => {
      const made = { action: "make", exchanges: [], startMs: CLOCK - 5, endMs: CLOCK + 5 };
      return canonical.nameOf(canonical.renamer.observe(world(codes(...used), { a, b }), NO_ORIGINS, made).facts);
    };
    expect(nameOf(1, 0)).toBe(nameOf(0, 1));
  });
});
