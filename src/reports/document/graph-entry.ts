import type { ExplorationGraph } from "../../model/results/result.ts";
import type { GraphEntry } from "./document-types.ts";
import { grouped } from "../console/numbers.ts";

/** Transitions of a graph whose lists are in documents: some 20 MB. */
export const MOST_LISTED = 1_000_000;

/** A graph, or where its lists are read from. */
export type GraphSource = Omit<ExplorationGraph, "path">;

/**
 * A graph as it stands in the document. Its lists are made each time that they are asked for, so that one of them is in memory as plain numbers and not
 * all. Those of a large one are not asked for at all.
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
  `The lists of ${grouped(nodes)} states and ${grouped(edges)} transitions are left out, as of every graph with more than ${grouped(MOST_LISTED)} transitions; the run store has all of them.`;
