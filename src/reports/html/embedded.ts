import type { GraphLists } from "../document/graph-lists.ts";

/** The JSON in the page that the report's script reads. Texts are indexes into `strings`, which holds each text once. All of it is redacted. */
export interface Embedded {
  readonly strings: readonly string[];
  readonly graphs: readonly EmbeddedGraph[];
}

/** A graph, or the part of it that is shown. Nodes and edges are named by their places in its lists, lines by their places in `strings`. */
export interface EmbeddedGraph extends GraphLists<number, EmbeddedExchange> {
  readonly name: string;
  /** Nodes and edges whose details were left out for the size of the file. */
  readonly withoutState: number;
  readonly withoutExchanges: number;
  readonly findings: readonly EmbeddedFinding[];
}

export interface EmbeddedFinding {
  readonly id: string;
  readonly severity: string;
  /** The broken rule, or the calls that race. */
  readonly invariant: string;
  /** The nodes and the edges of its path, as far as they are shown. */
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

/** `[request, request body, response, response body]` as texts, request and response with their headers, without times; -1: absent. */
export type EmbeddedExchange = readonly [request: number, requestBody: number, response: number, responseBody: number];
