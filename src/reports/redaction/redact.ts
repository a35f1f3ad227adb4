import type { ExplorationEvent, TriedStep } from "../../engine/events.ts";
import type {
  Divergence,
  Evidence,
  ExplorationResult,
  Race,
  RaceCall,
  RaceCoverage,
  RaceOutcome,
  RecordedExchange,
  RecordedStep,
  RunError,
  Violation,
} from "../../model/results/result.ts";
import type { TargetEnd } from "../../model/results/target-end.ts";
import { curlScript } from "../curl/curl-script.ts";
import { raceScript } from "../curl/race-script.ts";
import { raceText } from "../console/findings/race-text.ts";
import { redactor, type Redactor } from "./redactor.ts";
import { resultJson } from "../json/result-json.ts";
import type { ReportedFailure } from "../document/run-report.ts";
import { violationText } from "../console/findings/violation-text.ts";

/** The settings that say which data a report may show. */
export interface Visibility {
  /** The names of headers and JSON fields whose values are hidden. Case, `-` and `_` are ignored in comparisons of names. */
  readonly redact: readonly string[];
  readonly includeRequestResponse: boolean;
}

/** Matches a message of seqqa that quotes a body as a JSON string. */
const QUOTED_BODY = /( is not (?:JSON|a GraphQL answer with data or errors): )"(?:[^"\\]|\\.)*"/g;

/** Redacts a text that may quote error messages, answers, output of the target, or lines of states. */
export function redactText(text: string, { includeRequestResponse }: Visibility, hide: Redactor): string {
  const shown = includeRequestResponse ? text : text.replace(QUOTED_BODY, "$1[not shown]");
  return hide
    .body(shown)
    .split("\n")
    .map((line) => hide.line(line))
    .join("\n");
}

/**
 * Returns a redacted copy of an exploration's result. The values of the configured fields are hidden. Requests and responses are left out if the
 * configuration says so.
 */
export function redactResult(
  result: ExplorationResult,
  visibility: Visibility,
  hide: Redactor = redactor(visibility.redact),
): ExplorationResult {
  const redacted = (): Omit<ExplorationResult, "toJSON"> => ({
    ...result,
    ...(result.setup !== undefined && { setup: redactStep(result.setup, visibility, hide) }),
    violations: result.violations.map((violation) => redactViolation(violation, visibility, hide, result.nextSecond)),
    races: result.races.map((race) => redactRace(race, visibility, hide, result.nextSecond)),
    raceCoverage: result.raceCoverage === undefined ? undefined : redactCoverage(result.raceCoverage, visibility, hide),
    divergences: result.divergences.map((one) => redactDivergence(one, visibility, hide)),
    errors: result.errors.map((one) => redactError(one, visibility, hide)),
    notes: result.notes.map((note) => redactText(note, visibility, hide)),
    unverified: result.unverified.map((why) => redactText(why, visibility, hide)),
  });
  // Redact twice: the first pass finds the secrets, the second pass hides all occurrences of them.
  redacted();
  const shown = redacted();
  return { ...shown, toJSON: () => resultJson(shown) };
}

/** Returns a redacted copy of a violation. @param nextSecond see {@link ExplorationResult.nextSecond} */
export function redactViolation(
  violation: Violation,
  visibility: Visibility,
  hide: Redactor = redactor(visibility.redact),
  nextSecond?: true,
): Violation {
  const { includeRequestResponse: included } = visibility;
  const { request, response, checks, target } = violation;
  const shown = {
    ...violation,
    message: redactText(violation.message, visibility, hide),
    ...(violation.cause !== undefined && { cause: redactText(violation.cause, visibility, hide) }),
    request: included && request !== undefined ? hide.request(request) : undefined,
    response: included && response !== undefined ? hide.response(response) : undefined,
    steps: violation.steps.map((step) => redactStep(step, visibility, hide)),
    checks: included && checks !== undefined ? redactExchanges(checks, visibility, hide) : undefined,
    ...(violation.evidence !== undefined && {
      evidence: included ? (hide.value(violation.evidence) as Evidence) : undefined,
    }),
    // Generate the script again, without the hidden values. The new script takes these values from answers or from the environment.
    curl: included
      ? (curlScript({ ...violation, nextSecond, message: redactText(violation.message, visibility, hide) }, hide) ?? violation.curl)
      : undefined,
    target: target === undefined ? undefined : redactTarget(target, hide),
    ...(violation.printed !== undefined && { printed: violation.printed.map((line) => hide.body(line)) }),
  };
  return { ...shown, toString: () => violationText(shown) };
}

/**
 * Returns a redacted copy of a race. The values of the configured fields are hidden in its calls, states and steps. Requests and responses are left
 * out if the configuration says so. @param nextSecond see {@link ExplorationResult.nextSecond}
 */
export function redactRace(race: Race, visibility: Visibility, hide: Redactor, nextSecond?: true): Race {
  const { includeRequestResponse: included } = visibility;
  const message = redactText(race.message, visibility, hide);
  const schedule = race.schedule === undefined ? undefined : { ...race.schedule, statement: hide.body(race.schedule.statement) };
  const shown = {
    ...race,
    message,
    observed: redactOutcome(race.observed, visibility, hide),
    allowed: race.allowed.map((outcome) => redactOutcome(outcome, visibility, hide)),
    schedule,
    steps: race.steps.map((step) => redactStep(step, visibility, hide)),
    requests: included ? race.requests.map((request) => hide.request(request)) : [],
    // Generate the script again, without the hidden values. The new script takes these values from answers or from the environment.
    curl: included ? (raceScript({ ...race, message, schedule }, hide, nextSecond) ?? race.curl) : undefined,
  };
  return { ...shown, toString: () => raceText(shown) };
}

function redactCoverage({ dismissedRaces, ...coverage }: RaceCoverage, visibility: Visibility, hide: Redactor): RaceCoverage {
  if (dismissedRaces === undefined) return coverage;
  const redacted = dismissedRaces.map((race) => ({
    ...race,
    message: redactText(race.message, visibility, hide),
    observed: redactOutcome(race.observed, visibility, hide),
  }));
  return { ...coverage, dismissedRaces: redacted };
}

export function redactOutcome(outcome: RaceOutcome, visibility: Visibility, hide: Redactor): RaceOutcome {
  return {
    ...outcome,
    calls: outcome.calls.map((call): RaceCall => ({ ...call, requests: redactExchanges(call.requests, visibility, hide) })),
    changes: redactState(outcome.changes, hide),
  };
}

export function redactStep(step: RecordedStep, visibility: Visibility, hide: Redactor): RecordedStep {
  return {
    ...step,
    requests: redactExchanges(step.requests, visibility, hide),
    changes: step.changes === undefined ? undefined : redactState(step.changes, hide),
    state: step.state === undefined ? undefined : redactState(step.state, hide),
    printed: step.printed?.map((line) => hide.body(line)),
  };
}

export function redactState(lines: readonly string[], hide: Redactor): readonly string[] {
  return lines.map((line) => hide.line(line));
}

/** Redacts requests with their responses. Returns an empty list if reports must not show requests. */
export function redactExchanges(
  list: readonly RecordedExchange[],
  { includeRequestResponse }: Visibility,
  hide: Redactor,
): readonly RecordedExchange[] {
  return includeRequestResponse ? list.map((one) => redactExchange(one, hide)) : [];
}

/** Redacts a request and its response. The response is redacted first, because only the response may show that a value of the request is a secret. */
export function redactExchange(one: RecordedExchange, hide: Redactor): RecordedExchange {
  const response = one.response === undefined ? undefined : hide.response(one.response);
  return {
    request: hide.request(one.request),
    ...(response === undefined ? {} : { response: hide.response(response) }),
    ...(one.error === undefined ? {} : { error: hide.body(one.error) }),
    durationMs: one.durationMs,
  };
}

export function redactTarget(target: TargetEnd, hide: Redactor): TargetEnd {
  return { ...target, output: target.output.map((line) => hide.body(line)) };
}

export function redactDivergence(one: Divergence, visibility: Visibility, hide: Redactor): Divergence {
  return { ...one, message: redactText(one.message, visibility, hide), differences: redactState(one.differences, hide) };
}

/** Redacts an error of user code, because its message may quote values that were sent. */
export function redactError(one: RunError, visibility: Visibility, hide: Redactor): RunError {
  const text = (value: string): string => redactText(value, visibility, hide);
  return { ...one, message: text(one.message), stack: one.stack === undefined ? undefined : text(one.stack) };
}

export function redactFailure({ file, code, message, hint }: ReportedFailure, visibility: Visibility, hide: Redactor): ReportedFailure {
  const text = (value: string): string => redactText(value, visibility, hide);
  return { file, code, message: text(message), hint: hint === undefined ? undefined : text(hint) };
}

export function redactTried(step: TriedStep, visibility: Visibility, hide: Redactor): TriedStep {
  const { exchanges, state } = step;
  return { ...step, exchanges: redactExchanges(exchanges, visibility, hide) ?? [], state: state && redactState(state, hide) };
}

/** Redacts an event of a run. The result in a `finished` event is left unchanged, because each reporter that shows it redacts it. */
export function redactEvent(event: ExplorationEvent, visibility: Visibility, hide: Redactor): ExplorationEvent {
  if (event.kind === "started") return { ...event, notes: event.notes.map((note) => redactText(note, visibility, hide)) };
  if (event.kind !== "note") return event;
  const { target } = event;
  return {
    ...event,
    message: redactText(event.message, visibility, hide),
    target: target === undefined ? undefined : redactTarget(target, hide),
  };
}
