import type { Committer } from "../../engine/commit/committer.ts";
import { hashOf } from "../../engine/graph/digest.ts";
import { EXPANDED } from "../../engine/graph/node-table.ts";
import type { GraphShape } from "../../model/declare/state-graph/graph-shape.ts";
import type { ActionCoverage, StateGraphResult, StopReason, Violation } from "../../model/results/result.ts";
import { Severity } from "../../model/declare/severity.ts";
import { deniedName } from "../../model/declare/state-graph/state-graph.ts";
import { wasAccepted } from "../../reports/console/summary/rules-text.ts";
import { violationText } from "../../reports/index.ts";
import { ENOUGH, hasEndedEarly, neverBegan } from "../results/idle-actions.ts";
import { deadName, graphCoverage, REFUSED, unreachedName, type GraphCoverage } from "./graph-coverage.ts";

export interface GraphParts {
  readonly name: string;
  readonly graph: GraphShape;
  readonly committer: Committer;
  readonly stopReason: StopReason;
  /** The number of states that were not expanded. */
  readonly open: number;
  /** The counts of the edges' actions. */
  readonly coverage: Readonly<Record<string, ActionCoverage>>;
}

/** The results of a state graph's exploration, in addition to its violations. */
export interface GraphFindings {
  readonly lists: Pick<StateGraphResult, "unreachedNodes" | "deadEdges" | "deniedChecks">;
  readonly violations: readonly Violation[];
  /** Sentences about the edges that never applied, if the search ended too early to report them as findings. */
  readonly unverified: readonly string[];
}

/**
 * Returns a violation for each unreached node and dead edge of a state graph. The violations are derived from the committed graph, so they do not
 * depend on the number of lanes.
 */
export function graphFindings(parts: GraphParts): GraphFindings {
  const { graph, committer, stopReason, coverage: counts } = parts;
  const { edges, nodes, visited } = committer;
  const actions = edges.actions();
  // If the bodies of all 2xx answers to an edge refuse the request, the edge was refused.
  const refused = new Set(graph.edges.flatMap(({ name }, edge) => (wasAccepted(counts[name]!) ? [] : [edge])));
  const status = edges.statuses().map((one, index) => (refused.has(actions[index]!) ? Math.max(one, REFUSED) : one));
  const explored = { from: edges.from(), action: actions, to: edges.to(), status, found: edges.found() };
  const coverage = graphCoverage(graph, explored, visited.size, (state) => !nodes.has(state, EXPANDED));
  const { unreachedNodes, deadEdges } = coverage;
  const broken = new Set([...committer.findings.violations.values()].map(({ finding }) => finding.invariant));
  const deniedChecks = graph.nodes.filter((node) => broken.has(deniedName(node)));
  const violations = stopReason === "exhausted" && parts.open === 0 ? claimed(parts, coverage) : [];
  const names = new Set(violations.map(({ invariant }) => invariant));
  const unclaimed = deadEdges.filter((edge) => !names.has(deadName(edge)));
  const unverified = [
    ...neverBegan(stopReason, committer.steps),
    ...(hasEndedEarly(stopReason) ? [] : idleEdges(unclaimed, counts, false)),
  ];
  return { lists: { unreachedNodes, deadEdges, deniedChecks }, violations, unverified };
}

/**
 * Returns a sentence for each of these edges, which never applied. In a search that is not exhaustive, only edges whose calls were answered at least 20
 * times are judged.
 */
export function idleEdges(
  edges: readonly string[],
  coverage: Readonly<Record<string, ActionCoverage>>,
  isExhaustive: boolean,
): readonly string[] {
  const tried = edges.filter((name) => {
    const { applied, mayNeverSucceed } = coverage[name]!;
    return mayNeverSucceed !== true && (isExhaustive || applied >= ENOUGH);
  });
  return tried.map((name) => `The edge ${name} never applied: ${answers(coverage[name]!)}.`);
}

function claimed(parts: GraphParts, { unreachedNodes, deadEdges, certain, triedFrom }: GraphCoverage): Violation[] {
  const { graph, committer } = parts;
  const applied = committer.coverage();
  const unreached = unreachedNodes.map((node) => {
    const into = graph.edges.filter(({ to }) => to === node).map(({ name }) => `"${name}"`);
    const why = into.length === 0 ? "no edge leads there" : `${into.join(", ")} never applied`;
    return violation(parts, unreachedName(node), `no path reached the node "${node}": ${why}`, []);
  });
  const dead = deadEdges.map((name) => {
    const edge = graph.edges.findIndex((one) => one.name === name);
    const path = [...committer.nodes.path(triedFrom[edge]!), edge].map((one) => graph.edges[one]!.name);
    const { from, to } = graph.edges[edge]!;
    return violation(parts, deadName(name), `the edge from "${from}" to "${to}" never applied: ${answers(applied[name]!)}`, path);
  });
  return [...unreached, ...dead].filter(({ invariant }) => certain.has(invariant));
}

function answers({ statuses }: ActionCoverage): string {
  const given = Object.entries(statuses).map(([status, count]) => `${status} (${count === 1 ? "once" : `${count} times`})`);
  return given.length === 0 ? "its action returned null each time" : `its action was answered ${given.join(", ")}`;
}

/** Returns a violation without a replay, because it follows from the whole graph and not from one path. */
function violation({ name }: GraphParts, invariant: string, message: string, reproductionPath: readonly string[]): Violation {
  const fields = {
    id: hashOf(JSON.stringify([name, invariant, "", 0])),
    invariant,
    severity: Severity.LOW,
    message,
    reproductionPath,
    request: undefined,
    response: undefined,
    steps: [],
    confirmed: true,
    count: 1,
    state: null,
  };
  return { ...fields, toString: () => violationText(fields) };
}
