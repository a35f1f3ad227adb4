/** What the report's script reads: JSON in the page. Texts are places in `strings`, which holds each once; it is all safe to show. */
export interface Embedded {
  readonly strings: readonly string[];
  readonly graphs: readonly EmbeddedGraph[];
}

/** A graph, or the part of it that is shown. Nodes and edges are named by their places in these lists; lists of one group are indexed alike. */
export interface EmbeddedGraph {
  readonly name: string;
  readonly actions: readonly string[];
  readonly totalNodes: number;
  readonly totalEdges: number;
  /** Nodes and edges whose details were left out for the size of the file. */
  readonly withoutState: number;
  readonly withoutExchanges: number;
  readonly nodes: {
    /** The number in the exploration. */
    readonly id: readonly number[];
    /** The place of the node that it was first reached from, always a smaller one; -1 for the root. */
    readonly parent: readonly number[];
    readonly action: readonly number[];
    readonly depth: readonly number[];
    /** Lines; `null`: not in the file. */
    readonly state: readonly (readonly number[] | null)[];
  };
  readonly edges: {
    readonly from: readonly number[];
    readonly action: readonly number[];
    /** -1: no state came of it. */
    readonly to: readonly number[];
    readonly status: readonly number[];
    readonly found: readonly number[];
    readonly exchanges: readonly (readonly EmbeddedExchange[] | null)[];
  };
  readonly findings: readonly EmbeddedFinding[];
}

export interface EmbeddedFinding {
  readonly id: string;
  readonly severity: string;
  /** What is broken, or which calls race. */
  readonly invariant: string;
  /** The nodes and the edges of its path, as far as they are shown. */
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

/** `[request, request body, response, response body]` as texts, request and response with their headers, without times; -1: there is none. */
export type EmbeddedExchange = readonly [request: number, requestBody: number, response: number, responseBody: number];
