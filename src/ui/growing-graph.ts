import type { TriedStep } from "../engine/events.ts";
import type { RecordedExchange } from "../model/results/result.ts";
import type { GraphData } from "../reports/index.ts";
import type { UiEdge, UiNode } from "./messages.ts";

/** The largest numbers of nodes and of edges of an exploration that are sent to a page. */
const NODES = 5_000;
const EDGES = 30_000;

/** The part of a running exploration's graph that pages show: its first states and transitions. Later states and transitions are only counted. */
export class GrowingGraph {
  readonly nodes: UiNode[] = [];
  readonly edges: UiEdge[] = [];
  states = 0;
  transitions = 0;
  readonly #exchanges: Map<number, readonly RecordedExchange[]> = new Map();
  readonly #actions: Map<string, number>;

  constructor(actions: readonly string[]) {
    this.#actions = new Map(actions.map((name, index) => [name, index]));
  }

  static of({ actions, totalNodes, totalEdges, nodes, edges }: GraphData): GrowingGraph {
    const graph = new GrowingGraph(actions);
    nodes.id.forEach((node, at) =>
      graph.#node({
        node,
        name: nodes.name?.[at] ?? "",
        parent: nodes.parent[at]!,
        action: nodes.action[at]!,
        depth: nodes.depth[at]!,
        lines: nodes.state[at]!,
      }),
    );
    edges.from.forEach((from, at) => {
      const to = edges.to[at]!;
      graph.#edge({ from, action: edges.action[at]!, to, status: edges.status[at]!, found: edges.found[at] === 1 });
      const exchanges = edges.exchanges[at];
      if (exchanges !== null && exchanges !== undefined && to >= 0 && !graph.#exchanges.has(to)) graph.#exchanges.set(to, exchanges);
    });
    graph.states = totalNodes;
    graph.transitions = totalEdges;
    return graph;
  }

  /** Adds the root state if the graph is empty. The root state gets no lines, because this class does not know the rows in the root state. */
  root(name: string): void {
    if (this.states === 0) this.#node({ node: 0, name, parent: -1, action: -1, depth: 0, lines: [] });
  }

  add({ from, fromName, toName, action, to, status, isNew, isFinding, exchanges, state }: TriedStep): void {
    if (from === 0) this.root(fromName);
    const index = this.#actions.get(action) ?? -1;
    this.transitions++;
    if (isNew) {
      const depth = (this.nodes[from]?.depth ?? 0) + 1;
      this.#node({ node: to, name: toName, parent: from, action: index, depth, lines: state ?? null });
      if (to < NODES && exchanges.length > 0) this.#exchanges.set(to, exchanges);
    }
    this.#edge({ from, action: index, to, status, found: isFinding });
  }

  /** Returns a node by its number; `undefined` if the node was not kept because of the limit. */
  find(node: number): UiNode | undefined {
    const at = this.nodes[node];
    return at?.node === node ? at : this.nodes.find((one) => one.node === node);
  }

  /** Returns the path from the root state to a node, as indexes of actions. */
  path(node: number): readonly number[] {
    const path: number[] = [];
    for (let at = this.find(node); at !== undefined && at.parent >= 0; at = this.find(at.parent)) path.unshift(at.action);
    return path;
  }

  /** Returns the HTTP statuses of the steps along a path; 0 where the status is unknown. */
  statusesOf(path: readonly number[]): readonly number[] {
    let at = 0;
    return path.map((action) => {
      const edge = this.#follow(at, action);
      at = edge?.to ?? -1;
      return edge?.status ?? 0;
    });
  }

  /** Returns the name, as used in commands, of the state at the end of a path; `undefined` if it is unknown. */
  nameAfter(path: readonly number[]): string | undefined {
    let at = 0;
    for (const action of path) at = this.#follow(at, action)?.to ?? -1;
    return this.find(at)?.name || undefined;
  }

  #follow(from: number, action: number): UiEdge | undefined {
    return this.edges.find((one) => one.from === from && one.action === action);
  }

  /** Returns the requests, with their answers, of the step that first led to a node. */
  exchanges(node: number): readonly RecordedExchange[] {
    return this.#exchanges.get(node) ?? [];
  }

  #node(node: UiNode): void {
    this.states++;
    if (this.nodes.length < NODES) this.nodes.push(node);
  }

  #edge(edge: UiEdge): void {
    if (this.edges.length < EDGES) this.edges.push(edge);
  }
}
