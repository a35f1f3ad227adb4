import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { plot } from "../../../bench/strategies/plot.ts";
import { STRATEGIES, type BedResult, type Moment } from "../../../bench/strategies/run-bed.ts";
import { summarise } from "../../../bench/strategies/summary.ts";
import { table } from "../../../bench/strategies/table.ts";
import { parseXml, type Element } from "../../support/xml.ts";

const SEEDS = 3;
const bed = (name: string, moment: (strategy: number, seed: number) => Moment | null): BedResult => ({
  bed: { name, agent: "a.ts", env: {}, maxSteps: 1000 },
  reference: { findings: 2, states: 10, steps: 100, stopReason: "exhausted" },
  samples: Array.from({ length: SEEDS }, (_, seed) => seed).flatMap((seed) =>
    STRATEGIES.map((strategy, index) => {
      const all = moment(index, seed);
      return { strategy, seed, first: { steps: 5, ms: 0.5 }, all, found: all === null ? 1 : 2 };
    }),
  ),
});

const all = (element: Element): readonly Element[] => [element, ...element.children.flatMap(all)];

describe("the table of strategies", () => {
  it("has medians with quartiles, and says what was missed and what no seed changed", () => {
    const moment = (strategy: number, seed: number): Moment | null =>
      strategy === 2 && seed === 0 ? null : { steps: strategy === 0 ? 40 : 40 + 10 * seed, ms: 250 };
    const lines = table([summarise(bed("shop", moment))]).split("\n");
    expect(lines[1]).toBe("shop: 2 to find, 100 steps in all");
    expect(lines[2]).toMatch(/^ {2}bfs +5 +0\.50 +40 +250 +steps alike for every seed$/);
    expect(lines[3]).toMatch(/^ {2}dfs +5 +0\.50 +50 \(45 to 55\) +250$/);
    expect(lines[4]).toMatch(/^ {2}random +5 +0\.50 +60 \(55 to -\) +250 \(250 to -\) +missed all with 1, the first with 0 of 3 seeds$/);
  });
});

describe("the plot of strategies", () => {
  it("is well-formed, has a box for each figure of each strategy within the picture, and an arrow for each that was missed", () => {
    const moments = fc.option(fc.record({ steps: fc.integer({ min: 0, max: 1e6 }), ms: fc.double({ min: 0, max: 1e6, noNaN: true }) }));
    fc.assert(
      fc.property(fc.array(moments, { minLength: 12, maxLength: 12 }), fc.string(), (values, name) => {
        const one = summarise(bed(name, (strategy, seed) => values[strategy * SEEDS + seed]!));
        const root = parseXml(plot([one, one], "a machine & a day"));
        const elements = all(root);
        const boxes = elements.filter(({ attributes }) => attributes["class"] === "box");
        expect(boxes).toHaveLength(2 * 4 * STRATEGIES.length);
        const missed = STRATEGIES.filter((_, strategy) => values.slice(strategy * SEEDS, strategy * SEEDS + SEEDS).includes(null));
        // Steps and milliseconds to all, for both.
        expect(elements.filter(({ attributes }) => attributes["data-missed"] === "true")).toHaveLength(missed.length * 2 * 2);
        const [width, height] = [Number(root.attributes["width"]), Number(root.attributes["height"])];
        for (const { attributes } of elements) {
          for (const x of ["x", "x1", "x2"]) if (attributes[x] !== undefined) expect(within(attributes[x], width)).toBe(true);
          for (const y of ["y", "y1", "y2"]) if (attributes[y] !== undefined) expect(within(attributes[y], height)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });
});

const within = (text: string, most: number): boolean => Number(text) >= 0 && Number(text) <= most;
