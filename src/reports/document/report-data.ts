import type { RecordedExchange } from "../../model/results/result.ts";
import type { ByDepth } from "../console/summary/by-depth.ts";
import type { Comparison } from "./compared-with.ts";
import type { RunDocument } from "./document-types.ts";
import type { GraphLists } from "./graph-lists.ts";

/** The data for report formats: the document of a run, and the graphs of its explorations with states and requests. All data is redacted. */
export interface ReportData {
  readonly document: RunDocument;
  /** The graphs of `document.explorations`, in the same order. */
  readonly graphs: readonly GraphData[];
  /** The comparisons with the previous runs of `document.explorations`, in the same order; `undefined` for an exploration without a previous run. */
  readonly comparisons?: readonly (Comparison | undefined)[] | undefined;
}

/** The explored graph, or a part of it. The `id` of a node is its number in the exploration. */
export interface GraphData extends GraphLists<string, RecordedExchange> {
  /** The numbers of states and steps by depth in the whole graph. Present if this object contains only a part of the graph. */
  readonly byDepth?: ByDepth | undefined;
}
