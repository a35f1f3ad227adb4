import type { GraphEntry } from "../reports/index.ts";

/** The whole graph of an exploration as it stands in the document, and per edge whether a finding is on it (1). */
export interface StoredGraph extends Omit<GraphEntry, "nodes" | "edges"> {
  readonly edgeFound: readonly number[];
}
