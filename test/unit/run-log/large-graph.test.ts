import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { size } from "../../sizes.ts";
import { writeCommit } from "../../../src/engine/commit/commit-rows.ts";
import { FINDING, KIND, ROW, SKIPPED, STATUS } from "../../../src/messages/lane-messages.ts";
import { readFindings, readRun } from "../../../src/run-log/index.ts";
import { pathsInGraph } from "../../../src/run-log/read/sample-nodes.ts";
import { readGraph } from "../../../src/run-log/read/read-graph.ts";
import { SCHEMA } from "../../../src/run-log/rows/schema.ts";
import { shownGraph } from "../../../src/run-log/read/shown-graph.ts";
import { treeOf } from "../../support/tree-graph.ts";
import { result, violation } from "../../support/results.ts";
import { configIn, graphOf, store } from "../../support/stored-runs.ts";

const folders: string[] = [];
afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));
function folder(): string {
  folders.push(mkdtempSync(join(tmpdir(), "seqqa-large-")));
  return folders.at(-1)!;
}

const NAMES = ["a", "b", "c"];
type Edge = readonly [from: number, action: number, to: number];

/** A store of a graph whose edges were committed in this order, few to a batch, with skipped pairs between them. */
function stored(edges: readonly Edge[], perBatch: number): Database.Database {
  const db = new Database(":memory:");
  db.exec(SCHEMA);
  const { nodes, parents, parentActions, depths } = graphOf(
    edges.toSorted(([a], [b]) => a - b),
    NAMES,
  );
  NAMES.forEach((name, id) => db.prepare("INSERT INTO actions VALUES (0, ?, ?, 0, 0, '{}')").run(id, name));
  for (let node = 0; node < nodes; node++)
    db.prepare("INSERT INTO nodes VALUES (0, ?, ?, ?, ?, NULL, NULL)").run(node, parents[node], parentActions[node], depths[node]);
  for (let at = 0, batch = 0; at < edges.length; at += perBatch, batch++) {
    const rows = new Int32Array(perBatch * 20);
    let end = 0;
    for (const [from, action, to] of edges.slice(at, at + perBatch)) {
      const row = new Int32Array(ROW);
      row[KIND] = SKIPPED;
      end = writeCommit(rows, end, { from, action, to: -1, rows: row, at: 0 }, -1, -1);
      row[KIND] = action === 2 ? FINDING : 0;
      row[STATUS] = 200 + action;
      end = writeCommit(rows, end, { from, action, to, rows: row, at: 0 }, -1, from);
    }
    db.prepare("INSERT INTO commits VALUES (0, ?, ?)").run(batch, Buffer.from(rows.buffer, 0, end * 4));
  }
  return db;
}

/** Pairs, each once, in any order; every node but the root is reached from a lower one. */
const graphs: fc.Arbitrary<readonly Edge[]> = fc
  .array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 3 })), { minLength: 1, maxLength: 40 })
  .chain((draws) => {
    const edges: Edge[] = [];
    const free = (start: number): number | undefined =>
      [0, 1, 2].find((action) => !edges.some(([from, one]) => from === start && one === action));
    let nodes = 1;
    for (const [draw, other, kind] of draws) {
      const from = draw % nodes;
      const action = free(from);
      if (action === undefined) continue;
      edges.push([from, action, kind === 0 ? -1 : kind === 1 ? other % nodes : nodes++]);
    }
    return fc.shuffledSubarray(edges, { minLength: edges.length });
  });

describe("paths in a stored graph", () => {
  it("are followed as far as it has them, in whatever order its edges were committed", () => {
    const paths = fc.array(fc.array(fc.constantFrom("a", "b", "c", "unknown"), { maxLength: 8 }), { maxLength: 5 });
    fc.assert(
      fc.property(graphs, paths, fc.integer({ min: 1, max: 5 }), (edges, wanted, perBatch) => {
        const nodes = new Set<number>();
        const taken = new Set<number>();
        for (const path of wanted) {
          let node = 0;
          for (const name of path) {
            nodes.add(node);
            const edge = edges.findIndex(([from, action]) => from === node && NAMES[action] === name);
            if (edge < 0) break;
            taken.add(edge);
            node = edges[edge]![2];
            if (node < 0) break;
            nodes.add(node);
          }
        }
        const db = stored(edges, perBatch);
        const found = pathsInGraph(readGraph(db, 0), wanted);
        db.close();
        expect([[...found.nodes], [...found.edges]]).toEqual([[...nodes], [...taken]]);
      }),
      { numRuns: size(12, 800) },
    );
  });
});

describe("the part of a stored graph that is shown", () => {
  it("is all of a small one, with the very edges, and tables of the whole", () => {
    fc.assert(
      fc.property(graphs, fc.integer({ min: 1, max: 5 }), (edges, perBatch) => {
        const db = stored(edges, perBatch);
        const graph = readGraph(db, 0);
        const shown = shownGraph(db, 0, graph, [["a", "b"]]);
        db.close();
        const columns = shown.edges.from.map((from, at) => [
          from,
          shown.edges.action[at],
          shown.edges.to[at],
          shown.edges.status[at],
          shown.edges.found[at],
        ]);
        expect(columns).toEqual(edges.map(([from, action, to]) => [from, action, to, 200 + action, action === 2 ? 1 : 0]));
        expect(shown.nodes.id.toSorted((a, b) => a - b)).toEqual(Array.from(graph.depths, (_, node) => node));
        const depthOf = new Map(shown.nodes.id.map((id, at) => [id, shown.nodes.depth[at]!]));
        const states = Array.from(
          { length: 1 + Math.max(...depthOf.values()) },
          (_, depth) => [...depthOf.values()].filter((one) => one === depth).length,
        );
        const executed = NAMES.map((_, action) =>
          states.map((__, depth) => edges.filter(([from, one]) => one === action && depthOf.get(from) === depth).length),
        );
        expect(shown.byDepth).toEqual({ states, executed });
      }),
      { numRuns: size(12, 400) },
    );
  });
});

describe("a stored graph of more than a million transitions", () => {
  it("is read without its lists; counts, samples and tables are of all of it", () => {
    const config = configIn(folder());
    const actions = Array.from({ length: 30 }, (_, action) => `action_${action}`);
    const graph = treeOf(1_000_020, actions);
    // Three states are behind each: the last of a depth is at the end of a path of the third of these actions alone.
    const found = violation({ reproductionPath: Array.from({ length: 10 }, () => "action_20") });
    const large = result({ graph, violations: [found], statesVisited: graph.nodes, transitions: graph.edges });
    store(config, { explorations: [{ name: "tree", file: "f", result: large }] });
    const { data } = readRun(config.report.outputDir, undefined);
    const [entry] = data.document.explorations;
    expect(entry!.graph).toMatchObject({ nodes: 100_003, edges: 1_000_020, leftOut: expect.any(String) as string, depths: [], edgeTo: [] });
    const [shown] = data.graphs;
    expect(shown).toMatchObject({ totalNodes: 100_003, totalEdges: 1_000_020 });
    expect(shown!.nodes.id).toHaveLength(5_000);
    expect(shown!.nodes.id).toContain((3 ** 11 - 3) / 2);
    expect(shown!.byDepth!.states.slice(0, 5)).toEqual([1, 3, 9, 27, 81]);
    expect(shown!.byDepth!.executed.flat().reduce((a, b) => a + b, 0)).toBe(1_000_020);
    const { document } = readFindings(config.report.outputDir, undefined).data;
    const { leftOut: _, ...rest } = entry!.graph;
    expect(document).toEqual({ ...data.document, explorations: [{ ...entry, graph: rest }] });
  });
});
