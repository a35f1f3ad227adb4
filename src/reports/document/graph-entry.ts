import type { ExplorationGraph } from "../../model/results/result.ts";
import type { GraphEntry } from "./document-types.ts";
import { grouped } from "../console/numbers.ts";

/** The largest number of transitions whose lists appear in documents, about 20 MB. */
export const MOST_LISTED = 1_000_000;

/** A graph, or a reader of its lists. */
export type GraphSource = Omit<ExplorationGraph, "path">;

/**
 * Returns a graph in the form of the run document. Each list is created when it is accessed, so that only one list at a time is in memory as plain
 * numbers. The lists of a large graph are not accessed at all.
 */
export function graphEntry(graph: GraphSource): GraphEntry {
  const { actions, nodes, edges } = graph;
  const isListed = edges <= MOST_LISTED;
  const list = (name: Exclude<keyof GraphSource, "actions" | "nodes" | "edges">): readonly number[] =>
    isListed ? Array.from(graph[name]) : [];
  return {
    actions,
    nodes,
    edges,
    ...(isListed ? {} : { leftOut: leftOut(nodes, edges) }),
    get parents() {
      return list("parents");
    },
    get parentActions() {
      return list("parentActions");
    },
    get depths() {
      return list("depths");
    },
    get edgeFrom() {
      return list("edgeFrom");
    },
    get edgeAction() {
      return list("edgeAction");
    },
    get edgeTo() {
      return list("edgeTo");
    },
    get edgeStatus() {
      return list("edgeStatus");
    },
  };
}

const leftOut = (nodes: number, edges: number): string =>
  `The lists of ${grouped(nodes)} states and ${grouped(edges)} transitions are left out, as for every graph with more than ${grouped(MOST_LISTED)} transitions; the run log has all of them.`;
