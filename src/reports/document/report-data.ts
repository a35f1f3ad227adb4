import type { RecordedExchange } from "../../model/results/result.ts";
import type { ByDepth } from "../console/by-depth.ts";
import type { Comparison } from "./compared-with.ts";
import type { RunDocument } from "./document-types.ts";
import type { GraphLists } from "./graph-lists.ts";

/** The redacted data of reports with a graph: the document of a run, and the part of each exploration's graph that can be shown. */
export interface ReportData {
  readonly document: RunDocument;
  /** The graph of each entry of `document.explorations`, in the same order. */
  readonly graphs: readonly GraphData[];
  /** The changes since the previous run, for each entry of `document.explorations`; `undefined` if there is no previous run. */
  readonly comparisons?: readonly (Comparison | undefined)[] | undefined;
}

/** The explored graph, or a part of it. Nodes have the numbers that they have in the exploration. */
export interface GraphData extends GraphLists<string, RecordedExchange> {
  /** The counts of the whole graph, if they are known and the graph here is only a part. */
  readonly byDepth?: ByDepth | undefined;
}
