import type { RecordedExchange } from "../../model/results/result.ts";
import type { ByDepth } from "../console/by-depth.ts";
import type { Comparison } from "./compared-with.ts";
import type { RunDocument } from "./document-types.ts";
import type { GraphLists } from "./graph-lists.ts";

/**
 * The data of reports with a graph: a run's document, and for each of its explorations the part of the graph that can be shown. Redacted, as the
 * document is.
 */
export interface ReportData {
  readonly document: RunDocument;
  /** One for each of `document.explorations`, in their order. */
  readonly graphs: readonly GraphData[];
  /** One for each of `document.explorations`, in their order: what changed since the previous run; `undefined` where there is none. */
  readonly comparisons?: readonly (Comparison | undefined)[] | undefined;
}

/** The explored graph, or a part of it. Nodes are named by their numbers in the exploration. */
export interface GraphData extends GraphLists<string, RecordedExchange> {
  /** The counts of the whole graph, where more of it is known than is here. */
  readonly byDepth?: ByDepth | undefined;
}
