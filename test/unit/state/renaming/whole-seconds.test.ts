import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { Executions, type Stop } from "../../../../src/lane/examine/executions.ts";
import { loadHasher, NO_ORIGINS, NOTHING_KNOWN, type Facts, type Knowledge } from "../../../../src/state/index.ts";
import { Canonicalizer } from "../../../../src/state/canonical/canonicalizer.ts";
import { size } from "../../../sizes.ts";
import { CLOCK, stored, table } from "../support.ts";

beforeAll(loadHasher);

const SECOND = 1_000;
const BEGIN = Math.floor(CLOCK / SECOND) * SECOND;

/** How a target turns a time into whole seconds. */
const CUTS = { dropped: Math.floor, rounded: Math.round } as const;
/** How a store shows whole seconds. */
const FORMS = {
  "seconds since 1970": (s: number) => s,
  "text of ISO 8601": (s: number) => new Date(s * SECOND).toISOString().replace(".000", ""),
  "datetime() of SQLite": (s: number) => new Date(s * SECOND).toISOString().slice(0, 19).replace("T", " "),
  "Date of a driver": (s: number) => new Date(s * SECOND),
} as const;

/** A step that begins `phaseMs` after the beginning of a second, and writes after `atMs` of its `tookMs`. */
interface Timing {
  readonly phaseMs: number;
  readonly tookMs: number;
  readonly atMs: number;
}

interface Column {
  readonly cut: keyof typeof CUTS;
  readonly form: keyof typeof FORMS;
}

const until = ({ cut, form }: Column, offset: number, beginMs: number, { atMs }: Timing) =>
  FORMS[form](CUTS[cut]((beginMs + atMs + offset) / SECOND));

const facts = (...all: readonly unknown[]): Facts =>
  stored(
    table(
      "locks",
      "*id until",
      all.map((value, id) => [id, value as string]),
    ),
  );

/** Returns what two executions of steps that write these offsets show, each to a row of its own. The second one begins at another phase. */
function learnt(column: Column, offsets: readonly number[], timings: readonly [Timing, Timing]): Knowledge {
  const executions = new Executions(NOTHING_KNOWN, ["write"]);
  for (const [at, timing] of timings.entries()) {
    const values: unknown[] = [];
    const stops = offsets.map((offset, index): Stop => {
      const startMs = BEGIN + at * 2_000 + timing.phaseMs + index * timing.tookMs;
      values.push(until(column, offset, startMs, timing));
      const print = { lo: at * 10 + index, hi: 0 };
      const window = { startMs, endMs: startMs + timing.tookMs };
      return { facts: facts(...values), window, stores: print, print, action: 0, status: 200, lines: ["?"], kinds: new Map() };
    });
    executions.add(stops, BEGIN + at * 2_000, false);
  }
  const { times, suspects } = executions.judged();
  expect(suspects).toEqual([]);
  return { ...NOTHING_KNOWN, times };
}

/** Returns the name of a time that a step writes, and if the time was in the future. */
function named(knowledge: Knowledge, column: Column, offset: number, timing: Timing): string {
  const options = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
  const canonical = new Canonicalizer(options, knowledge);
  canonical.root(stored(table("locks", "*id until", [])));
  const startMs = BEGIN + 100_000 + timing.phaseMs;
  const step = { action: "write", exchanges: [], startMs, endMs: startMs + timing.tookMs };
  const seen = canonical.renamer.observe(facts(until(column, offset, startMs, timing)), NO_ORIGINS, step);
  return [...seen.origins.times.values()].map(({ name, isFuture }) => `${name}${isFuture ? " ahead" : ""}`).join();
}

/** Steps of up to 200 ms. @param latestMs The latest phase at which they end. */
const timing = (latestMs: number, earliestMs = 0): fc.Arbitrary<Timing> =>
  fc
    .tuple(fc.integer({ min: earliestMs, max: latestMs - 1 }), fc.integer({ min: 0, max: 199 }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([phaseMs, took, at]) => {
      const tookMs = Math.min(took, latestMs - phaseMs);
      return { phaseMs, tookMs, atMs: Math.floor(at * tookMs) };
    });
const column: fc.Arbitrary<Column> = fc.record({
  cut: fc.constantFrom(...(Object.keys(CUTS) as (keyof typeof CUTS)[])),
  form: fc.constantFrom(...(Object.keys(FORMS) as (keyof typeof FORMS)[])),
});
/** Two executions of which one begins in the first half of a second, as the experiments arrange it if the first one leaves an offset open. */
const timings = fc.tuple(timing(480, 20), timing(980)).chain((pair) => fc.constantFrom(pair, [pair[1], pair[0]] as const));
const shortTimings = timings
  .filter((both) => both.every(({ tookMs }) => tookMs < 5))
  .filter((both) => both.some(({ phaseMs }) => phaseMs < 450));
const exactly = (phaseMs: number): Timing => ({ phaseMs, tookMs: 0, atMs: 0 });
const ahead = (offset: number): string => `step${offset}${offset > 0 ? " ahead" : ""}`;

describe("a time in whole seconds", () => {
  it.each([0, 1, 2, 3, 7, 16, 60, 300, 3_600].map((seconds) => seconds * SECOND))(
    "that lies %s ms ahead has one name at each phase",
    (offset) => {
      fc.assert(
        fc.property(column, timings, timing(1_150), (one, both, later) => {
          const knowledge = learnt(one, [offset], both);
          expect(named(knowledge, one, offset, later)).toBe(ahead(offset));
        }),
        { numRuns: size(100, 300) },
      );
    },
  );

  it.each(
    [
      [0, 2_000],
      [0, 2_000, 4_000],
      [0, 5_000],
      [0, 600_000],
    ].map((offsets) => [offsets]),
  )("has one name at each phase, if the offsets of its place lie 2 s or more apart: %s", (offsets) => {
    fc.assert(
      fc.property(column, shortTimings, timing(1_150), (one, both, later) => {
        const knowledge = learnt(one, offsets, both);
        expect(offsets.map((offset) => named(knowledge, one, offset, later))).toEqual(offsets.map(ahead));
      }),
      { numRuns: size(100, 300) },
    );
  });

  it.each(
    [
      [0, 1_000],
      [1_000, 2_000],
      [0, 1_000, 2_000, 3_000],
      [-1_000, 0],
      [2_000, 16_000],
    ].map((offsets) => [offsets]),
  )("has one name in the first half of a second, if its place has other offsets near: %s", (offsets) => {
    fc.assert(
      fc.property(column, shortTimings, timing(490), (one, both, later) => {
        const knowledge = learnt(one, offsets, both);
        expect(offsets.map((offset) => named(knowledge, one, offset, later))).toEqual(offsets.map(ahead));
      }),
      {
        numRuns: size(100, 300),
        // At the very beginning of a second, two offsets are equally near.
        examples: [[{ cut: "dropped", form: "seconds since 1970" }, [exactly(20), exactly(0)], exactly(0)]],
      },
    );
  });
});
