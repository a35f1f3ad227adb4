import type { Database } from "better-sqlite3";
import { withRoom } from "../../engine/graph/growable.ts";
import { DepthCounter, MOST_LISTED } from "../../reports/index.ts";
import { StoredEdges } from "../rows/stored-edges.ts";
import type { StoredGraph } from "../rows/stored-graph.ts";
import { storedNodes } from "../rows/stored-nodes.ts";
import { DamagedRun } from "../../engine/commit/damaged-run.ts";

/** Reads the graph of an exploration. @throws DamagedRun if nodes and edges do not form a graph */
export function readGraph(db: Database, exploration: number): StoredGraph {
  const actions = db.prepare("SELECT name FROM actions WHERE exploration = ? ORDER BY id").pluck().all(exploration) as readonly string[];
  const nodes = storedNodes(db, exploration, actions.length);
  if (nodes === undefined) throw noGraph();
  const { depths } = nodes;
  const byDepth = new DepthCounter(depths, actions.length);
  const lists = new EdgeLists();
  const edges = new StoredEdges(db, exploration);
  edges.all((edge, { from, action, to, status }) => {
    if (from < 0 || from >= depths.length || to < -1 || to >= depths.length || action >= actions.length) throw noGraph();
    byDepth.add(depths[from]!, action);
    if (edge < MOST_LISTED) lists.put(edge, from, action, to, status);
  });
  return { actions, ...nodes, edges, byDepth, lists: lists.of(edges.size) };
}

const noGraph = (): DamagedRun => new DamagedRun("its stored states and steps contradict each other");

/** Four columns that describe edges, with one entry for each edge. The columns grow when needed. */
class EdgeLists {
  #from: Int32Array = new Int32Array(1 << 12);
  #action: Int32Array = new Int32Array(1 << 12);
  #to: Int32Array = new Int32Array(1 << 12);
  #status: Int32Array = new Int32Array(1 << 12);

  put(edge: number, from: number, action: number, to: number, status: number): void {
    if (edge >= this.#from.length) {
      this.#from = withRoom(this.#from, edge);
      this.#action = withRoom(this.#action, edge);
      this.#to = withRoom(this.#to, edge);
      this.#status = withRoom(this.#status, edge);
    }
    this.#from[edge] = from;
    this.#action[edge] = action;
    this.#to[edge] = to;
    this.#status[edge] = status;
  }

  /** Returns the columns with `edges` entries. The columns are empty if a graph has too many edges to be listed in results. */
  of(edges: number): StoredGraph["lists"] {
    const size = edges > MOST_LISTED ? 0 : edges;
    const cut = (list: Int32Array): Int32Array => list.slice(0, size);
    return { edgeFrom: cut(this.#from), edgeAction: cut(this.#action), edgeTo: cut(this.#to), edgeStatus: cut(this.#status) };
  }
}
