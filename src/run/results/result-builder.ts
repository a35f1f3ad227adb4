import type { AgentDefinition, RuleRace } from "../../model/declare/agent.ts";
import { explorationCompleteTo } from "../../engine/search/completeness.ts";
import type { ConfirmedViolation } from "../../engine/findings/confirm.ts";
import type { Explorer } from "../../engine/search/explorer.ts";
import { findingId } from "../../engine/findings/finding-id.ts";
import { openStates } from "../../engine/search/open-states.ts";
import type { GraphShape } from "../../model/declare/state-graph/graph-shape.ts";
import type { ErrorEvent, LaneReport, Recording } from "../../messages/lane-messages.ts";
import type { ExplorationResult, RecordedExchange, RecordedStep, Reduction, RunError, Violation } from "../../model/results/result.ts";
import type { StrategyKind } from "../../model/declare/search/strategy.ts";
import { NEXT_SECOND, type Knowledge } from "../../state/index.ts";
import { resultJson, verdictOf, violationText } from "../../reports/index.ts";
import { CommittedGraph } from "./committed-graph.ts";
import { graphFindings } from "../state-graphs/graph-findings.ts";
import { droppedFields, unverifiedFields } from "./left-out-fields.ts";
import { reductionsOf, unaudited } from "./reductions.ts";
import { operationCoverage, type CountedOperation } from "./operation-coverage.ts";
import { idleActions } from "./idle-actions.ts";
import { beyondSight, unseenChanges, unseenWrites, withoutUnseen } from "./unseen-writes.ts";
import { joinedByCause } from "./one-cause.ts";
import { faultViolationOf, untriedFaults } from "./fault-result.ts";
import { coverageOf, raceOf, unconfirmedRaces } from "./race-result.ts";
import type { FoundFaults } from "../explore/faults.ts";
import type { FoundRaces } from "../explore/races.ts";
import type { ShownUrls } from "../prepare/shown-urls.ts";
import { uncheckedSteps, type RuleActions } from "./unchecked-steps.ts";
import { behindFindings, diverged, timesPassed } from "./verdict-exceptions.ts";

export interface ResultParts {
  readonly name: string;
  readonly actions: readonly string[];
  readonly invariants: readonly string[];
  /** Names of the rules that could not run, and of the rules that do not count as held because of inconclusive steps. */
  readonly unjudgedRules?: readonly string[];
  /** Sentences about rules whose calls could not be sent at the same time, because their path led to another state. */
  readonly unreached: readonly string[];
  /** For each rule that judges only the steps of certain actions: the names of these actions. */
  readonly subjects: AgentDefinition["subjects"];
  readonly ruleActions: RuleActions;
  /** `true` if idle actions, and rules that judged nothing, make the result unverified. */
  readonly requireAllActions: boolean;
  readonly strategy: StrategyKind;
  readonly seed: number;
  /** The state graph that was explored; `undefined` for an agent. */
  readonly graph: GraphShape | undefined;
  readonly explorer: Explorer;
  readonly violations: readonly ConfirmedViolation[];
  readonly races: FoundRaces;
  /** The ids that `known_findings` lists; `undefined` without a list. */
  readonly known: ReadonlySet<string> | undefined;
  readonly faults: FoundFaults;
  readonly notes: readonly string[];
  readonly coverage: ExplorationResult["coverage"]["actions"];
  /** The operations of the OpenAPI description. `undefined` if operations are not counted. */
  readonly operations: readonly CountedOperation[] | undefined;
  /** `true` if the run is a shard. Idle actions of a shard are reported only after `seqqa merge`, because another shard may execute them. */
  readonly isShard: boolean;
  /** The knowledge from experiments: which values of the target are generated, and which are times. */
  readonly knowledge: Knowledge;
  /** How seqqa sees the state of the target: through stores, through a probe, or not at all. */
  readonly visibility: LaneReport["visibility"];
  /** The parts of the stores that are left out of states. */
  readonly leftOut?: LaneReport["leftOut"];
  /** Reductions that earlier searches of this exploration showed to be wrong. */
  readonly refuted: readonly Reduction[];
  readonly durationMs: number;
  readonly urls: ShownUrls;
  readonly ruleRaces: readonly RuleRace[];
  /** Replaces the lines of a stack by the source lines of the user's code. */
  readonly mapStack: (stack: string) => string;
  /** Returns the source line where a rule is declared: the line of the invariant of this name, otherwise the line of the action with this index. */
  readonly declaredAt: (rule: string, action: number | undefined) => string | undefined;
  /** Returns the first source line of a stack that is in the user's own code. */
  readonly whereOf: (stack: string) => string | undefined;
  /** The requests and answers of the user's `setup` function. */
  readonly setup: LaneReport["setup"];
  readonly extraErrors: readonly RunError[];
}

export interface FindingParts extends Pick<ResultParts, "name" | "actions" | "urls" | "mapStack" | "whereOf" | "declaredAt"> {
  readonly explorer: Pick<Explorer, "committer">;
}

export function buildResult(parts: ResultParts): ExplorationResult {
  const { explorer, actions, seed } = parts;
  const { committer } = explorer;
  const states = committer.visited.size;
  const open = openStates(explorer);
  let deepest = 0;
  for (let node = 0; node < states; node++) deepest = Math.max(deepest, committer.nodes.depth(node));
  const stopReason = explorer.stopReason ?? "interrupted";
  const found = parts.violations.map((one) => violationOf(one, parts));
  // Do not join the findings of a shard by cause, because `seqqa merge` joins the findings of all shards.
  const violations = parts.isShard ? found : joinedByCause(found);
  const complete = explorationCompleteTo(explorer, deepest, open);
  // Report writes without a visible change only if stores or a probe show the state. Without stores and probe, such writes are expected.
  const coverage = parts.visibility === "stores" || parts.visibility === "probe" ? parts.coverage : withoutUnseen(parts.coverage);
  const assumed = reductionsOf(explorer, parts.knowledge, parts.leftOut);
  const reductions = [...parts.refuted, ...assumed];
  const notAudited = unaudited(assumed, stopReason === "exhausted" || stopReason === "max_depth" ? explorer.auditsLeft : 0);
  const behind = behindFindings(committer, coverage);
  const isExhaustive = stopReason === "exhausted" && open.size === 0 && behind.length === 0;
  const searched = { stopReason, open: open.size, statesVisited: states, completeToDepth: complete };
  const verdict = verdictOf(
    searched,
    [
      ...behind,
      ...droppedFields(parts.knowledge),
      ...notAudited,
      ...timesPassed(explorer.divergences.all),
      ...diverged(explorer.divergences.all),
      ...beyondSight(parts.visibility),
      ...(parts.isShard ? [] : unseenChanges(coverage, searched)),
    ],
    assumed,
  );
  const ofGraph =
    parts.graph === undefined
      ? undefined
      : graphFindings({ name: parts.name, graph: parts.graph, committer, stopReason, open: open.size, coverage });
  const result: Omit<ExplorationResult, "toJSON"> = {
    statesVisited: states,
    transitions: committer.edges.size,
    steps: committer.steps,
    skipped: committer.skipped,
    replayed: explorer.replayed,
    crossChecked: explorer.crossChecked,
    speculative: explorer.speculative,
    open: open.size,
    maxDepthReached: deepest,
    completeToDepth: complete,
    setup: parts.setup === undefined ? undefined : shownStep(parts.setup.step, parts.urls),
    violations: [...violations, ...(ofGraph?.violations ?? []), ...parts.faults.faults.map((fault) => faultViolationOf(fault, parts))],
    races: parts.races.races.map((race) => raceOf(race, parts)),
    raceCoverage: coverageOf(parts.races, parts),
    faultCoverage: parts.faults.coverage,
    divergences: explorer.divergences.all.map((one) => ({ ...one, message: parts.urls.text(one.message) })),
    errors: [...parts.extraErrors, ...[...committer.findings.errors.values()].map((found) => errorOf(found, parts))],
    stopReason,
    verdict,
    unverified: [
      ...(parts.isShard ? [] : (ofGraph?.unverified ?? idleActions(coverage, { stopReason, steps: committer.steps, isExhaustive }))),
      ...(parts.isShard || !parts.requireAllActions
        ? []
        : uncheckedSteps(committer, {
            actions,
            subjects: parts.subjects,
            ruleActions: parts.ruleActions,
            coverage,
            stopReason,
            isExhaustive,
          })),
      ...(parts.isShard
        ? []
        : unseenWrites(
            coverage,
            searched,
            parts.knowledge.dropped.map(({ field }) => field),
          )),
      ...parts.unreached,
      ...unconfirmedRaces(parts.races, parts),
      ...untriedFaults(parts.faults.untried, parts),
      ...unverifiedFields(parts.knowledge),
      ...notAudited.map(({ text }) => `The result relies on an untested assumption: ${text}.`),
    ],
    reductions,
    coverage: {
      actions: coverage,
      pairs: states === 0 ? 0 : (committer.edges.size + committer.skipped) / (states * actions.length),
      operations: operationCoverage(parts.operations, explorer),
    },
    durationMs: parts.durationMs,
    strategy: parts.strategy,
    seed,
    ...(parts.knowledge.ordered.includes(NEXT_SECOND) && { nextSecond: true as const }),
    digest: committer.digest.value(),
    collisionProbability: Math.min((states * (states - 1)) / 2 ** 65, 1),
    collisions: committer.collisions,
    bounded: committer.bounded,
    notes: parts.notes,
    graph: new CommittedGraph(committer, actions),
    invariants: parts.invariants,
    ...(parts.unjudgedRules !== undefined && parts.unjudgedRules.length > 0 && { unjudgedRules: parts.unjudgedRules }),
    ...(parts.isShard && !parts.requireAllActions && { requireAllActions: false as const }),
    ...(parts.isShard && parts.ruleActions.size > 0 && { ruleActions: Object.fromEntries(parts.ruleActions) }),
    ...(parts.isShard && parts.subjects.size > 0 && { ruleSubjects: Object.fromEntries(parts.subjects) }),
    ...ofGraph?.lists,
  };
  return { ...result, toJSON: () => resultJson(result) };
}

export function violationOf(
  { found, path, draws, recording, confirmed, notReplayed, minimality }: ConfirmedViolation,
  parts: FindingParts,
): Violation {
  const { finding, count, stepEvents } = found;
  const names = (indices: readonly number[]): readonly string[] => indices.map((action) => parts.actions[action]!);
  const steps = confirmed && recording !== undefined ? recording.steps : [];
  const last = (steps.at(-1)?.requests ?? stepEvents?.exchanges)?.at(-1);
  const again = recording?.findings.find(({ invariant }) => invariant === finding.invariant);
  // Use the cause that the replay found, because on the shorter path the rule may be broken for another reason.
  const cause = again === undefined ? finding.cause : again.cause;
  // The message may contain values of its path, so use the message of the path that the result shows.
  const { message } = again !== undefined && (path !== found.path || cause !== finding.cause) ? again : finding;
  const violation = {
    id: findingId(parts.name, found),
    invariant: finding.invariant,
    severity: finding.severity,
    message: parts.urls.text(message),
    where: parts.declaredAt(finding.invariant, path.at(-1)),
    reproductionPath: names(path),
    request: last === undefined || last.request.url === "" ? undefined : parts.urls.request(last.request),
    response: last?.response,
    steps: steps.map((step) => shownStep(step, parts.urls)),
    checks:
      confirmed && recording !== undefined ? checksOf(recording, finding.invariant).map((one) => parts.urls.exchange(one)) : undefined,
    ...(confirmed && recording !== undefined && evidenceOf(recording, finding.invariant)),
    minimality,
    shrunkFrom: path.length < found.path.length ? names(found.path) : undefined,
    draws: recording?.drew === false ? undefined : draws,
    confirmed,
    ...(recording === undefined && { notReplayed: true as const, notReplayedReason: notReplayed }),
    count,
    ...(cause !== undefined && { cause }),
    state: path === found.path ? found.state : reachedState(recording, parts.explorer),
    target: again?.target ?? finding.target,
    ...(confirmed && recording?.printed !== undefined && recording.printed.length > 0 && { printed: recording.printed }),
  };
  return { ...violation, toString: () => violationText(violation) };
}

const shownStep = (step: RecordedStep, urls: ShownUrls): RecordedStep => ({
  ...step,
  requests: step.requests.map((one) => urls.exchange(one)),
});

/**
 * Returns the requests that the broken rule sent. If the rule sent none (for example because it reads a store), returns the requests of all rules
 * that were broken in the same step.
 */
function checksOf({ checks, findings }: Recording, invariant: string): readonly RecordedExchange[] {
  const own = checks.filter((check) => check.invariant === invariant);
  const broken = new Set(findings.map((finding) => finding.invariant));
  // Include rules that got no answer to a request, because the missing answer is itself a failure.
  const others = checks.filter((check) => broken.has(check.invariant) || check.exchange.error !== undefined);
  return (own.length > 0 ? own : others).map(({ exchange }) => exchange);
}

function evidenceOf({ evidence }: Recording, invariant: string): Pick<Violation, "evidence"> {
  const own = evidence.find((one) => one.invariant === invariant);
  if (own === undefined) return {};
  const { invariant: _, ...shown } = own;
  return { evidence: shown };
}

/** Returns the node that the replay of a shortened path reached; `null` if the exploration did not reach this state. */
function reachedState(recording: Recording | undefined, { committer }: FindingParts["explorer"]): number | null {
  const reached = recording?.reached;
  const node = reached === undefined ? -1 : committer.visited.find(reached.lo, reached.hi);
  return node < 0 ? null : node;
}

export function errorOf(
  found: {
    readonly error: ErrorEvent;
    readonly path: readonly number[];
    readonly count: number;
  },
  parts: Pick<FindingParts, "actions" | "urls" | "mapStack" | "whereOf">,
): RunError {
  const { code, message, source, stack, where } = found.error;
  return {
    code,
    message: parts.urls.text(message),
    source,
    path: found.path.map((action) => parts.actions[action]!),
    where: where ?? (stack === undefined ? undefined : parts.whereOf(stack)),
    stack: stack === undefined ? undefined : parts.mapStack(stack),
    count: found.count,
  };
}
