import type { Embedded, EmbeddedExchange, EmbeddedGraph } from "../../../graph/embedded.ts";
import type { ActionCount, Groups } from "./groups.ts";
import { stateLabel } from "./state-label.ts";

/**
 * A line in the comparison of a state with its parent state. `same`: both states have the line. `added`: only the state has the line. `removed`: only
 * the parent state has the line.
 */
export interface StateLine {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
}

export interface ShownExchange {
  readonly request: string;
  readonly requestBody: string | undefined;
  readonly response: string;
  readonly responseBody: string | undefined;
}

/**
 * The list of texts that a graph refers to by index. In a report, the list is a part of the embedded data; the page of `seqqa ui` supplies its own
 * list.
 */
export interface Texts extends Pick<Embedded, "strings" | "flags"> {
  /** The kind of page that shows the graph. Default: `report`. */
  readonly shownIn?: "report" | "page" | undefined;
}

/** Gives read access to the graph of an exploration. Nodes and edges are identified by their indexes in the graph's lists. */
export class GraphModel {
  readonly graph: EmbeddedGraph;
  /** The groups of states that the nodes represent; `undefined` if each node is a single state. */
  readonly groups: Groups | undefined;
  readonly #labels: (string | undefined)[] = [];
  readonly texts: Texts;
  readonly #out: number[][] = [];
  readonly #in: number[][] = [];
  #edges = 0;

  constructor(graph: EmbeddedGraph, texts: Texts, groups?: Groups) {
    this.graph = graph;
    this.groups = groups;
    this.texts = texts;
    this.grew();
  }

  /** Processes the nodes and edges that were added at the ends of the graph's lists. */
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

  /** Returns the edges that begin at a node. */
  leaving(node: number): readonly number[] {
    return this.#out[node]!;
  }

  /** Returns the edges that lead to a node. */
  reaching(node: number): readonly number[] {
    return this.#in[node]!;
  }

  /** Returns the number that the page shows for a node. */
  numberOf(node: number): number {
    return this.graph.nodes.id[node]!;
  }

  /** Returns the name of a state, as used in commands; empty if it is unknown. */
  stateName(node: number): string {
    return this.graph.nodes.name?.[node] ?? "";
  }

  nameOf(node: number): string {
    return this.groups === undefined ? `state ${this.numberOf(node)}` : `group ${node + 1}`;
  }

  /** Returns the number that the page shows for a single state inside a group. */
  memberNumber(state: number): number {
    return this.groups?.numbers[state] ?? state;
  }

  /** Returns the number of states that a node represents; 1 for a single state. */
  weightOf(node: number): number {
    return this.groups?.members[node]!.length ?? 1;
  }

  /**
   * Returns a short label for a node: the field values that the states of a group have in common, or the differences of a state from its parent.
   * Empty if the page does not contain the state.
   */
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

  /** Returns the name of an edge. An edge between groups has the name of its most frequent action and the number of its other actions. */
  edgeName(edge: number): string {
    const more = this.actionsOf(edge).length - 1;
    return this.actionName(this.actionsOf(edge)[0]!.action) + (more > 0 ? ` +${more}` : "");
  }

  /** Returns the actions of all transitions that an edge represents, with their counts. */
  actionsOf(edge: number): readonly ActionCount[] {
    return this.groups?.transitions[edge] ?? [{ action: this.graph.edges.action[edge]!, count: 1 }];
  }

  actionName(action: number): string {
    return this.graph.actions[action] ?? "";
  }

  /** Returns the edge that first reached a node; `undefined` for the root state, and if the page does not contain the edge. */
  firstEdge(node: number): number | undefined {
    const { parent, action } = this.graph.nodes;
    return this.reaching(node).find(
      (edge) => this.graph.edges.from[edge] === parent[node] && this.graph.edges.action[edge] === action[node],
    );
  }

  /** Returns the nodes on the path from the root state to this node, both included. */
  chain(node: number): readonly number[] {
    const chain: number[] = [];
    for (let at = node; at >= 0; at = this.graph.nodes.parent[at]!) chain.unshift(at);
    return chain;
  }

  /** Returns a text by its index in the list of texts. */
  text(place: number): string {
    return this.texts.strings[place] ?? "";
  }

  state(node: number): readonly string[] | undefined {
    return this.graph.nodes.state[node]?.map((place) => this.texts.strings[place]!);
  }

  /** Returns the lines of a state and the lines that only its parent state has; `undefined` if the page does not contain the state. */
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

/** The largest number of characters in the label of a group. */
const LONGEST = 48;

function groupLabel({ fields, values }: Groups, node: number): string {
  const text = values[node]!.map((value, field) => `${fields[field]!.split(".").at(-1)!}: ${value}`).join(", ");
  return text === "" ? "(not in this file)" : text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
