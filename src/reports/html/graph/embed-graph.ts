import type { ExplorationEntry } from "../../document/document-types.ts";
import { cut, printable } from "../../console/text/printable.ts";
import { raceName } from "../../console/findings/race-text.ts";
import type { GraphData } from "../../document/report-data.ts";
import { anchorOf } from "../text/anchor-of.ts";
import { embedDetails } from "./embed-details.ts";
import type { EmbeddedFinding, EmbeddedGraph } from "./embedded.ts";
import { pathFollower, type FollowedPath } from "./path-follower.ts";
import { sampleGraph, type Sample } from "./sample-graph.ts";
import { inertJson, type StringTable } from "./string-table.ts";

/** `MOST_NODES`, `MOST_EDGES`: the largest numbers of nodes and edges that browsers draw without a delay, measured by `npm run bench -- report`. */
const MOST_NODES = 5_000;
const MOST_EDGES = 20_000;
/** The largest number of findings whose paths the graph highlights. */
const MOST_FINDINGS = 500;
/** The largest number of characters of a name in the graph. */
const LINE = 400;

/**
 * Returns a graph in the form that the page's script reads, in about `budget` bytes. If not everything fits, the nodes, edges and details farthest
 * from findings are left out.
 */
export function embedGraph(entry: ExplorationEntry, graph: GraphData, strings: StringTable, budget: number): EmbeddedGraph {
  const follow = pathFollower(graph);
  const placeOf = new Map(graph.nodes.id.map((id, place) => [id, place]));
  const violations = entry.violations.map((violation): (() => MarkedPath) => () => {
    const { id, severity, invariant: name } = violation;
    const path = follow(violation.reproductionPath);
    const end = violation.state === null ? undefined : placeOf.get(violation.state);
    const nodes = end === undefined || path.nodes.includes(end) ? path.nodes : [...path.nodes, end];
    return { id, severity, name, edges: path.edges, nodes };
  });
  // In the graph, each call of a race is a separate edge from the state before the race.
  const races = entry.races.map((race): (() => MarkedPath) => () => {
    const [one, other] = [race.first, race.second].map((action) => follow([...race.prefix, action])) as [FollowedPath, FollowedPath];
    const both = (list: "nodes" | "edges"): readonly number[] => [...new Set([...one[list], ...other[list]])];
    return { id: race.id, severity: race.severity, name: `race: ${raceName(race)}`, nodes: both("nodes"), edges: both("edges") };
  });
  const paths = [...violations, ...races].slice(0, MOST_FINDINGS).map((path) => path());
  const onPaths = { nodes: paths.flatMap(({ nodes }) => nodes), edges: paths.flatMap(({ edges }) => edges) };
  for (let most = MOST_NODES; ; most = Math.floor(most / 2)) {
    const sample = sampleGraph(graph, onPaths, most, most * (MOST_EDGES / MOST_NODES));
    // Estimate the size: a node is a number in each of five lists, an edge in each of six lists, and each number takes a few bytes.
    if (most > 100 && sample.nodes.length * 20 + sample.edges.length * 22 > budget / 2) continue;
    return embedSample(entry, graph, { sample, paths }, strings, budget);
  }
}

interface MarkedPath {
  readonly id: string;
  readonly severity: string;
  readonly name: string;
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
}

function embedSample(
  entry: ExplorationEntry,
  graph: GraphData,
  { sample, paths }: { readonly sample: Sample; readonly paths: readonly MarkedPath[] },
  strings: StringTable,
  budget: number,
): EmbeddedGraph {
  const { nodes, edges } = graph;
  const newNode = new Map(sample.nodes.map((place, at) => [place, at]));
  const newEdge = new Map(sample.edges.map((place, at) => [place, at]));
  const ofId = new Map(sample.nodes.map((place, at) => [nodes.id[place]!, at]));
  const of = <T>(list: readonly T[], places: readonly number[]): readonly T[] => places.map((place) => list[place]!);
  const kept = (places: readonly number[], known: ReadonlyMap<number, number>): readonly number[] =>
    places.map((place) => known.get(place)).filter((place) => place !== undefined);
  const findings: readonly EmbeddedFinding[] = paths.map((path) => ({
    id: anchorOf(path.id),
    severity: path.severity,
    invariant: printable(cut(path.name, LINE)),
    nodes: kept(path.nodes, newNode),
    edges: kept(path.edges, newEdge),
  }));
  const base = {
    name: printable(cut(entry.name, LINE)),
    actions: graph.actions.map((name) => printable(cut(name, LINE))),
    totalNodes: graph.totalNodes,
    totalEdges: graph.totalEdges,
    nodes: {
      id: of(nodes.id, sample.nodes),
      name: nodes.name === undefined ? undefined : of(nodes.name, sample.nodes),
      parent: of(nodes.parent, sample.nodes).map((id) => ofId.get(id) ?? -1),
      action: of(nodes.action, sample.nodes),
      depth: of(nodes.depth, sample.nodes),
    },
    edges: {
      from: of(edges.from, sample.edges).map((id) => ofId.get(id)!),
      action: of(edges.action, sample.edges),
      to: of(edges.to, sample.edges).map((id) => ofId.get(id) ?? -1),
      status: of(edges.status, sample.edges),
      found: of(edges.found, sample.edges),
    },
    findings,
  };
  const shown = embedDetails(graph, sample, strings, budget - Buffer.byteLength(inertJson(base)));
  return {
    ...base,
    withoutState: shown.withoutState,
    withoutExchanges: shown.withoutExchanges,
    nodes: { ...base.nodes, state: shown.states },
    edges: { ...base.edges, exchanges: shown.exchanges },
  };
}
