import { expect, it } from "vitest";
import { completeToDepth } from "../../../../src/engine/search/completeness.ts";
import { EdgeLog } from "../../../../src/engine/graph/edge-log.ts";

function logOf(edges: readonly (readonly [from: number, to: number, clean?: boolean])[]): EdgeLog {
  const log = new EdgeLog();
  for (const [from, to, clean = true] of edges) log.add({ from, action: 0, to, status: 200, clean, found: false });
  return log;
}

it("with nothing open, everything is complete", () => {
  expect(completeToDepth(logOf([[0, 1]]), 2, new Set(), 7)).toBe(7);
});

it("is the distance of the nearest open state", () => {
  const chain = logOf([
    [0, 1],
    [1, 2],
    [2, 3],
  ]);
  expect(completeToDepth(chain, 4, new Set([3]), 3)).toBe(3);
  expect(completeToDepth(chain, 4, new Set([3, 1]), 3)).toBe(1);
  expect(completeToDepth(chain, 4, new Set([0]), 3)).toBe(0);
});

it("goes by committed edges, not by the order in which states were found", () => {
  // Depth first found 3 along a chain; an edge from the root shows that it lies at depth 1.
  expect(
    completeToDepth(
      logOf([
        [0, 1],
        [1, 2],
        [2, 3],
        [0, 3],
      ]),
      4,
      new Set([3]),
      3,
    ),
  ).toBe(1);
});

it("does not go along edges with a finding, nor to where there is no state", () => {
  expect(
    completeToDepth(
      logOf([
        [0, 1],
        [1, 2],
        [0, 2, false],
        [0, -1, false],
      ]),
      3,
      new Set([2]),
      2,
    ),
  ).toBe(2);
});
