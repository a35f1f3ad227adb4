import type { ExplorationGraph } from "../../model/results/result.ts";
import type { GraphEntry } from "./document-types.ts";
import { grouped } from "../console/text/numbers.ts";

/** The largest number of transitions of a graph whose lists are part of documents. Lists of this length take about 20 MB. */
export const MOST_LISTED = 1_000_000;

/** A graph in memory, or an object that reads a graph from the run log. */
export type GraphSource = Omit<ExplorationGraph, "path">;

/**
 * Returns a graph in the form of `results.json`. Each list is created when it is read, so that only one list of JavaScript numbers is in memory at a
 * time. The lists of a graph with too many transitions are left empty.
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
  `This file does not list the ${grouped(nodes)} states and ${grouped(edges)} transitions, because the graph has more than ${grouped(MOST_LISTED)} transitions. The run log has all of them.`;
