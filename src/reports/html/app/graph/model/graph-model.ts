import type { Embedded, EmbeddedExchange, EmbeddedGraph } from "../../../embedded.ts";
import type { ActionCount, Groups } from "./groups.ts";
import { stateLabel } from "./state-label.ts";

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

/** The part of the page's data that a graph's texts are in; other pages give their own. */
export interface Texts extends Pick<Embedded, "strings"> {
  /** Where the graph is shown; default: in the file of a report. */
  readonly shownIn?: "report" | "page" | undefined;
}

/** Answers the questions of the views about an exploration's graph. Nodes and edges are named by their places. */
export class GraphModel {
  readonly graph: EmbeddedGraph;
  /** Set if the nodes are groups of states. */
  readonly groups: Groups | undefined;
  readonly #labels: (string | undefined)[] = [];
  readonly texts: Texts;
  readonly #out: number[][] = [];
  readonly #in: number[][] = [];
  #edges = 0;

  /** @param groups the states behind the nodes, if these are groups of states */
  constructor(graph: EmbeddedGraph, texts: Texts, groups?: Groups) {
    this.graph = graph;
    this.groups = groups;
    this.texts = texts;
    this.grew();
  }

  /** Takes the nodes and edges that were added to the ends of the graph's lists. */
  grew(): void {
    const { nodes, edges } = this.graph;
    while (this.#out.length < nodes.id.length) {
      this.#out.push([]);
      this.#in.push([]);
    }
    for (; this.#edges < edges.from.length; this.#edges++) {
      this.#out[edges.from[this.#edges]!]!.push(this.#edges);
      const to = edges.to[this.#edges]!;
      if (to >= 0) this.#in[to]!.push(this.#edges);
    }
  }

  get nodes(): number {
    return this.#out.length;
  }

  get edges(): number {
    return this.#edges;
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

  /** The name of a state in commands; empty: unknown. */
  stateName(node: number): string {
    return this.graph.nodes.name?.[node] ?? "";
  }

  /** The name of a node in texts. */
  nameOf(node: number): string {
    return this.groups === undefined ? `state ${this.numberOf(node)}` : `group ${node + 1}`;
  }

  /** The number that people see of a state of a group. */
  memberNumber(state: number): number {
    return this.groups?.numbers[state] ?? state;
  }

  /** The number of states behind a node. */
  weightOf(node: number): number {
    return this.groups?.members[node]!.length ?? 1;
  }

  /** A short text for a node: what it has in common as a group, else what differs from its parent; empty if the file does not have it. */
  labelOf(node: number): string {
    return (this.#labels[node] ??= this.#label(node));
  }

  #label(node: number): string {
    const { groups } = this;
    if (groups !== undefined) return groupLabel(groups, node);
    const [own, parent] = [this.state(node), this.graph.nodes.parent[node]!];
    const before = parent < 0 ? undefined : this.state(parent);
    if (parent < 0) return "root";
    return own === undefined || before === undefined ? "" : stateLabel(before, own);
  }

  /** The name of an edge; of a group's edge with several actions the most frequent one, and the number of the others. */
  edgeName(edge: number): string {
    const more = this.actionsOf(edge).length - 1;
    return this.actionName(this.actionsOf(edge)[0]!.action) + (more > 0 ? ` +${more}` : "");
  }

  /** The actions of the transitions behind an edge. */
  actionsOf(edge: number): readonly ActionCount[] {
    return this.groups?.transitions[edge] ?? [{ action: this.graph.edges.action[edge]!, count: 1 }];
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
    return this.texts.strings[place] ?? "";
  }

  state(node: number): readonly string[] | undefined {
    return this.graph.nodes.state[node]?.map((place) => this.texts.strings[place]!);
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
    const text = (place: number): string | undefined => (place < 0 ? undefined : this.texts.strings[place]);
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

/** Characters of the label of a group. */
const LONGEST = 48;

function groupLabel({ fields, values }: Groups, node: number): string {
  const text = values[node]!.map((value, field) => `${fields[field]!.split(".").at(-1)!}: ${value}`).join(", ");
  return text === "" ? "(not in this file)" : text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
