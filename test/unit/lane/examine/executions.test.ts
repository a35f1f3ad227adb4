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

describe("a key of an id and a secret", () => {
  const HEX = ["0a1b2c3d4e5f6071", "8f9e0d1c2b3a4958", "f0e1d2c3b4a59687"];
  it.each([
    ["base64url", ["k3x9QwAbcd12", "k3-9Qw_bZZ-a", "-m3x9QwA__bc"]],
    ["base64, although one secret has only letters and digits", ["k3x9QwAbcd12", "m3+9Qw/bZZ1a", "Y3x9QwACx/bc"]],
    ["base64, although some secrets have only letters and digits", ["k3x9QwAbcd12", "m3b9QwabZZ1a", "Y3x9QwACx/bc"]],
  ])("in %s is generated in all executions", (_, secrets) => {
    const found = judged(...secrets.map((secret, at): Orders => [[HEX[at]!, `sk_${HEX[at]}.${secret}`]]));
    expect([...new Set(found.map(String))].sort()).toEqual(["context.order,text,false", "orders.code,text,false", "orders.id,text,false"]);
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

describe("a later step that writes another kind of value at a place that an earlier step made known", () => {
  const DAY = 86_400_000;
  const start = Date.UTC(2025, 10, 21, 12);

  /** Compares executions of a path that writes one key in each step. Each execution begins 1.2 s after the one before. */
  const learnt = (
    known: Knowledge,
    ...steps: readonly ((startMs: number, at: number) => string | number | undefined)[]
  ): Pick<Knowledge, "generated" | "times"> & { readonly suspects: readonly unknown[] } => {
    const executions = new Executions(known, ["write"]);
    for (let at = 0; at < 4; at++) {
      const rows: [number, string | number][] = [];
      const stops = steps.map((value, index): Stop => {
        const startMs = start + at * 1_200 + index * 20;
        const written = value(startMs, at);
        if (written !== undefined) rows.push([index, written]);
        const print = { lo: at * 10 + index, hi: 0 };
        return { facts: stored(table("keys", "*id value", [...rows])), window: { startMs, endMs: startMs + 5 }, stores: print, print, action: 0, status: 200, lines: [], kinds: new Map() }; // prettier-ignore
      });
      executions.add(stops, start + at * 1_200, false);
    }
    return executions.judged();
  };
  const later = (days: number) => (startMs: number) => new Date(startMs + days * DAY).toISOString();
  const uuid = (_: number, at: number): string =>
    [8, 4, 4, 4, 12].map((length) => `${at}b6d8d4e7e1f`.padEnd(12, String(at)).slice(0, length)).join("-");
  const code = (_: number, at: number): string => `48${at}10${at}`;
  const nothing = (): undefined => undefined;

  it("learns the offset of a time that is far from the present, and only the step that wrote it shows the offset", () => {
    const found = learnt(NOTHING_KNOWN, later(30), later(730.5), nothing);
    expect(found).toMatchObject({ generated: [], suspects: [] });
    expect(found.times).toMatchObject([{ base: "step", resolutionMs: 1, offsets: [30 * DAY, 730.5 * DAY] }]);
    expect(learnt({ ...NOTHING_KNOWN, times: found.times }, later(30), later(730.5), nothing).times).toEqual([]);
  });

  const cut =
    (unitMs: number, aheadMs = 0) =>
    (startMs: number) =>
      new Date(Math.floor((startMs + aheadMs) / unitMs) * unitMs).toISOString();

  it.each([
    ["whole seconds, then milliseconds", cut(1_000), later(0), { resolutionMs: 1, coarserMs: [1_000], offsets: [0] }],
    ["milliseconds, then whole seconds", later(0), cut(1_000), { resolutionMs: 1, coarserMs: [1_000], offsets: [0] }],
    ["whole days, then milliseconds", cut(DAY), later(0), { resolutionMs: 1, coarserMs: [DAY], offsets: [0] }],
    ["milliseconds, then tomorrow", later(0), cut(DAY, DAY), { resolutionMs: 1, coarserMs: [DAY], offsets: [0, DAY] }],
    ["milliseconds, then in 5 minutes", later(0), cut(60_000, 300_000), { resolutionMs: 1, coarserMs: [60_000], offsets: [0, 300_000] }],
    ["milliseconds, then in 30 days", later(0), cut(60_000, 30 * DAY), { resolutionMs: 1, coarserMs: [60_000], offsets: [0, 30 * DAY] }],
  ])("learns all resolutions of a place: %s", (_what, first, second, expected) => {
    const begin = start + 3 * 3_600_000 + 7 * 60_000 + 11_300;
    const [one, other] = [first, second].map((write) => (startMs: number) => write(startMs - start + begin));
    const shifted = (known: Knowledge) => {
      const executions = new Executions(known, ["write"]);
      for (let at = 0; at < 4; at++) {
        const stops = [[one!], [one!, other!], [one!, other!]].map((writes, index): Stop => {
          const times = writes.map((write, row): [number, string] => [row, write(start + at * 1_200 + row * 20)]);
          const startMs = begin + at * 1_200 + index * 20;
          const print = { lo: at * 10 + index, hi: 0 };
          return { facts: stored(table("keys", "*id value", times)), window: { startMs, endMs: startMs + 5 }, stores: print, print, action: 0, status: 200, lines: ["?"], kinds: new Map() }; // prettier-ignore
        });
        executions.add(stops, begin + at * 1_200, false);
      }
      return executions.judged();
    };
    const { times, suspects } = shifted(NOTHING_KNOWN);
    expect(suspects).toEqual([]);
    expect(times).toMatchObject([{ base: "step", ...expected }]);
    expect(times[0]!.constants).toBeUndefined();
    expect(shifted({ ...NOTHING_KNOWN, times }).times).toEqual([]);
  });

  it("learns the length of a code that is much shorter than the ids of the place", () => {
    const found = learnt(NOTHING_KNOWN, uuid, code, nothing);
    expect(found).toMatchObject({ times: [], suspects: [], generated: [{ domain: undefined, leastLength: 6 }] });
    const long = learnt(NOTHING_KNOWN, uuid);
    expect(long.generated).toMatchObject([{ leastLength: 36 }]);
    const all = joined({ ...NOTHING_KNOWN, ...long }, { ...NOTHING_KNOWN, ...learnt({ ...NOTHING_KNOWN, ...long }, uuid, code) });
    expect(all.generated).toMatchObject([{ domain: undefined, leastLength: 6 }]);
    expect(learnt(all, uuid, code, nothing).generated).toEqual([]);
  });

  it("learns if generated texts are letters without digits", () => {
    const names = ["brave-otter", "calm-badger", "tiny-heron", "sad-weasel"];
    expect(learnt(NOTHING_KNOWN, (_, at) => names[at]!).generated).toMatchObject([{ leastLength: 10, isLetters: true }]);
    expect(learnt(NOTHING_KNOWN, uuid).generated[0]).not.toHaveProperty("isLetters");
  });

  it("learns ids inside JSON at a place of whole ids", () => {
    const json = (startMs: number, at: number): string => JSON.stringify({ id: uuid(startMs, at), note: "gift" });
    const { generated, suspects } = learnt(NOTHING_KNOWN, uuid, json, nothing);
    expect(suspects).toEqual([]);
    expect(generated.map(({ place }) => place)).toEqual(
      [[], ["{}", "id"]].map((inside) => JSON.stringify(["tables", "db", "keys", "value", ...inside])),
    );
  });
});

describe("a difference that no differing value explains", () => {
  it("is shown with the values of both executions", () => {
    const executions = new Executions(NOTHING_KNOWN, ["write"]);
    for (const [at, age] of [5, 6].entries()) {
      const print = { lo: at, hi: 0 };
      const stop: Stop = {
        facts: stored(table("docs", "*id", [[1]])),
        window: { startMs: at, endMs: at },
        stores: print,
        print,
        action: 0,
        status: 200,
        lines: [`systems.db.docs + {id: #1, at: <now - ${age} ms>}`],
        kinds: new Map(),
      };
      executions.add([stop], at, false);
    }
    expect(executions.judged().suspects).toEqual([{ field: "docs.at", values: ["<now - 5 ms>", "<now - 6 ms>"] }]);
  });
});
