import type { Database } from "better-sqlite3";
import type { GraphData } from "../reports/index.ts";
import { edgesOf } from "./commit-batches.ts";
import { exchangesOf, type ExchangeRow } from "./exchange-rows.ts";
import { lines } from "./json-columns.ts";
import { sampleNodes } from "./sample-nodes.ts";
import type { StoredGraph } from "./stored-graph.ts";

/** Nodes that reports show at most. */
const NODES = 5_000;
/** Characters of states and of exchanges that reports show: a report must open in a browser. What is on the paths of findings comes first. */
const STATE_CHARACTERS = 3_000_000;
const EXCHANGE_CHARACTERS = 4_000_000;

/** @throws TypeError when nodes or edges are not those of a graph */
export function readGraph(db: Database, exploration: number): StoredGraph {
  const actions = db.prepare("SELECT name FROM actions WHERE exploration = ? ORDER BY id").pluck().all(exploration) as readonly string[];
  const [ids, parents, parentActions, depths] = columns(db, "id, parent, action, depth FROM nodes", exploration, 4);
  const edges = edgesOf(db, exploration);
  const nodes = ids!.length;
  const inOrder = (list: readonly number[]): boolean => list.every((id, index) => id === index);
  const within = (list: readonly number[], low: number, end: number): boolean => list.every((value) => value >= low && value < end);
  const sound =
    inOrder(ids!) &&
    parents!.every((parent, node) => (node === 0 ? parent === -1 : parent >= 0 && parent < nodes && depths![parent]! < depths![node]!)) &&
    (nodes === 0 || depths![0] === 0) &&
    within(parentActions!, -1, actions.length) &&
    within(edges.from, 0, nodes) &&
    within(edges.to, -1, nodes) &&
    within(edges.action, 0, actions.length);
  if (!sound) throw new TypeError("its nodes and edges are no graph");
  return {
    actions,
    parents: parents!,
    parentActions: parentActions!,
    depths: depths!,
    edgeFrom: edges.from,
    edgeAction: edges.action,
    edgeTo: edges.to,
    edgeStatus: edges.status,
    edgeFound: edges.found,
  };
}

/** What reports show of a graph, by the paths of its findings: all of it, or what lies around its findings and near the root. */
export function shownGraph(db: Database, exploration: number, graph: StoredGraph, findings: readonly (readonly string[])[]): GraphData {
  const { nodes, paths } = sampleNodes(graph, findings, NODES);
  const shown = new Uint8Array(graph.depths.length);
  for (const node of nodes) shown[node] = 1;
  const edges: number[] = [];
  for (let edge = 0; edge < graph.edgeFrom.length; edge++) {
    const to = graph.edgeTo[edge]!;
    if (shown[graph.edgeFrom[edge]!] === 1 && (to < 0 || shown[to] === 1)) edges.push(edge);
  }
  const of = (list: readonly number[], at: readonly number[]): readonly number[] => at.map((index) => list[index]!);
  return {
    actions: graph.actions,
    totalNodes: graph.depths.length,
    totalEdges: graph.edgeFrom.length,
    nodes: {
      id: nodes,
      parent: of(graph.parents, nodes),
      action: of(graph.parentActions, nodes),
      depth: of(graph.depths, nodes),
      state: kept(nodes, paths.nodes, STATE_CHARACTERS, stateReader(db, exploration)),
    },
    edges: {
      from: of(graph.edgeFrom, edges),
      action: of(graph.edgeAction, edges),
      to: of(graph.edgeTo, edges),
      status: of(graph.edgeStatus, edges),
      found: of(graph.edgeFound, edges),
      exchanges: kept(edges, paths.edges, EXCHANGE_CHARACTERS, exchangeReader(db, exploration)),
    },
  };
}

/** What is known of each of a list, those first that matter most, until the characters are used up. */
function kept<T>(
  list: readonly number[],
  first: ReadonlySet<number>,
  characters: number,
  read: (id: number) => { readonly value: T; readonly length: number } | undefined,
): readonly (T | null)[] {
  const values = new Map<number, T>();
  let left = characters;
  const take = (id: number): void => {
    const found = left <= 0 || values.has(id) ? undefined : read(id);
    if (found === undefined) return;
    left -= found.length;
    if (left >= 0) values.set(id, found.value);
  };
  const members = new Set(list);
  for (const id of first) if (members.has(id)) take(id);
  for (const id of list) take(id);
  return list.map((id) => values.get(id) ?? null);
}

function stateReader(db: Database, exploration: number): (node: number) => { value: readonly string[]; length: number } | undefined {
  const get = db.prepare("SELECT lines FROM states WHERE exploration = ? AND node = ?").pluck();
  return (node) => {
    const text = get.get(exploration, node);
    return text === undefined ? undefined : { value: lines(text), length: String(text).length };
  };
}

function exchangeReader(
  db: Database,
  exploration: number,
): (edge: number) => { value: ReturnType<typeof exchangesOf>; length: number } | undefined {
  const all = db.prepare("SELECT * FROM exchanges WHERE exploration = ? AND edge = ? ORDER BY position");
  return (edge) => {
    const rows = all.all(exploration, edge) as ExchangeRow[];
    if (rows.length === 0) return undefined;
    return { value: exchangesOf(rows), length: rows.reduce((sum, row) => sum + lengthOf(row), 0) };
  };
}

function lengthOf(row: ExchangeRow): number {
  const texts = [row.url, row.request_headers, row.request_body, row.response_headers, row.response_body];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 100);
}

/** Columns of whole numbers, a list each. */
function columns(db: Database, of: string, exploration: number, count: number): readonly number[][] {
  const lists: number[][] = Array.from({ length: count }, () => []);
  const rows = db.prepare(`SELECT ${of} WHERE exploration = ? ORDER BY id`).raw().iterate(exploration);
  for (const row of rows) for (let i = 0; i < count; i++) lists[i]!.push((row as readonly number[])[i]!);
  return lists;
}
