import { severityRank } from "../../model/declare/severity.ts";
import type { RuleRace } from "../../model/declare/agent.ts";
import type { RaceHit } from "../../messages/race-messages.ts";
import { raceId } from "../../engine/findings/race-id.ts";
import type { DismissedRace, Race, RaceCoverage, RaceOutcome } from "../../model/results/result.ts";
import { refusesInBody } from "../../model/http/refusal.ts";
import { redirectPage } from "../../model/http/redirect.ts";
import { NOT_TRIED_AGAIN } from "../../model/results/unconfirmed-races.ts";
import { raceName, raceText } from "../../reports/index.ts";
import { shareInterval, type ConfirmedRace, type DismissedHit } from "../../races/index.ts";
import type { FoundRaces } from "../explore/races.ts";
import type { ShownUrls } from "../prepare/shown-urls.ts";

interface RaceParts {
  readonly name: string;
  readonly actions: readonly string[];
  readonly urls: ShownUrls;
  readonly ruleRaces: readonly RuleRace[];
  /** Returns the source line where the rule is declared, or else where the action with this index is declared. */
  readonly declaredAt: (rule: string, action: number | undefined) => string | undefined;
}

export function raceOf({ request, hit, answer, recording, count }: ConfirmedRace, parts: RaceParts): Race {
  const { actions, urls } = parts;
  const [first, second] = [actions[request.sides[0]!]!, actions[request.sides[1]!]!];
  const outcome = (one: RaceOutcome): RaceOutcome => shownOutcome(one, urls);
  const observed = outcome(hit.observed);
  const byRule = brokenRule(hit, parts.ruleRaces, request.sides);
  const race = {
    id: raceId(parts.name, first, second),
    first,
    second,
    copies: request.sides.length,
    prefix: request.path.map((action) => actions[action]!),
    verdict: hit.verdict,
    invariant: hit.invariant,
    severity: hit.severity,
    message: hit.message,
    ...byRule,
    where: parts.declaredAt(byRule.invariant ?? hit.invariant ?? "", request.sides[0]),
    observed,
    allowed: hit.allowed.map(outcome),
    hits: answer.hits,
    trials: answer.trials,
    misses: answer.misses,
    rate: shareInterval(answer.hits, answer.trials),
    delivery: hit.delivery,
    schedule: hit.schedule,
    steps: recording.steps.map((step) => ({ ...step, requests: step.requests.map((one) => urls.exchange(one)) })),
    requests: observed.calls.flatMap(({ requests }) => (requests.length === 0 ? [] : [requests[0]!.request])),
    count,
    draws: recording.drew || answer.drew ? request.draws : undefined,
  };
  return { ...race, toString: () => raceText(race) };
}

/**
 * Returns the name, the severity and the message of the rule that required the race. Returns an empty object unless more calls succeeded
 * simultaneously than in any order of the calls. Such calls share something that may be used only once.
 */
function brokenRule(
  { verdict, severity, message, observed, allowed }: RaceHit,
  ruleRaces: readonly RuleRace[],
  sides: readonly number[],
): Partial<Pick<Race, "invariant" | "severity" | "message">> {
  const one = ruleRaces.find(({ pair }) => sides.every((side) => pair.includes(side)));
  if (one === undefined || verdict === "invariant" || accepted(observed) <= Math.max(...allowed.map(accepted))) return {};
  const worse = severityRank(one.severity) < severityRank(severity) ? one.severity : severity;
  return { invariant: one.rule, severity: worse, message: `${one.rule}: ${message}` };
}

/**
 * Returns the largest number of calls that succeeded in the same way. Redirects count as the same only if they lead to the same page, because a
 * refused call is often redirected to another page, such as the login.
 */
function accepted({ calls }: RaceOutcome): number {
  const counts = new Map<string, number>();
  for (const { status, requests } of calls) {
    const { request, response } = requests.at(-1) ?? {};
    if (status === null || status >= 400) continue;
    if (request !== undefined && refusesInBody({ statusCode: status, request, text: response?.body })) continue;
    const page = redirectPage(status, response?.headers ?? {}) ?? "";
    if (!page.endsWith("?error")) counts.set(page, (counts.get(page) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}

/** Returns the counts of probed pairs and dismissed races for the result; `undefined` if no races were probed. */
export function coverageOf(
  { coverage, dismissed, asked }: FoundRaces,
  parts: Pick<RaceParts, "name" | "actions" | "urls">,
): RaceCoverage | undefined {
  if (coverage === undefined) return undefined;
  return {
    ...coverage,
    ...(asked !== undefined && { asked: askedIds(asked, parts) }),
    ...(dismissed.length > 0 && { dismissedRaces: dismissed.map((one) => dismissedOf(one, parts)) }),
  };
}

/** Returns the race ids of all pairs of actions that are probed for a rule's pair: the pair itself, and each action of the pair with itself. */
function askedIds(
  pairs: readonly (readonly [number, number])[],
  { name, actions }: Pick<RaceParts, "name" | "actions">,
): readonly string[] {
  const ids = pairs
    .flatMap(([a, b]) => [
      [a, b],
      [a, a],
      [b, b],
    ])
    .map(([first, second]) => raceId(name, actions[first!]!, actions[second!]!));
  return [...new Set(ids)];
}

function dismissedOf({ request, hit, reason, count }: DismissedHit, { actions, urls }: Pick<RaceParts, "actions" | "urls">): DismissedRace {
  return {
    first: actions[request.sides[0]!]!,
    second: actions[request.sides[1]!]!,
    copies: request.sides.length,
    prefix: request.path.map((action) => actions[action]!),
    verdict: hit.verdict,
    invariant: hit.invariant,
    message: urls.text(hit.message),
    observed: shownOutcome(hit.observed, urls),
    reason,
    count,
  };
}

/**
 * Returns a sentence for each race that a trial showed and that could be neither confirmed nor refuted. A known race that is too rare to occur again
 * is left out, because the run does not fail if it occurs again.
 */
export function unconfirmedRaces(
  { dismissed }: Pick<FoundRaces, "dismissed">,
  { name: exploration, actions, known }: Pick<RaceParts, "name" | "actions"> & { readonly known: ReadonlySet<string> | undefined },
): readonly string[] {
  return dismissed.flatMap(({ request: { path, sides }, hit, reason, difference, rate }) => {
    const why = NOT_TRIED_AGAIN[reason];
    if (why === undefined) return [];
    const [first, second] = [actions[sides[0]!]!, actions[sides[1]!]!];
    if (reason === "not_repeated" && known?.has(raceId(exploration, first, second)) === true) return [];
    const name = raceName({ first, second, copies: sides.length });
    const where = path.length === 0 ? "in the root state" : `after ${path.map((action) => actions[action]!).join(" -> ")}`;
    const seen = `A trial showed the race ${name} ${where}, but seqqa could not ${rate === undefined ? "try to " : ""}confirm it, because ${why}.`;
    const often = rate === undefined ? [] : [`The rule ${hit.invariant} broke in ${rate.hits} of ${rate.trials} trials.`];
    return [[seen, ...often, ...(difference === undefined ? [] : [difference])].join(" ")];
  });
}

function shownOutcome(one: RaceOutcome, urls: ShownUrls): RaceOutcome {
  return { ...one, calls: one.calls.map((call) => ({ ...call, requests: call.requests.map((exchange) => urls.exchange(exchange)) })) };
}
