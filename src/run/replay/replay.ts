import { resolveExploration, type Config } from "../../config/index.ts";
import { faultsOn } from "../../faults/index.ts";
import type { FaultAnswer } from "../../messages/fault-messages.ts";
import { type Recording, CRASHED, INVALID_ANSWER } from "../../messages/lane-messages.ts";
import { joined, knowsNothing, NEXT_SECOND, NOTHING_KNOWN } from "../../state/index.ts";
import type { AgentDefinition } from "../../model/declare/agent.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { RaceReplay, ReplayResult, ReplayedRace } from "../../model/results/replay.ts";
import { raceOn } from "../../races/index.ts";
import { withLanes } from "../lanes/open-lanes.ts";
import { refuseRaces } from "../../lane/index.ts";
import { ShownUrls } from "../prepare/shown-urls.ts";
import type { RaceAnswer, RaceRequest } from "../../messages/race-messages.ts";
import { faultRule } from "../results/fault-result.ts";
import type { FaultPoint, RaceOutcome } from "../../model/results/result.ts";
import { Rule } from "../../model/declare/rule.ts";

type Definition = Pick<AgentDefinition<never, never>, "actions" | "invariants">;

/** Default number of trials when a race is replayed. */
const TRIALS = 20;

export interface ReplayInput {
  readonly definition: AgentDefinition<never, never>;
  readonly config: Config;
  /** The directory for bundled user code. */
  readonly directory: string;
  readonly signal: AbortSignal;
  /** The path to execute, as names of actions. */
  readonly path: readonly string[];
  /** For each step, the path that determines its test data, as action names. Default: the replayed path itself. */
  readonly draws?: readonly (readonly string[])[] | undefined;
  readonly seed: number;
  /** `true`: each step waits for the next second; see `ReplayOptions`. Default: `false`. */
  readonly nextSecond?: boolean | undefined;
  /** The rule that the finding breaks. Replaying throws `NO_SUCH_RULE` if the exploration no longer checks this rule. */
  readonly rule?: string | undefined;
  /** The calls to execute simultaneously at the end of the path. */
  readonly race?: RaceReplay | undefined;
  /** The fault to make during the last step of the path. */
  readonly fault?: FaultPoint | undefined;
  /** String literals of the user's own code. Equal values in states count as constants, not as generated values. */
  readonly literals?: readonly string[] | undefined;
  /**
   * Returns `true` if the replay had the expected outcome. If the outcome is not expected and the lane was lost, the path is replayed once more.
   * Default: every outcome is expected.
   */
  readonly expected?: (replayed: ReplayResult) => boolean;
  /**
   * Called before every step and after the last one. The replay waits for the returned promise. `uses` lists the URLs and files of the lane, without
   * passwords.
   */
  readonly beforeStep?: ((step: number, uses: readonly string[]) => Promise<void>) | undefined;
}

/** Maximum number of attempts for a replay. The path is tried again if the lane is lost and the outcome is not the expected one. */
const TRIES = 2;

/** Executes a path on a new lane, checks the rules in the last state, and closes the lane. @throws SeqqaError */
export async function replay(input: ReplayInput): Promise<ReplayResult> {
  const { definition, directory, signal, seed, literals, beforeStep, race, fault } = input;
  const config = { ...input.config, parallel: 1 };
  const path = indicesOf(input.path, definition);
  const draws = input.draws?.map((one) => indicesOf(one, definition));
  requireRules(input, definition, config);
  signal.throwIfAborted();
  const settings = { literals, dataSeed: seed, shapes: false, gated: race?.schedule !== undefined, faulty: fault !== undefined };
  return withLanes({ config, definition, directory, signal, settings }, async ({ host, lanePool, inline }) => {
    let [report] = await lanePool.start();
    const judged = [input.rule, race?.verdict === "invariant" ? race.invariant : undefined];
    const leftOut = report?.leftOutRules?.find((rule) => judged.includes(rule));
    if (leftOut !== undefined) throw noSuchRule(leftOut);
    // After a restart, the target's state is compared with the root state. Learn first which values change by themselves, so that such values do not
    // count as differences.
    const learned = config.target?.rollback === "restart" ? (await lanePool.calibrate()).learned : NOTHING_KNOWN;
    const known = input.nextSecond === true ? joined(learned, { ...NOTHING_KNOWN, ordered: [NEXT_SECOND] }) : learned;
    const { races } = resolveExploration(config, definition);
    if (race !== undefined) refuseRaces({ ...races, mode: "pairs", delivery: race.delivery ?? "auto" }, report!);
    if (!knowsNothing(known)) [report] = await lanePool.learn(known);
    const urls = new ShownUrls(config.baseUrl, host.origins);
    const before = beforeStep === undefined ? undefined : (step: number): Promise<void> => beforeStep(step, report!.uses);
    for (let tries = 1; ; tries++) {
      const prefix = fault === undefined ? path : path.slice(0, -1);
      const recording = await untilAborted(inline!.record(0, prefix, draws, before), signal);
      const replayed = resultOf(recording, { length: prefix.length, urls, rule: input.rule });
      const isEnd = recording.failure === undefined || beforeStep !== undefined || (input.expected?.(replayed) ?? true);
      if (!isEnd && tries < TRIES) {
        report = await lanePool.rebuild(0);
        continue;
      }
      if (fault !== undefined && recording.brokeAt === undefined) {
        const { kinds, bestEffort } = resolveExploration(config, definition).faults;
        const request = { path: prefix, draws, action: path.at(-1)!, kinds: [...kinds, fault.kind], bestEffort, from: 0, only: fault };
        const answers = await untilAborted(faultsOn(lanePool, 0, request), signal);
        return withFault(replayed, input.path.at(-1)!, { answers, urls });
      }
      if (race === undefined || recording.brokeAt !== undefined) return replayed;
      const request = callsRequest(race, { path, draws, sides: indicesOf(race.actions, definition) }, { trials: races.trials, seed });
      return { ...replayed, race: callsResult(await untilAborted(raceOn(lanePool, 0, request), signal), urls) };
    }
  });
}

function resultOf(
  { steps, findings, errors, inconclusive = [], brokeAt, failure }: Recording,
  { length, urls, rule }: { readonly length: number; readonly urls: ShownUrls; readonly rule: string | undefined },
): ReplayResult {
  const unjudged = inconclusive.filter(({ invariant }) => invariant === rule);
  return {
    steps: steps.map((step) => ({ ...step, requests: step.requests.map((one) => urls.exchange(one)) })),
    // Count the path as completed if only the last answer is missing, because the missing answer may be the finding.
    completed: brokeAt === undefined || (brokeAt === length - 1 && failure !== undefined),
    violations: findings.map(({ invariant, severity, message }) => ({ invariant, severity, message })),
    errors: [
      ...errors.map(({ code, message, source }) => ({ code, message: urls.text(message), source })),
      // Without the last answer, the rule was not checked, so that the missing finding does not show that the rule holds.
      ...(failure === undefined || rule === undefined
        ? []
        : [{ code: "RULE_NOT_CHECKED", message: "The rule may not have been checked, because the target gave no answer.", source: rule }]),
      ...unjudged.map(({ invariant, what }) => ({
        code: "RULE_INCONCLUSIVE",
        message: `The rule could not be judged: ${urls.text(what)}.`,
        source: invariant,
      })),
    ],
  };
}

/** Adds to the result the step in which the fault was made, and the violations that the fault caused. */
function withFault(
  replayed: ReplayResult,
  action: string,
  { answers, urls }: { readonly answers: readonly FaultAnswer[]; readonly urls: ShownUrls },
): ReplayResult {
  const hits = answers.flatMap((answer) => answer.hits);
  const [first] = hits;
  const status = first === undefined || first.status === 0 ? null : first.status;
  const requests = first?.exchanges.map((exchange) => urls.exchange(exchange)) ?? [];
  const isTried = answers.some(({ tried }) => tried > 0) || hits.length > 0;
  const why = answers.at(-1)?.failure?.message ?? answers.at(-1)?.dismissed ?? "the target did not make this write again";
  return {
    ...replayed,
    completed: isTried,
    steps: [...replayed.steps, { action, status, requests, changes: first?.changes }],
    violations: hits.map(({ verdict, severity, message }) => ({
      invariant: faultRule(action, verdict),
      severity,
      message: urls.text(message),
    })),
    errors: isTried
      ? replayed.errors
      : [
          ...replayed.errors,
          { code: "FAULT_NOT_MADE", message: `seqqa could not make the fault of the finding again: ${urls.text(why)}.`, source: action },
        ],
  };
}

export function indicesOf(names: readonly string[], { actions }: AgentDefinition<never, never>): readonly number[] {
  return names.map((name) => {
    const index = actions.findIndex((action) => action.name === name);
    if (index >= 0) return index;
    throw new SeqqaError(
      "NO_SUCH_ACTION",
      `The path of the finding contains the action ${JSON.stringify(name)}, which the exploration no longer declares.`,
      {
        hint: "Add the action again, or run the exploration again to get current findings.",
      },
    );
  });
}

/** Resolves like `work`, but rejects as soon as the signal is aborted. Aborted work continues in the background; closing the lane ends it. */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  work.catch(() => undefined);
  let abort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", abort!);
  }
}

/** Returns a request to execute calls simultaneously at the end of a path. */
function callsRequest(
  race: RaceReplay,
  place: Pick<RaceRequest, "path" | "draws" | "sides">,
  { trials = TRIALS, seed }: { readonly trials?: number | undefined; readonly seed: number },
): RaceRequest {
  const { delivery = "auto", schedule, verdict, invariant } = race;
  const count = race.trials ?? trials;
  return {
    ...place,
    effort: { first: count, trials: count, delivery, seed },
    schedule,
    // Without a `verdict` in the request, a trial that shows any kind of race counts.
    wanted: verdict === undefined ? undefined : { verdict, invariant },
    mode: "measure",
  };
}

function callsResult(answer: RaceAnswer, urls: ShownUrls): ReplayedRace {
  const { hit, hits, trials, misses } = answer;
  const outcome = (one: RaceOutcome): RaceOutcome => ({
    ...one,
    calls: one.calls.map((call) => ({ ...call, requests: call.requests.map((exchange) => urls.exchange(exchange)) })),
  });
  const shown = hit?.observed ?? answer.last;
  return {
    hits,
    trials,
    misses,
    ...(hit === undefined ? {} : { verdict: hit.verdict, invariant: hit.invariant, message: urls.text(hit.message) }),
    observed: shown === undefined ? undefined : outcome(shown),
    inconclusive: hits > 0 ? undefined : whyNot(answer, urls),
  };
}

/**
 * Returns a sentence that says why a replay in which no race occurred proves nothing; `undefined` if its trials reliably show that there is no race.
 */
function whyNot({ failure, dismissed, trials, misses }: RaceAnswer, urls: ShownUrls): string | undefined {
  if (failure !== undefined) return urls.text(failure.message);
  if (dismissed === "not_there") return "the path led to another state";
  if (dismissed === "order_fails") return "at least one call gets no answer even if the calls are sent one after the other";
  if (dismissed === "one_connection") return "the target serves one connection at a time, so calls do not overlap there";
  if (dismissed === "control") return "the same result occurs if the calls are sent 50 ms apart, so it is not a race";
  if (dismissed === "control_overlaps") return "calls sent with a delay between them showed the same result, but still overlapped";
  if (dismissed === "noise") return "one order of the calls gives different results when it is repeated";
  if (trials > 0) return undefined;
  return misses > 0 ? `the calls overlapped in none of ${misses} trials` : "the calls could not be made to overlap";
}

/**
 * Checks that the exploration still checks the rule of a finding. Otherwise, the replay could not break the rule, and the finding would seem to be
 * fixed.
 * @throws SeqqaError `NO_SUCH_RULE`
 */
function requireRules(
  { rule, race }: { readonly rule?: string | undefined; readonly race?: RaceReplay | undefined },
  definition: Definition,
  { exploration: { serverErrors } }: Pick<Config, "exploration">,
): void {
  const isReplaced = definition.invariants.some((one) => one instanceof Rule && one.replaces === "server_errors");
  const isJudged = serverErrors === "violation" && !isReplaced;
  if (rule !== undefined && !isChecked(rule, definition, isJudged)) throw noSuchRule(rule);
  if (race?.verdict === "invariant" && race.invariant !== undefined && !isDeclared(race.invariant, definition))
    throw noSuchRule(race.invariant);
  // For races, the setting `server_errors` alone decides if server errors are findings, even if a rule of the exploration replaces this setting for
  // steps.
  if (race?.verdict === "server_error" && serverErrors !== "violation") throw noSuchRule("server_error");
}

/** Returns the error for a rule that the exploration does not check. */
function noSuchRule(rule: string): SeqqaError {
  return new SeqqaError(
    "NO_SUCH_RULE",
    `The exploration no longer checks the rule ${JSON.stringify(rule)}, so the replay cannot show whether the finding still exists.`,
    { hint: "Add the rule again, or undo the setting that turned the rule off. Or run the exploration again to get current findings." },
  );
}

const isDeclared = (rule: string, { invariants }: Definition): boolean => invariants.some(({ name }) => name === rule);

function isChecked(rule: string, definition: Definition, judgesServerErrors: boolean): boolean {
  if (rule === CRASHED || rule === INVALID_ANSWER || isDeclared(rule, definition)) return true;
  const action = (suffix: string): Definition["actions"][number] | undefined =>
    definition.actions.find(({ name }) => `${name}_${suffix}` === rule);
  if (action("server_error") !== undefined) return judgesServerErrors;
  return (
    action("timeout") !== undefined ||
    definition.invariants.some(({ name }) => `${name}_timeout` === rule) ||
    action("status")?.expectedStatus !== undefined
  );
}
