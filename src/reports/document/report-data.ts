import type { RecordedExchange } from "../../model/results/result.ts";
import type { ByDepth } from "../console/by-depth.ts";
import type { RunDocument } from "./document-types.ts";
import type { GraphLists } from "./graph-lists.ts";

/** What reports with a graph are made from: a run's document, and of each of its explorations what can be shown of the graph. Redacted, as the document is. */
export interface ReportData {
  readonly document: RunDocument;
  /** One for each of `document.explorations`, in their order. */
  readonly graphs: readonly GraphData[];
}

/** The explored graph, or a part of it. Nodes are named by their numbers in the exploration. */
export interface GraphData extends GraphLists<string, RecordedExchange> {
  /** Of the whole graph, where more of it is known than what is here. */
  readonly byDepth?: ByDepth | undefined;
}
