import type { Database } from "better-sqlite3";
import { FINDING } from "../../messages/lane-messages.ts";
import { shortStateId } from "../../model/results/state-id.ts";
import type { GraphData } from "../../reports/index.ts";
import { exchangesOf, type ExchangeRow } from "../rows/exchange-rows.ts";
import { lines } from "../rows/json-columns.ts";
import { sampleNodes } from "./sample-nodes.ts";
import type { StoredGraph } from "../rows/stored-graph.ts";

/** The maximum number of nodes that reports show. */
const NODES = 5_000;
/** The maximum size of the stored states in a report, in characters. Browsers cannot open larger reports. States on paths of findings come first. */
const STATE_CHARACTERS = 3_000_000;
const EXCHANGE_CHARACTERS = 4_000_000;

/** Returns the part of a graph that reports show: all of it, or the nodes and edges near findings and near the root state. */
export function shownGraph(db: Database, exploration: number, graph: StoredGraph, findings: readonly (readonly string[])[]): GraphData {
  const { nodes, paths } = sampleNodes(graph, findings, NODES);
  const { ids, ...edges } = edgesAmong(graph, nodes);
  const of = (column: Int32Array): readonly number[] => nodes.map((node) => column[node]!);
  const { states, executed } = graph.byDepth;
  return {
    actions: graph.actions,
    totalNodes: graph.depths.length,
    totalEdges: graph.edges.size,
    byDepth: { states, executed },
    nodes: {
      id: nodes,
      name: nodes.map(nameReader(db, exploration)),
      parent: of(graph.parents),
      action: of(graph.parentActions),
      depth: of(graph.depths),
      state: kept(nodes, paths.nodes, STATE_CHARACTERS, stateReader(db, exploration)),
    },
    edges: { ...edges, exchanges: kept(ids, paths.edges, EXCHANGE_CHARACTERS, exchangeReader(db, exploration)) },
  };
}

/**
 * Returns the edges that start at one of the given nodes, and end at one of these nodes or lead to no state. `ids` contains the numbers of the edges.
 */
function edgesAmong(
  { edges, depths }: StoredGraph,
  nodes: readonly number[],
): Readonly<Record<"ids" | "from" | "action" | "to" | "status" | "found", readonly number[]>> {
  const shown = new Uint8Array(depths.length);
  for (const node of nodes) shown[node] = 1;
  const sorted = Int32Array.from(nodes).sort();
  const [ids, from, action, to, status, found]: [number[], number[], number[], number[], number[], number[]] = [[], [], [], [], [], []];
  edges.some(
    (span) => hasBetween(sorted, ...span.from),
    (edge, row) => {
      if (shown[row.from] !== 1 || (row.to >= 0 && shown[row.to] !== 1)) return;
      ids.push(edge);
      from.push(row.from);
      action.push(row.action);
      to.push(row.to);
      status.push(row.status);
      found.push((row.bits & FINDING) === 0 ? 0 : 1);
    },
  );
  return { ids, from, action, to, status, found };
}

function hasBetween(sorted: Int32Array, lowest: number, highest: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < lowest) low = middle + 1;
    else high = middle;
  }
  return low < sorted.length && sorted[low]! <= highest;
}

/** Reads the values for a list of ids until the limit of characters is reached. Values for the ids in `first` are read before all other values. */
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

function nameReader(db: Database, exploration: number): (node: number) => string {
  const get = db.prepare("SELECT lo, hi FROM nodes WHERE exploration = ? AND id = ? AND lo IS NOT NULL");
  return (node) => {
    const found = get.get(exploration, node) as { readonly lo: number; readonly hi: number } | undefined;
    return found === undefined ? "" : shortStateId(found);
  };
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
