import type { ByDepth } from "../../reports/index.ts";
import type { StoredEdges } from "./stored-edges.ts";
import type { StoredNodes } from "./stored-nodes.ts";

/** The stored graph of an exploration. Nodes are in memory; edges are read on demand. */
export interface StoredGraph extends StoredNodes {
  readonly actions: readonly string[];
  readonly edges: StoredEdges;
  readonly byDepth: ByDepth;
  /** The edges as columns, in the form in which results list them; empty if the graph is too large. */
  readonly lists: Readonly<Record<"edgeFrom" | "edgeAction" | "edgeTo" | "edgeStatus", Int32Array>>;
}
