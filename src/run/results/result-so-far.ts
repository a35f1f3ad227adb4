import type { Explorer } from "../../engine/search/explorer.ts";
import { STRATEGIES, type StrategyKind } from "../../model/declare/search/strategy.ts";
import type { FoundError, FoundViolation } from "../../engine/findings/finding-log.ts";
import type { ExplorationGraph, ExplorationResult, RunError, Violation } from "../../model/results/result.ts";
import { resultJson, verdictOf } from "../../reports/index.ts";
import { joinedByCause } from "./one-cause.ts";
import { operationCoverage, type CountedOperation } from "./operation-coverage.ts";
import { errorOf, violationOf, type FindingParts } from "./result-builder.ts";

export interface PartsSoFar extends FindingParts {
  readonly explorer: Explorer;
  readonly invariants: readonly string[];
  readonly seed: number;
  readonly strategy: StrategyKind;
  readonly notes: readonly string[];
  /** The operations of the OpenAPI description. `undefined` if operations are not counted. */
  readonly operations: readonly CountedOperation[] | undefined;
  readonly durationMs: number;
}

/**
 * Returns a preliminary result, as if the exploration were interrupted now. No violation is confirmed and the graph is empty. This function is called
 * several times a second, so its cost must not depend on the number of states.
 */
export function resultSoFar(parts: PartsSoFar): ExplorationResult {
  const { explorer, actions, seed, notes, durationMs, invariants } = parts;
  const { committer, order } = explorer;
  const { visited, edges, nodes, findings, steps, skipped } = committer;
  const states = visited.size;
  // A breadth-first search expands all states of one depth before the next depth. All states at smaller depths than the start of the last committed
  // step are therefore expanded.
  const complete = STRATEGIES[parts.strategy].isShortestFirst && edges.size > 0 ? nodes.depth(edges.at(edges.size - 1).from) : 0;
  const result: Omit<ExplorationResult, "toJSON"> = {
    statesVisited: states,
    transitions: edges.size,
    steps,
    skipped,
    replayed: explorer.replayed,
    crossChecked: explorer.crossChecked,
    speculative: explorer.speculative,
    open: order.size,
    maxDepthReached: committer.deepest,
    completeToDepth: complete,
    violations: joinedByCause([...findings.violations.values()].map((found) => violationSoFar(found, parts))),
    races: [],
    divergences: explorer.divergences.all.map((one) => ({ ...one, message: parts.urls.text(one.message) })),
    errors: [...findings.errors.values()].map((found) => errorSoFar(found, parts)),
    stopReason: "interrupted",
    verdict: verdictOf({ stopReason: "interrupted", open: order.size, statesVisited: states, completeToDepth: complete }),
    unverified: [],
    reductions: [],
    coverage: {
      actions: committer.coverage(),
      pairs: states === 0 ? 0 : (edges.size + skipped) / (states * actions.length),
      operations: operationCoverage(parts.operations, explorer),
    },
    durationMs,
    strategy: parts.strategy,
    seed,
    digest: committer.digest.value(),
    collisionProbability: Math.min((states * (states - 1)) / 2 ** 65, 1),
    collisions: committer.collisions,
    bounded: committer.bounded,
    notes,
    graph: emptyGraph(actions),
    invariants,
  };
  return { ...result, toJSON: () => resultJson(result) };
}

function violationSoFar(found: FoundViolation, parts: FindingParts): Violation {
  const { path, draws } = found;
  return violationOf(
    { found, path, draws, recording: undefined, confirmed: false, notReplayed: "interrupted", minimality: "as_found" },
    parts,
  );
}

/** Cache of errors in report form, because resolving their stacks is slow. The first error of a group never changes. */
const reported = new WeakMap<FoundError, RunError>();

function errorSoFar(found: FoundError, parts: FindingParts): RunError {
  let error = reported.get(found);
  if (error === undefined) reported.set(found, (error = errorOf(found, parts)));
  return { ...error, count: found.count };
}

function emptyGraph(actions: readonly string[]): ExplorationGraph {
  const none = new Int32Array(0);
  return {
    actions,
    nodes: 0,
    edges: 0,
    parents: none,
    parentActions: none,
    depths: none,
    edgeFrom: none,
    edgeAction: none,
    edgeTo: none,
    edgeStatus: none,
    path: () => [],
  };
}
