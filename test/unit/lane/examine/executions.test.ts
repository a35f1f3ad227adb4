import { describe, expect, it } from "vitest";
import { Executions, type Stop } from "../../../../src/lane/examine/executions.ts";
import { fieldOf, joined, knowledgeText, NOTHING_KNOWN, readKnowledge, type Knowledge } from "../../../../src/state/index.ts";
import { stored, table } from "../../state/support.ts";

/** The orders of one execution: key, reference number, and the same number in the context. */
type Orders = readonly (readonly [id: string | number, code: string])[];

function judged(...all: readonly Orders[]) {
  const executions = new Executions(NOTHING_KNOWN, ["create"]);
  all.forEach((orders, at) => {
    const [lo, startMs] = [at, 1_000_000 + at * 1_200];
    const stop: Stop = {
      facts: { ...stored(table("orders", "*id code", orders)), context: { order: orders[0]![1] } },
      window: { startMs, endMs: startMs + 5 },
      stores: { lo, hi: 0 },
      print: { lo, hi: 0 },
      action: 0,
      status: 201,
      lines: [],
      kinds: new Map(),
    };
    executions.add([stop], startMs, false);
  });
  const { generated, suspects } = executions.judged();
  expect(suspects).toEqual([]);
  return generated.map(({ place, domain, isRandom = false }) => [
    fieldOf(place),
    domain === undefined ? "text" : fieldOf(domain),
    isRandom,
  ]);
}

describe("a time that is equal in all executions at a place where others are not", () => {
  const [fixedMs, ofSetupMs] = [Date.UTC(2027, 5, 1), Date.UTC(2027, 6, 1)];
  const times = (known: Knowledge): Knowledge["times"] => {
    const executions = new Executions(known, ["write"], (ms) => ms === ofSetupMs);
    for (let at = 0; at < 4; at++) {
      const startMs = Date.UTC(2025, 10, 21, 12) + at * 1_200;
      const prices = [fixedMs, ofSetupMs, startMs].map((ms, index): [number, string] => [index, new Date(ms).toISOString()]);
      const facts = stored(table("prices", "*id valid_to", prices));
      const print = { lo: at, hi: 0 };
      const stop: Stop = {
        facts,
        window: { startMs, endMs: startMs + 5 },
        stores: print,
        print,
        action: 0,
        status: 200,
        lines: ["?"],
        kinds: new Map(),
      };
      executions.add([stop], startMs, false);
    }
    return executions.judged().times;
  };

  it("is a constant, except if it may follow from a time of `setup`", () => {
    expect(times(NOTHING_KNOWN)).toMatchObject([{ offsets: [0], constants: [fixedMs] }]);
  });

  it("is learnt at a place that was known before, and only once", () => {
    const [{ constants, ...place }] = times(NOTHING_KNOWN) as [Knowledge["times"][number]];
    expect(constants).toEqual([fixedMs]);
    const known = { ...NOTHING_KNOWN, times: [place] };
    const learned = joined(known, { ...NOTHING_KNOWN, times: times(known) });
    expect(learned.times).toEqual([{ ...place, constants: [fixedMs] }]);
    expect(times(readKnowledge(knowledgeText(learned)))).toEqual([]);
  });
});

describe("digits in a text", () => {
  it("that do not grow are a random code, which is one value everywhere, also after a prefix", () => {
    const codes = ["48392017", "10583920", "93817264", "55102938"];
    expect(judged(...codes.map((code): Orders => [["k", code]]))).toEqual([
      ["orders.code", "text", false],
      ["context.order", "text", false],
    ]);
    expect(judged(...codes.map((code): Orders => [["k", `ORD-${code}`]]))).toEqual([
      ["orders.code", "text", false],
      ["context.order", "text", false],
    ]);
  });

  it("that grow, or are short, are numbers of a counter", () => {
    for (const codes of [
      ["000017", "000018", "000021", "000023"],
      ["100017", "100018", "100021", "100023"],
      ["17", "11", "12", "14"],
    ])
      expect(judged(...codes.map((code): Orders => [["k", code]]))[0]).toEqual(["orders.code", "orders.code", false]);
  });
});

describe("integer keys", () => {
  const keys = (...ids: readonly number[]) => judged(...ids.map((id): Orders => [[id, "x"]]))[0];

  it("that do not grow are random, so their order means nothing", () => {
    expect(keys(839_201_733, 103_829_111, 550_182_933, 201_938_110)).toEqual(["orders.id", "orders.id", true]);
  });

  it("that grow come from a counter, and so do short ones", () => {
    expect(keys(1, 4, 5, 9)).toEqual(["orders.id", "orders.id", false]);
    expect(keys(100_001, 100_004, 100_005, 100_009)).toEqual(["orders.id", "orders.id", false]);
    expect(keys(7, 2, 5, 9)).toEqual(["orders.id", "orders.id", false]);
  });
});
