import type { UiEdge, UiFinding, UiNode } from "../../../../ui/messages.ts";
import { printable } from "../../../console/text/printable.ts";
import { anchorOf } from "../../text/anchor-of.ts";
import type { EmbeddedExchange, EmbeddedFinding, EmbeddedGraph } from "../../graph/embedded.ts";
import { pathFollower } from "../../graph/path-follower.ts";
import { GraphModel } from "../graph/model/graph-model.ts";

/** The graph of a running exploration. New nodes and edges are added at the ends of the graph's lists. */
export class LiveGraph {
  readonly model: GraphModel;
  readonly #graph: Growing;
  readonly #strings: string[] = [];
  readonly #stringPlaces: Map<string, number> = new Map();
  /** The index of each node in the lists, by the number of the node in the exploration. */
  readonly #places: Map<number, number> = new Map();

  constructor(name: string, actions: readonly string[]) {
    this.#graph = {
      name: printable(name),
      actions: actions.map(printable),
      totalNodes: 0,
      totalEdges: 0,
      nodes: { id: [], name: [], parent: [], action: [], depth: [], state: [] },
      edges: { from: [], action: [], to: [], status: [], found: [], exchanges: [] },
      findings: [],
      withoutState: 0,
      withoutExchanges: 0,
    };
    this.model = new GraphModel(this.#graph, { strings: this.#strings, shownIn: "page" });
  }

  /** Adds nodes and edges to the graph. Edges between nodes that the page does not contain are left out. */
  add(nodes: readonly UiNode[], edges: readonly UiEdge[]): void {
    const { nodes: columns, edges: lists } = this.#graph;
    for (const { node, name, parent, action, depth, lines } of nodes) {
      const from = parent < 0 ? -1 : this.#places.get(parent);
      if (from === undefined || this.#places.has(node)) continue;
      this.#places.set(node, columns.id.length);
      columns.id.push(node);
      columns.name.push(name);
      columns.parent.push(from);
      columns.action.push(action);
      columns.depth.push(depth);
      columns.state.push(lines === null ? null : lines.map((line) => this.#string(printable(line))));
    }
    for (const { from: start, action, to: end, status, found } of edges) {
      const from = this.#places.get(start);
      const to = end < 0 ? -1 : this.#places.get(end);
      if (from === undefined || to === undefined) continue;
      lists.from.push(from);
      lists.action.push(action);
      lists.to.push(to);
      lists.status.push(status);
      lists.found.push(found ? 1 : 0);
      lists.exchanges.push(null);
    }
  }

  /** Sets the total numbers of states and transitions, including those that the page does not contain. */
  count(states: number, transitions: number): void {
    this.#graph.totalNodes = states;
    this.#graph.totalEdges = transitions;
  }

  /** Highlights the paths of the given findings, and removes all other highlights. */
  mark(findings: readonly UiFinding[]): void {
    const { actions, nodes, edges } = this.#graph;
    const follow = pathFollower({ actions, nodes: { id: nodes.id.map((_, place) => place) }, edges });
    this.#graph.findings = findings.map(({ id, severity, name, path, calls }): EmbeddedFinding => {
      const ways = (calls ?? [undefined]).map((call) => follow([...path, ...(call === undefined ? [] : [call])].map(printable)));
      return {
        id: anchorOf(id),
        severity: printable(severity),
        invariant: printable(calls === undefined ? name : `race: ${name}`),
        nodes: [...new Set(ways.flatMap((way) => way.nodes))],
        edges: [...new Set(ways.flatMap((way) => way.edges))],
      };
    });
  }

  /** Returns the index of the node with this state name; `undefined` if the page does not contain the state. */
  placeOf(name: string): number | undefined {
    const place = this.#graph.nodes.name.indexOf(name);
    return name === "" || place < 0 ? undefined : place;
  }

  #string(text: string): number {
    let place = this.#stringPlaces.get(text);
    if (place === undefined) {
      this.#stringPlaces.set(text, (place = this.#strings.length));
      this.#strings.push(text);
    }
    return place;
  }
}

type Lists<T> = { [K in keyof T]-?: NonNullable<T[K]> extends readonly (infer Item)[] ? Item[] : never };

interface Growing extends EmbeddedGraph {
  totalNodes: number;
  totalEdges: number;
  findings: readonly EmbeddedFinding[];
  readonly nodes: Lists<EmbeddedGraph["nodes"]>;
  readonly edges: Lists<EmbeddedGraph["edges"]> & { readonly exchanges: (readonly EmbeddedExchange[] | null)[] };
}
