import { expect, it } from "vitest";
import type { Committer } from "../../../../src/engine/commit/committer.ts";
import { graphPaths } from "../../../../src/engine/graph/graph-path.ts";
import { committerAt, findingNews, rowsOf } from "../rows.ts";

const A = 0;
const B = 1;

function committerOf(edges: readonly (readonly [from: number, action: number, to: number, found?: boolean])[]): Committer {
  const committer = committerAt(["a", "b"]);
  for (const [from, action, to, found = false] of edges)
    committer.commit(from, action, { rows: rowsOf([{ to, found }]), at: 0, stepEvents: found ? findingNews(action) : undefined });
  return committer;
}

it("is the shortest way over clean edges to any state that the finding was seen at", () => {
  // Depth first along a chain of four; an edge from the root to its third state is committed last.
  const committer = committerOf([
    [0, A, 1],
    [1, A, 2],
    [2, A, 3],
    [3, B, 9, true],
    [2, B, 8, true],
    [0, B, 3],
  ]);
  const [found] = committer.findings.violations.values();
  expect(found).toMatchObject({ path: [A, A, B], count: 2, from: [3, 2] });
  // What is drawn at the third state is drawn by the way that it was opened by.
  expect(graphPaths(committer)(found!)).toEqual({ path: [B, B], draws: [[], [A, A, A]] });
});

it("does not go through a state over an edge that has a finding itself", () => {
  const committer = committerOf([
    [0, A, 1],
    [1, A, 2],
    [0, B, 2, true],
    [2, A, 9, true],
  ]);
  const found = [...committer.findings.violations.values()].find(({ lastAction }) => lastAction === "a");
  expect(graphPaths(committer)(found!)).toEqual({ path: [A, A, A], draws: undefined });
});
