import type { ExplorationEntry } from "./document-types.ts";
import { isComplete } from "./would-have-found.ts";

export interface GraphEdge {
  /** The node that the edge leads to; -1 if the step led to no state (an error, a crash, a timeout). */
  readonly to: number;
  /** The HTTP status; 0 if there was no response. */
  readonly status: number;
}

type Lists = "parents" | "parentActions" | "depths" | "edgeFrom" | "edgeAction" | "edgeTo" | "edgeStatus";

/** An exploration with its graph: an entry of the document, or a result. */
type Explored = Pick<ExplorationEntry, "open" | "stopReason" | "completeToDepth"> & {
  readonly graph: Pick<ExplorationEntry["graph"], "actions"> & Readonly<Record<Lists, readonly number[] | Int32Array>>;
};

/** Reads the graph of an exploration: edges by state, and the shortest known path to each state. */
export class GraphReader {
  readonly nodes: number;
  readonly #entry: Explored;
  readonly #lists: Pick<Explored["graph"], Lists>;
  /** The edges sorted by the node at which they begin, and for each node the position of its first edge in that order. */
  readonly #places: Int32Array;
  readonly #begins: Int32Array;

  constructor(entry: Explored) {
    const { parents, parentActions, depths, edgeFrom, edgeAction, edgeTo, edgeStatus } = entry.graph;
    this.nodes = depths.length;
    this.#entry = entry;
    this.#lists = { parents, parentActions, depths, edgeFrom, edgeAction, edgeTo, edgeStatus };
    this.#begins = new Int32Array(this.nodes + 1);
    for (const from of edgeFrom) this.#begins[from + 1]!++;
    for (let node = 0; node < this.nodes; node++) this.#begins[node + 1]! += this.#begins[node]!;
    const next = this.#begins.slice();
    this.#places = new Int32Array(edgeFrom.length);
    edgeFrom.forEach((from, place) => (this.#places[next[from]!++] = place));
  }

  /** Returns the edges that begin at a node, by the name of their action. */
  edgesOf(node: number): ReadonlyMap<string, GraphEdge> {
    const { edgeAction, edgeTo, edgeStatus } = this.#lists;
    const places = this.#places.subarray(this.#begins[node], this.#begins[node + 1]);
    return new Map(Array.from(places, (place) => [this.#name(edgeAction[place]!), { to: edgeTo[place]!, status: edgeStatus[place]! }]));
  }

  /** Returns `true` if all actions that apply in a state were executed. The state must have at least one edge. */
  isExpanded(node: number): boolean {
    return isComplete(this.#entry) || this.#lists.depths[node]! < this.#entry.completeToDepth;
  }

  /** Returns the shortest path whose last action is `action`, with the HTTP status `status` if given; `undefined` if there is none. */
  pathTo(action: string, status?: number): readonly string[] | undefined {
    const { edgeFrom, edgeAction, edgeStatus, depths } = this.#lists;
    let best: number | undefined;
    for (let place = 0; place < edgeFrom.length; place++) {
      if (this.#name(edgeAction[place]!) !== action || (status !== undefined && edgeStatus[place] !== status)) continue;
      if (best === undefined || depths[edgeFrom[place]!]! < depths[edgeFrom[best]!]!) best = place;
    }
    return best === undefined ? undefined : [...this.#pathOf(edgeFrom[best]!), action];
  }

  /** Returns `true` if every step of a path was executed. */
  hasPath(path: readonly string[]): boolean {
    let node = 0;
    return path.every((action) => {
      const edge = node < 0 ? undefined : this.edgesOf(node).get(action);
      node = edge?.to ?? -1;
      return edge !== undefined;
    });
  }

  #pathOf(node: number): readonly string[] {
    const path: string[] = [];
    for (let at = node; at > 0; at = this.#lists.parents[at]!) path.push(this.#name(this.#lists.parentActions[at]!));
    return path.reverse();
  }

  #name(action: number): string {
    return this.#entry.graph.actions[action]!;
  }
}
