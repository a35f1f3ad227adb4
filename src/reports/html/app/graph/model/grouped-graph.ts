import type { EmbeddedGraph } from "../../../graph/embedded.ts";
import { GraphModel } from "./graph-model.ts";
import type { ActionCount, Groups } from "./groups.ts";
import { isCount, type StateField } from "./state-fields.ts";

/**
 * Returns a graph whose nodes are groups of states with equal values of the given fields. An edge between two groups represents all transitions
 * between their states.
 */
export function groupedGraph(model: GraphModel, fields: readonly StateField[]): GraphModel {
  const { graph } = model;
  const of = new Int32Array(model.nodes);
  const byKey = new Map<string, number>();
  const members: number[][] = [];
  for (let node = 0; node < model.nodes; node++) {
    const key = graph.nodes.state[node] === null ? "" : fields.map((field) => field.of[node]!).join(",");
    let group = byKey.get(key);
    if (group === undefined) {
      byKey.set(key, (group = members.length));
      members.push([]);
    }
    of[node] = group;
    members[group]!.push(node);
  }
  const [parent, action, depth]: [number[], number[], number[]] = [[], [], []];
  members.forEach(([first], group) => {
    // The depth of the parent's group is known here, because the parent has a lower index than every state of this group.
    const from = graph.nodes.parent[first!]!;
    parent.push(from < 0 ? -1 : of[from]!);
    action.push(graph.nodes.action[first!]!);
    depth.push(from < 0 ? 0 : depth[parent[group]!]! + 1);
  });
  const edges = groupedEdges(graph, of);
  const findings = graph.findings.map((finding) => ({
    ...finding,
    nodes: finding.nodes.map((node) => of[node]!),
    edges: finding.edges.map((edge) => edges.of[edge]!),
  }));
  const nodes = { id: members.map((_, group) => group), parent, action, depth, state: members.map(() => null) };
  const valuesOf = ([first]: readonly number[]): readonly string[] =>
    graph.nodes.state[first!] === null ? [] : fields.map((field) => field.values[field.of[first!]!]!);
  const groups: Groups = {
    fields: fields.map(({ name }) => name),
    values: members.map(valuesOf),
    members,
    numbers: graph.nodes.id,
    transitions: edges.transitions.map((list) => actionCounts(graph, list)),
    of,
  };
  return new GraphModel({ ...graph, nodes, edges: edges.lists, findings }, model.texts, groups);
}

function groupedEdges(
  { edges }: EmbeddedGraph,
  groupOf: Int32Array,
): { readonly lists: EmbeddedGraph["edges"]; readonly transitions: readonly (readonly number[])[]; readonly of: Int32Array } {
  const of = new Int32Array(edges.from.length);
  const byKey = new Map<string, number>();
  const transitions: number[][] = [];
  const lists: Record<"from" | "action" | "to" | "status" | "found", number[]> = { from: [], action: [], to: [], status: [], found: [] };
  edges.from.forEach((start, edge) => {
    const from = groupOf[start]!;
    const to = edges.to[edge]! < 0 ? -1 : groupOf[edges.to[edge]!]!;
    const key = `${from},${to}`;
    let place = byKey.get(key);
    if (place === undefined) {
      byKey.set(key, (place = transitions.length));
      transitions.push([]);
      lists.from.push(from);
      lists.action.push(edges.action[edge]!);
      lists.to.push(to);
      lists.status.push(edges.status[edge]!);
      lists.found.push(0);
    }
    transitions[place]!.push(edge);
    lists.found[place] = Math.max(lists.found[place]!, edges.found[edge]!);
    of[edge] = place;
  });
  return { lists: { ...lists, exchanges: transitions.map(() => null) }, transitions, of };
}

function actionCounts({ edges }: EmbeddedGraph, list: readonly number[]): readonly ActionCount[] {
  const counts = new Map<number, number>();
  for (const edge of list) counts.set(edges.action[edge]!, (counts.get(edges.action[edge]!) ?? 0) + 1);
  return [...counts].map(([action, count]) => ({ action, count })).sort((a, b) => b.count - a.count);
}

/** A grouping is useful only if it gives at least `FEWEST` and at most `MOST` groups. */
const FEWEST = 3;
const MOST = 60;

/**
 * Chooses fields that divide a large graph into few groups. Fields with generated values or times are not used. Each field that increases the number
 * of groups is added, up to `MOST` groups.
 */
export function suggestedFields(fields: readonly StateField[]): readonly StateField[] {
  const plain = fields.filter(({ name, values }) => !isCount(name) && values.length <= MOST && !values.some((value) => /[#<]/.test(value)));
  let chosen: readonly StateField[] = [];
  for (const field of plain) {
    const groups = groupsBy([...chosen, field]);
    if (groups > groupsBy(chosen) && groups <= MOST) chosen = [...chosen, field];
  }
  // Remove each field that does not increase the number of groups. Fields that were added later can make a field unnecessary.
  for (const field of chosen) {
    const others = chosen.filter((one) => one !== field);
    if (groupsBy(others) === groupsBy(chosen)) chosen = others;
  }
  return groupsBy(chosen) >= FEWEST ? chosen : [];
}

function groupsBy(fields: readonly StateField[]): number {
  const [first] = fields;
  return first === undefined ? 1 : new Set(Array.from(first.of, (_, node) => fields.map(({ of }) => of[node]!).join(","))).size;
}
