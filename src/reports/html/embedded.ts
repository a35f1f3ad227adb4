import type { GraphLists } from "../document/graph-lists.ts";

/** The JSON data that the report's script reads from the page. Texts are indexes into `strings`, which holds each text once. All data is redacted. */
export interface Embedded {
  readonly strings: readonly string[];
  readonly graphs: readonly EmbeddedGraph[];
}

/** A graph, or the part of it that is shown. Nodes and edges are identified by their indexes in its lists, lines by their indexes in `strings`. */
export interface EmbeddedGraph extends GraphLists<number, EmbeddedExchange> {
  readonly name: string;
  /** The numbers of nodes and of edges whose details were left out to limit the size of the file. */
  readonly withoutState: number;
  readonly withoutExchanges: number;
  readonly findings: readonly EmbeddedFinding[];
}

export interface EmbeddedFinding {
  readonly id: string;
  readonly severity: string;
  /** The name of the broken rule, or of the calls that race. */
  readonly invariant: string;
  /** The indexes of the shown nodes and edges of the finding's path. */
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

/**
 * An exchange as indexes into `strings`, -1 for a missing body: `[request, request body, response, response body]`. Request and response include
 * their headers, but no times.
 */
export type EmbeddedExchange = readonly [request: number, requestBody: number, response: number, responseBody: number];
