import type { ByDepth } from "../../reports/index.ts";
import type { StoredEdges } from "./stored-edges.ts";
import type { StoredNodes } from "./stored-nodes.ts";

/** The graph of an exploration as it stands in its store: its nodes as columns, its edges where they are. */
export interface StoredGraph extends StoredNodes {
  readonly actions: readonly string[];
  readonly edges: StoredEdges;
  readonly byDepth: ByDepth;
  /** Columns of the edges, which a document has of a graph that is not too large. */
  readonly lists: Readonly<Record<"edgeFrom" | "edgeAction" | "edgeTo" | "edgeStatus", Int32Array>>;
}
