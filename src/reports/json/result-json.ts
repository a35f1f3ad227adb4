import type { ApiRequest } from "../../model/http/response.ts";
import type {
  ExplorationResult,
  FaultCoverage,
  FaultPoint,
  Race,
  RaceCoverage,
  RaceOutcome,
  RecordedExchange,
  RecordedResponse,
  RecordedStep,
  Violation,
} from "../../model/results/result.ts";
import type { ExplorationEntry } from "../document/document-types.ts";
import { graphEntry } from "../document/graph-entry.ts";

/**
 * A type with the keys of `T`, none of which may be left out, so that a new optional key of a result cannot be missing from documents by mistake. A
 * key whose value is `undefined` is left out of JSON.
 */
type AllKeys<T> = { readonly [K in keyof Required<T>]: T[K] };

/** Returns an exploration's result as plain data, for `result.toJSON()`. The keys are always in the same order. */
export function resultJson(result: Omit<ExplorationResult, "toJSON">): AllKeys<Omit<ExplorationEntry, "name" | "file" | "strength">> {
  return {
    statesVisited: result.statesVisited,
    transitions: result.transitions,
    steps: result.steps,
    skipped: result.skipped,
    replayed: result.replayed,
    crossChecked: result.crossChecked,
    speculative: result.speculative,
    open: result.open,
    maxDepthReached: result.maxDepthReached,
    completeToDepth: result.completeToDepth,
    stopReason: result.stopReason,
    verdict: {
      complete: result.verdict.complete,
      text: result.verdict.text,
      exceptions: result.verdict.exceptions.map(({ kind, count, text }) => ({ kind, count, text })),
    },
    unverified: result.unverified,
    reductions: result.reductions.map(({ reason, merges, audited, refuted }) => ({ reason, merges, audited, refuted })),
    // Without a setup the value is `undefined`, so that JSON documents leave out the key.
    setup: result.setup === undefined ? undefined : stepJson(result.setup),
    violations: result.violations.map(violationJson),
    races: result.races.map(raceJson),
    // If no races were searched for, the value is `undefined`, so that JSON documents leave out the key.
    raceCoverage: result.raceCoverage === undefined ? undefined : coverageJson(result.raceCoverage),
    // If no faults were injected, the value is `undefined`, so that JSON documents leave out the key.
    faultCoverage: result.faultCoverage === undefined ? undefined : faultCoverageJson(result.faultCoverage),
    divergences: result.divergences.map(({ kind, path, message, differences, fields, hint }) => ({
      kind,
      path,
      message,
      differences,
      ...(fields !== undefined && { fields }),
      hint,
    })),
    errors: result.errors.map(({ code, message, path, source, where, stack, count }) => ({
      code,
      message,
      path,
      source,
      where,
      stack,
      count,
    })),
    coverage: {
      actions: Object.fromEntries(
        Object.entries(result.coverage.actions).map(
          ([
            name,
            {
              applied,
              skipped,
              statuses,
              refusedInBody,
              role,
              brought,
              unseenWrites,
              changesNothing,
              mayNeverApply,
              mayNeverSucceed,
              mustBeRefused,
            },
          ]) => [
            name,
            {
              applied,
              skipped,
              statuses,
              ...(refusedInBody !== undefined && { refusedInBody }),
              ...(role !== undefined && { role }),
              ...(brought && { brought }),
              ...(unseenWrites !== undefined && { unseenWrites }),
              ...(changesNothing && { changesNothing }),
              ...(mayNeverApply && { mayNeverApply }),
              ...(mayNeverSucceed && { mayNeverSucceed }),
              ...(mustBeRefused && { mustBeRefused }),
            },
          ],
        ),
      ),
      pairs: result.coverage.pairs,
      operations: result.coverage.operations?.map(({ method, path, described, seen, missing, undescribed }) => ({
        method,
        path,
        described,
        seen,
        missing,
        undescribed,
      })),
    },
    durationMs: result.durationMs,
    strategy: result.strategy,
    seed: result.seed,
    nextSecond: result.nextSecond,
    digest: result.digest,
    collisionProbability: result.collisionProbability,
    collisions: result.collisions,
    bounded: result.bounded,
    notes: result.notes,
    invariants: result.invariants,
    unjudgedRules: result.unjudgedRules,
    ruleSubjects: result.ruleSubjects,
    ruleActions: result.ruleActions,
    requireAllActions: result.requireAllActions,
    graph: graphEntry(result.graph),
    // Without a state graph these values are `undefined`, so that JSON documents leave out the keys.
    unreachedNodes: result.unreachedNodes,
    deadEdges: result.deadEdges,
    deniedChecks: result.deniedChecks,
  };
}

/** Returns a violation as plain data. The keys are always in the same order. */
export function violationJson(violation: Violation): AllKeys<Violation> {
  const { id, invariant, severity, message, reproductionPath, request, response, steps, checks, confirmed, count, state } = violation;
  const {
    where,
    evidence,
    minimality,
    shrunkFrom,
    draws,
    curl,
    notReplayed,
    notReplayedReason,
    known,
    target,
    fault,
    printed,
    cause,
    operations,
  } = violation;
  return {
    id,
    invariant,
    severity,
    message,
    where,
    reproductionPath,
    request: request === undefined ? undefined : requestJson(request),
    response: response === undefined ? undefined : responseJson(response),
    steps: steps.map(stepJson),
    checks: checks?.map(exchangeJson),
    evidence,
    minimality,
    shrunkFrom,
    draws,
    curl,
    confirmed,
    notReplayed: notReplayed || undefined,
    notReplayedReason,
    count,
    cause,
    operations: operations?.map(({ action, id: own, count: times }) => ({ action, id: own, count: times })),
    state,
    known: known || undefined,
    target: target === undefined ? undefined : { exitCode: target.exitCode, signal: target.signal, output: target.output },
    fault: fault === undefined ? undefined : faultJson(fault),
    printed,
  };
}

function faultJson({ kind, store, write, statement }: FaultPoint): AllKeys<FaultPoint> {
  return { kind, store, write, statement };
}

function faultCoverageJson(coverage: FaultCoverage): AllKeys<FaultCoverage> {
  const { calls, counted, points, tried, skipped, skippedPoints, missing, unconfirmed, durationMs } = coverage;
  return { calls, counted, points, tried, skipped, skippedPoints, missing, unconfirmed, durationMs };
}

/** Returns a race as plain data. The keys are always in the same order. */
export function raceJson(race: Race): AllKeys<Race> {
  const { id, first, second, copies, prefix, verdict, invariant, severity, message, where, observed, allowed } = race;
  const { hits, trials, misses, rate, delivery, schedule, steps, requests, count, draws, curl, known } = race;
  return {
    id,
    first,
    second,
    copies,
    prefix,
    verdict,
    invariant,
    severity,
    message,
    where,
    observed: outcomeJson(observed),
    allowed: allowed.map(outcomeJson),
    hits,
    trials,
    misses,
    rate: { low: rate.low, high: rate.high },
    delivery,
    schedule:
      schedule === undefined
        ? undefined
        : { system: schedule.system, held: schedule.held, write: schedule.write, statement: schedule.statement },
    steps: steps.map(stepJson),
    requests: requests.map(requestJson),
    count,
    draws,
    curl,
    known: known || undefined,
  };
}

function coverageJson({ asked, dismissedRaces, deliveries, durationMs, ...counts }: RaceCoverage): AllKeys<RaceCoverage> {
  const races = dismissedRaces?.map(({ first, second, copies, prefix, verdict, invariant, message, observed, reason, count }) => ({
    first,
    second,
    copies,
    prefix,
    verdict,
    invariant,
    message,
    observed: outcomeJson(observed),
    reason,
    count,
  }));
  return { ...counts, asked, dismissedRaces: races, deliveries, durationMs };
}

const outcomeJson = ({ order, calls, changes, broken }: RaceOutcome): AllKeys<RaceOutcome> => ({
  order,
  calls: calls.map(({ action, status, requests }) => ({ action, status, requests: requests.map(exchangeJson) })),
  changes,
  broken,
});
const stepJson = ({ action, status, requests, changes, state, printed }: RecordedStep): AllKeys<RecordedStep> => ({
  action,
  status,
  requests: requests.map(exchangeJson),
  changes,
  state,
  printed,
});
const requestJson = ({ method, url, headers, body }: ApiRequest): AllKeys<ApiRequest> => ({ method, url, headers, body });
const responseJson = ({ status, headers, body }: RecordedResponse): AllKeys<RecordedResponse> => ({ status, headers, body });

export function exchangeJson({ request, response, error, durationMs }: RecordedExchange): AllKeys<RecordedExchange> {
  return { request: requestJson(request), response: response === undefined ? undefined : responseJson(response), error, durationMs };
}
