import type { Embedded, EmbeddedExchange, EmbeddedGraph } from "../../../embedded.ts";

/** A line in the comparison of a node's state with its parent's. */
export interface StateLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

/** An exchange with its texts. */
export interface ShownExchange {
  readonly request: string;
  readonly requestBody: string | undefined;
  readonly response: string;
  readonly responseBody: string | undefined;
}

/** Answers the questions of the views about an exploration's graph. Nodes and edges are named by their places. */
export class GraphModel {
  readonly graph: EmbeddedGraph;
  readonly nodes: number;
  readonly edges: number;
  readonly #strings: readonly string[];
  readonly #out: readonly (readonly number[])[];
  readonly #in: readonly (readonly number[])[];

  constructor(graph: EmbeddedGraph, { strings }: Embedded) {
    this.graph = graph;
    this.#strings = strings;
    this.nodes = graph.nodes.id.length;
    this.edges = graph.edges.from.length;
    const out: number[][] = Array.from({ length: this.nodes }, () => []);
    const into: number[][] = Array.from({ length: this.nodes }, () => []);
    for (let edge = 0; edge < this.edges; edge++) {
      out[graph.edges.from[edge]!]!.push(edge);
      const to = graph.edges.to[edge]!;
      if (to >= 0) into[to]!.push(edge);
    }
    this.#out = out;
    this.#in = into;
  }

  /** Edges that begin at a node. */
  leaving(node: number): readonly number[] {
    return this.#out[node]!;
  }

  /** Edges that lead to a node. */
  reaching(node: number): readonly number[] {
    return this.#in[node]!;
  }

  /** The number of a node that people see. */
  numberOf(node: number): number {
    return this.graph.nodes.id[node]!;
  }

  actionName(action: number): string {
    return this.graph.actions[action] ?? "";
  }

  /** The edge by which a node was first reached; `undefined` for the root, and if the edge is not in the file. */
  firstEdge(node: number): number | undefined {
    const { parent, action } = this.graph.nodes;
    return this.reaching(node).find(
      (edge) => this.graph.edges.from[edge] === parent[node] && this.graph.edges.action[edge] === action[node],
    );
  }

  /** Nodes from the root to this one, both included. */
  chain(node: number): readonly number[] {
    const chain: number[] = [];
    for (let at = node; at >= 0; at = this.graph.nodes.parent[at]!) chain.unshift(at);
    return chain;
  }

  /** Returns a text by its place in the file. */
  text(place: number): string {
    return this.#strings[place] ?? "";
  }

  state(node: number): readonly string[] | undefined {
    return this.graph.nodes.state[node]?.map((place) => this.#strings[place]!);
  }

  /** The lines of the state, and lines of the parent's state that are missing in it; `undefined`: not in the file. */
  stateLines(node: number): readonly StateLine[] | undefined {
    const lines = this.state(node);
    if (lines === undefined) return undefined;
    const before = this.#parentState(node);
    if (before === undefined) return lines.map((text) => ({ kind: "same", text }));
    const left = new Map<string, number>();
    for (const line of before) left.set(line, (left.get(line) ?? 0) + 1);
    const now = lines.map((text): StateLine => {
      const count = left.get(text) ?? 0;
      if (count === 0) return { kind: "added", text };
      left.set(text, count - 1);
      return { kind: "same", text };
    });
    const removed = [...left].flatMap(([text, count]) => Array.from({ length: count }, (): StateLine => ({ kind: "removed", text })));
    return [...removed, ...now];
  }

  exchanges(edge: number): readonly ShownExchange[] | undefined {
    return this.graph.edges.exchanges[edge]?.map((one) => this.#shown(one));
  }

  #shown([request, requestBody, response, responseBody]: EmbeddedExchange): ShownExchange {
    const text = (place: number): string | undefined => (place < 0 ? undefined : this.#strings[place]);
    return {
      request: text(request) ?? "",
      requestBody: text(requestBody),
      response: text(response) ?? "",
      responseBody: text(responseBody),
    };
  }

  #parentState(node: number): readonly string[] | undefined {
    const parent = this.graph.nodes.parent[node]!;
    return parent < 0 ? undefined : this.state(parent);
  }
}
