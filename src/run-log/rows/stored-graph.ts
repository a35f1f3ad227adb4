import type { ByDepth } from "../../reports/index.ts";
import type { StoredEdges } from "./stored-edges.ts";
import type { StoredNodes } from "./stored-nodes.ts";

/** The graph of an exploration in its run log: nodes as columns; edges are read when they are needed. */
export interface StoredGraph extends StoredNodes {
  readonly actions: readonly string[];
  readonly edges: StoredEdges;
  readonly byDepth: ByDepth;
  /** Columns of the edges; a document has them if the graph is not too large. */
  readonly lists: Readonly<Record<"edgeFrom" | "edgeAction" | "edgeTo" | "edgeStatus", Int32Array>>;
}
