import { setTimeout as sleep } from "node:timers/promises";
import { isExpected, isServerError, serverErrorIn, type Action } from "../../model/declare/action.ts";
import type { Exchange, PendingRequest } from "../../model/http/client.ts";
import { EdgeAction } from "../../model/declare/edge-action.ts";
import { ApiResponse } from "../../model/http/response.ts";
import { Severity } from "../../model/declare/severity.ts";
import { SeqqaError } from "../../model/errors.ts";
import { withoutBodies } from "../../model/http/without-bodies.ts";
import { isGuestRole } from "../../model/declare/rule.ts";
import type { World } from "../../model/declare/world.ts";
import type { ErrorEvent, FindingEvent } from "../../messages/lane-messages.ts";
import type { Drawing } from "../bring-up/data-draws.ts";
import { poll } from "../examine/late-writes.ts";
import type { SavedWorld, WorldState } from "../state/world-state.ts";
import type { SentRequest } from "../../state/index.ts";
import { requireStores } from "../bring-up/store-lost.ts";
import { invalidAnswerFinding } from "./invalid-answer.ts";
import { executed, failed, lost, SKIPPED_OUTCOME, type Outcome } from "./outcome.ts";
import { isRepeated, issuesToken, Reissues, Repeats } from "./repeats.ts";
import { errorEvent, thrown, overloaded, pendingText, describe } from "./error-events.ts";
import { isGraphqlQuery, isGraphqlRefusal } from "./graphql-requests.ts";

export interface StepperOptions {
  /** The treatment of server errors (5xx answers): each is a violation, all are ignored, or a rule of the agent judges them. */
  readonly serverErrors: "violation" | "ignore" | "rule";
  /** `true` if errors must not quote the bodies of requests and responses. */
  readonly hideBodies: boolean;
}

type AnyAction = Action<never, never>;

export type StepperWorld = Pick<World<never, never>, "api" | "clients" | "context"> & Partial<Pick<World<never, never>, "probe">>;

/** The part of the world's state that {@link Stepper} uses. */
export type StepperState = Pick<WorldState, "attribute" | "moveTo"> &
  Partial<
    Pick<
      WorldState,
      | "asks"
      | "beginStep"
      | "expectShed"
      | "takeThrown"
      | "pending"
      | "cut"
      | "probe"
      | "wroteUnseen"
      | "visibility"
      | "msToNextSecond"
      | "msToOtherTokens"
    >
  >;

export type UnansweredCheck = Extract<Exchange, { kind: "failure" }> & {
  readonly reason: "timeout" | "unreachable";
  /** The name of the invariant or rule that sent the request. Empty if the action did. */
  readonly check: string;
};

/** Reads the target's clock, in milliseconds since 1970. */
export interface StepClock {
  now(): number;
}

/** Executes one action at a time and judges its answers. Neither reads nor restores the state. */
export class Stepper {
  readonly exchanges: Exchange[] = [];
  /** Promise rejections during the current step that no code handled. */
  readonly strays: unknown[] = [];
  /** Errors in timers and listeners of user code. An error between two steps is reported with the next step, since no other step would report it. */
  readonly uncaught: unknown[] = [];
  /** The first request of a check after the current step that got no answer. */
  checkFailure: UnansweredCheck | undefined;
  /** `true` if the server was overloaded and refused the last request of a check, so that the check has no result. */
  isCheckShed = false;
  /** Called with the requests of checks and their responses, while a path is recorded. */
  onCheckExchange: ((exchange: Exchange) => void) | undefined;
  /** Restores the state before a step is repeated. `undefined` if steps are never repeated; see {@link Repeats}. */
  wayBack: Pick<WorldState, "mark" | "restore"> | undefined;
  onExchange: (() => void) | undefined;
  /** `true` if the target compares times in whole seconds, so that steps wait for the next second. */
  waitsForSeconds = false;
  /** `true` if steps that may issue a token wait for the next second, because they cannot be repeated; see {@link Reissues}. */
  waitsForTokens = false;
  /** Actions by name: `true` if a call of the action returned a token, `false` if none did so far. */
  readonly #issuers: Map<string, boolean> = new Map();
  /** Repeats steps whose outcomes say nothing about the state; see {@link repeated}. */
  readonly repeats: Repeats = new Repeats();
  readonly #reissues: Reissues = new Reissues();
  #expectsShed = false;
  /** The bodies of the current step and its checks, which errors must not quote. Empty unless `hideBodies` is set. */
  readonly #bodies: string[] = [];
  readonly #world: StepperWorld;
  readonly #options: StepperOptions;
  readonly #state: StepperState;
  readonly #drawing: Drawing;
  readonly #clock: StepClock;
  #startMs = 0;
  #endMs = 0;
  #listening = false;
  #probeError: unknown;
  #stubError: Error | undefined;
  /** Requests that had no answer yet when the current step began. Such requests do not belong to the step. */
  #pendingBefore: readonly PendingRequest[] = NONE_PENDING;

  constructor(world: StepperWorld, state: StepperState, drawing: Drawing, options: StepperOptions, clock: StepClock = Date) {
    this.#clock = clock;
    this.#world = world;
    this.#state = state;
    this.#drawing = drawing;
    this.#options = options;
  }

  readonly sink = (exchange: Exchange): void => {
    this.onExchange?.();
    if (this.#options.hideBodies && exchange.kind === "answer")
      this.#bodies.push(exchange.response.request.body ?? "", exchange.response.text);
    if (this.#listening) return void this.exchanges.push(exchange);
    this.onCheckExchange?.(exchange);
    this.isCheckShed = exchange.kind === "answer" && exchange.shed === true;
    // An invalid HTTP answer to a check is not a missing answer. The check itself reports the invalid answer.
    if (exchange.kind === "failure" && exchange.reason !== "invalid")
      this.checkFailure ??= { ...exchange, reason: exchange.reason, check: this.#drawing.drawer };
  };

  /** Returns the error event for a thrown value. `what`: the beginning of the event's message. */
  readonly thrown = (code: string, what: string, source: string, error: unknown): ErrorEvent => {
    const stepEvents = thrown(code, what, source, error);
    if (this.#bodies.length === 0) return stepEvents;
    const shown = (text: string): string => withoutBodies(text, this.#bodies);
    return {
      ...stepEvents,
      message: shown(stepEvents.message),
      stack: stepEvents.stack === undefined ? undefined : shown(stepEvents.stack),
    };
  };

  /** Returns `true` if the action's precondition does not hold, so that the action need not be executed. */
  skips(action: AnyAction): boolean {
    return action.precondition !== undefined && this.#precondition(action, action.precondition) === SKIPPED_OUTCOME;
  }

  /** Executes an action to its end. If the action fails, waits for its unanswered requests. */
  async run(action: AnyAction): Promise<Outcome> {
    const before = await this.wayBack?.mark();
    const outcome = await this.#runOnce(action);
    return before === undefined ? outcome : this.repeated(action, outcome, before);
  }

  /**
   * Repeats a step if its outcome requires a repetition, or if it issued a token again; see {@link Reissues}. `before`: a checkpoint of the state
   * before the step. Returns the last outcome.
   */
  async repeated(action: AnyAction, outcome: Outcome, before: SavedWorld): Promise<Outcome> {
    const again = async (): Promise<Outcome> => {
      await this.wayBack?.restore(before);
      return this.#runOnce(action);
    };
    const reissued = this.#reissued(outcome, before);
    if (reissued.length === 0) return this.repeats.run(outcome, again);
    await sleep(SECOND_MS - (this.#endMs % SECOND_MS) + 1);
    const second = await again();
    this.#reissues.keep(this.#reissued(second, before).filter((token) => reissued.includes(token)));
    return this.repeats.run(second, again);
  }

  /** Returns `true` if a step with this outcome has to be repeated. `before`: a checkpoint of the state before the step. */
  isRepeated(outcome: Outcome, before: SavedWorld): boolean {
    return isRepeated(outcome) || this.#reissued(outcome, before).length > 0;
  }

  #reissued({ kind }: Outcome, before: SavedWorld): readonly string[] {
    return kind === "lost" || kind === "failed" ? [] : this.#reissues.among(this.exchanges, before, this.#startMs);
  }

  /** Waits for the next second if the state holds a time in the present second. */
  async awaitNextSecond(): Promise<void> {
    const ms = this.#state.msToNextSecond ?? 0;
    if (ms > 0) await sleep(ms + 1);
  }

  /** `true` if some steps wait before they begin; see {@link awaitTurn}. */
  get waits(): boolean {
    return this.waitsForSeconds || this.waitsForTokens;
  }

  /** Waits for the next second if the action has to. */
  async awaitTurn({ name }: AnyAction): Promise<void> {
    if (this.waitsForSeconds) return this.awaitNextSecond();
    const ms = this.waitsForTokens && this.#issuers.get(name) !== false ? (this.#state.msToOtherTokens ?? 0) : 0;
    if (ms > 0) await sleep(ms + 1);
  }

  async #runOnce(action: AnyAction): Promise<Outcome> {
    if (this.waits) await this.awaitTurn(action);
    const begun = this.begin(action);
    if (!(begun instanceof Promise)) return begun;
    let outcome: Outcome;
    try {
      outcome = this.settle(action, await begun);
    } catch (error) {
      outcome = this.fail(action, error);
    }
    if (outcome.kind === "failed") await this.awaitPending();
    return outcome;
  }

  /** Waits until all requests have answers, so that their writes are undone together with the step. */
  async awaitPending(): Promise<void> {
    const isOver = async (): Promise<boolean> => (this.#state.pending?.() ?? NONE_PENDING).length === 0;
    if (await isOver()) return;
    if (!(await poll(isOver, PENDING_MS))) this.#state.cut?.();
    await poll(isOver, PENDING_MS);
  }

  /**
   * Starts an action. Returns the promise that the action's `run` returned; the caller passes its result to {@link settle}, or its error to
   * {@link fail}. Returns an outcome instead if the action does not apply. The caller awaits the promise, because an additional `await` here would be
   * slower.
   */
  begin(action: AnyAction): Promise<unknown> | Outcome {
    this.#drawing.by("");
    // A step whose precondition does not hold sends no request. Assigning the length of an array is slow even if the length stays the same.
    if (this.exchanges.length > 0) this.exchanges.length = 0;
    if (action.precondition !== undefined) {
      const unmet = this.#precondition(action, action.precondition);
      if (unmet !== undefined) return unmet;
    }
    if (this.strays.length > 0) this.strays.length = 0;
    if (this.#bodies.length > 0) this.#bodies.length = 0;
    this.checkFailure = undefined;
    this.isCheckShed = false;
    this.#probeError = undefined;
    this.#pendingBefore = this.#state.pending?.() ?? NONE_PENDING;
    const expectsShed = this.#expects503(action);
    if (expectsShed !== this.#expectsShed) this.#expectShed(expectsShed);
    this.#listening = true;
    this.#state.beginStep?.();
    this.#startMs = this.#clock.now();
    try {
      const client = this.#client(action);
      const run = (): unknown => action.run(client, this.#world.context);
      const promised = this.#state.asks === undefined ? run() : this.#state.asks.during(run);
      const answer = promised instanceof Promise ? promised : Promise.resolve(promised);
      return this.#world.probe === undefined ? answer : this.#probed(answer);
    } catch (error) {
      return this.fail(action, error);
    }
  }

  /** Reads the World's probe after a step that sent a request, even if the step failed. */
  async #probed(answer: Promise<unknown>): Promise<unknown> {
    try {
      return await answer;
    } finally {
      this.#listening = false;
      if (this.exchanges.length > 0) {
        this.#drawing.by("probe");
        await this.#state.probe?.().catch((error: unknown) => (this.#probeError = error));
      }
    }
  }

  /** Returns the outcome of an action. `response`: the value that the action's `run` returned. */
  settle(action: AnyAction, response: unknown): Outcome {
    this.#listening = false;
    this.#attribute(action);
    if (this.wayBack === undefined && this.#issuers.get(action.name) !== true) this.#noteIssued(action);
    const pending = this.#state.pending?.() ?? NONE_PENDING;
    this.#stubError = this.#state.takeThrown?.();
    const quiet =
      this.#probeError === undefined &&
      this.#stubError === undefined &&
      this.strays.length === 0 &&
      this.uncaught.length === 0 &&
      action.expectedStatus === undefined &&
      this.#allAnswered();
    const outcome =
      quiet && pending.length === 0 && response instanceof ApiResponse && !isServerError(response)
        ? executed(response)
        : this.#judge(action, response, pending);
    // The call succeeded, so the world is now at the node of the state graph to which this edge leads.
    if (action instanceof EdgeAction && outcome.kind === "executed" && outcome.status < 400 && !this.#isBroken())
      this.#state.moveTo(action.edge.to);
    return outcome;
  }

  /** Records if an action issues tokens. A refused call does not show it. */
  #noteIssued({ name }: AnyAction): void {
    if (issuesToken(this.exchanges)) {
      this.#issuers.set(name, true);
      this.waitsForTokens = true;
    } else if (this.exchanges.some((one) => one.kind === "answer" && one.response.ok)) this.#issuers.set(name, false);
  }

  /** Returns the outcome of an action that threw an error. @throws LaneLost if the action could not read a store */
  fail(action: AnyAction, error: unknown): Outcome {
    this.#listening = false;
    this.#attribute(action);
    this.#stubError = this.#state.takeThrown?.();
    return this.#judgeThrow(action, error);
  }

  /** `true` if a request of the step that writes was answered with a status of 200 to 299. A GraphQL answer that refuses the request does not count. */
  get wrote(): boolean {
    for (const exchange of this.exchanges) {
      if (exchange.kind !== "answer") continue;
      const { statusCode, request } = exchange.response;
      const isDone = statusCode >= 200 && statusCode < 300 && WRITES.has(request.method);
      if (isDone && !isGraphqlQuery(request.body) && !isGraphqlRefusal(exchange.response)) return true;
    }
    return false;
  }

  get window(): { readonly startMs: number; readonly endMs: number } {
    return { startMs: this.#startMs, endMs: this.#endMs };
  }

  #attribute(action: AnyAction): void {
    if (this.#expectsShed) this.#expectShed(false);
    this.#endMs = this.#clock.now();
    const { window } = this;
    if (this.#state.visibility === "nothing" && this.wrote) this.#state.wroteUnseen?.(action.name);
    this.#state.attribute(action.name, () => ({ ...window, action: action.name, exchanges: this.exchanges.flatMap(sentRequest) }));
  }

  #expects503({ expectedStatus }: AnyAction): boolean {
    return expectedStatus !== undefined && isExpected(503, expectedStatus);
  }

  #expectShed(isExpected: boolean): void {
    this.#expectsShed = isExpected;
    this.#state.expectShed?.(isExpected);
  }

  #precondition(action: AnyAction, precondition: (context: never) => boolean): Outcome | undefined {
    try {
      const applies: unknown = precondition(this.#world.context);
      if (applies === true) return undefined;
      if (applies === false) return SKIPPED_OUTCOME;
      const message = `The precondition of action "${action.name}" returned ${describe(applies)}, but must return true or false.`;
      return failed(errorEvent("PRECONDITION_NOT_BOOLEAN", message, action.name));
    } catch (error) {
      return failed(this.thrown("PRECONDITION_THREW", `The precondition of action "${action.name}" threw an error`, action.name, error));
    }
  }

  #client(action: AnyAction): never {
    if (action.as === undefined) return this.#world.api;
    const client = this.#world.clients[action.as];
    if (client === undefined)
      throw unknownRole(
        action,
        Object.keys(this.#world.clients).filter((role) => !isGuestRole(role)),
      );
    return client;
  }

  #judge(action: AnyAction, response: unknown, pending: readonly PendingRequest[]): Outcome {
    const broken = this.#broken();
    if (broken !== undefined) return broken;
    const shed = this.#shed(action);
    if (shed !== undefined) return shed;
    if (this.#stubError !== undefined) return this.#stubThrew(this.#stubError);
    if (this.#probeError !== undefined)
      return failed(this.thrown("PROBE_THREW", "The function `probe` of the World threw an error", "probe", this.#probeError));
    if (this.strays.length > 0) {
      return failed(
        this.thrown("STRAY_REJECTION", `A promise that action "${action.name}" did not await was rejected`, action.name, this.strays[0]),
      );
    }
    if (this.uncaught.length > 0) {
      const what = `Code that action "${action.name}" or an earlier action started and did not await threw an error`;
      return failed(this.thrown("UNCAUGHT_EXCEPTION", what, action.name, this.uncaught.splice(0)[0]));
    }
    const left = pending.filter((one) => !this.#pendingBefore.includes(one));
    if (left.length > 0) return failed(errorEvent("PENDING_REQUEST", pendingText(`Action "${action.name}"`, left), action.name));
    if (response === null) return SKIPPED_OUTCOME;
    if (response === undefined && action instanceof EdgeAction) return this.#judgeNothing(action);
    if (!(response instanceof ApiResponse)) {
      const got = response === undefined ? "returned nothing" : `returned ${describe(response)}`;
      return failed(
        errorEvent(
          "ACTION_NO_RESPONSE",
          `Action "${action.name}" ${got}. Return the response of its call, or null if the action cannot be called in this state.`,
          action.name,
        ),
      );
    }
    const findings = [...this.#serverErrors(action, response), ...unexpected(action, response)];
    return executed(response, findings);
  }

  /** Returns the outcome of an edge of a state graph that returned nothing. The last response of the step is judged, if there is a response. */
  #judgeNothing(action: AnyAction): Outcome {
    const last = this.exchanges.findLast((one) => one.kind === "answer");
    const response = last?.kind === "answer" ? last.response : undefined;
    return executed(response, this.#serverErrors(action, response));
  }

  #stubThrew(error: Error): Outcome {
    return failed(this.thrown("STUB_THREW", "The function that builds the reply of a stub threw an error", "stub", error));
  }

  #judgeThrow(action: AnyAction, error: unknown): Outcome {
    const broken = this.#broken();
    if (broken !== undefined) return broken;
    requireStores(error, `Action "${action.name}" threw`);
    const shed = this.#shed(action);
    if (shed !== undefined) return shed;
    if (this.#stubError !== undefined) return this.#stubThrew(this.#stubError);
    // A step reports only one error, so drop the other errors.
    this.uncaught.length = 0;
    const findings = this.#serverErrors(action, undefined);
    // If there was a server error, report the server error instead of the error that followed in user code.
    if (findings.length > 0 || this.#options.serverErrors === "rule") {
      const answer = this.exchanges.findLast((one) => one.kind === "answer" && isServerError(one.response));
      if (answer?.kind === "answer") return executed(answer.response, findings);
    }
    return failed(this.thrown("ACTION_THREW", `Action "${action.name}" threw`, action.name, error));
  }

  /** Returns `true` if all requests of the step were answered, and none of them with a server error. */
  #allAnswered(): boolean {
    for (const exchange of this.exchanges) if (exchange.kind === "failure" || isServerError(exchange.response)) return false;
    return true;
  }

  #isBroken(): boolean {
    return this.exchanges.some(({ kind }) => kind === "failure");
  }

  /**
   * Returns the outcome if a request of the step got no answer or an invalid answer, even if the action handled the error. Otherwise returns
   * `undefined`.
   */
  #broken(): Outcome | undefined {
    let invalid: FindingEvent | undefined;
    for (const exchange of this.exchanges) {
      if (exchange.kind !== "failure") continue;
      if (exchange.reason === "invalid") {
        invalid ??= invalidAnswerFinding(exchange.error);
        continue;
      }
      const message = exchange.error instanceof Error ? exchange.error.message : String(exchange.error);
      return lost(exchange.reason, message, exchange.mayRepeat);
    }
    return invalid === undefined ? undefined : executed(undefined, [invalid]);
  }

  /**
   * Returns the outcome if the server was overloaded and refused a request repeatedly. Such a step says nothing about the state, and shows no defect
   * of the API.
   */
  #shed(action: AnyAction): Outcome | undefined {
    if (this.#options.serverErrors === "ignore" || this.#expects503(action)) return undefined;
    for (const [at, exchange] of this.exchanges.entries()) {
      if (
        exchange.kind === "answer" &&
        exchange.shed === true &&
        !this.exchanges.some((later, i) => i > at && isSameRequest(exchange, later))
      )
        return { ...failed(overloaded()), ...(exchange.repeatAfterMs !== undefined && { repeatAfterMs: exchange.repeatAfterMs }) };
    }
    return undefined;
  }

  #serverErrors(action: AnyAction, response: ApiResponse | undefined): FindingEvent[] {
    if (this.#options.serverErrors !== "violation") return [];
    const heard = this.exchanges.filter((one) => one.kind === "answer");
    const answers = heard.filter(({ shed }) => shed !== true).map((one) => one.response);
    if (response !== undefined && !heard.some((one) => one.response === response)) answers.push(response);
    const how = serverErrorIn(answers, action.expectedStatus ?? []);
    if (how === undefined) return [];
    const message = `${action.name} was answered with ${how}`;
    return [{ invariant: `${action.name}_server_error`, severity: Severity.HIGH, message }];
  }
}

/** Returns `true` if a later request repeats a request that the server refused. */
function isSameRequest({ response: { request } }: Extract<Exchange, { kind: "answer" }>, later: Exchange): boolean {
  const { method, url } = later.kind === "answer" ? later.response.request : later.request;
  return method === request.method && url === request.url;
}

function sentRequest(exchange: Exchange): SentRequest[] {
  if (exchange.kind !== "answer") return [];
  const { request, text, headers: answered } = exchange.response;
  const { method, url, headers, body } = request;
  const { authorization, cookie } = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const path = url.replace(/^[a-z]+:\/\/[^/]*/i, "");
  return [
    {
      method,
      path,
      body: body ?? "",
      acting: `${authorization ?? ""} ${cookie ?? ""}`,
      answer: text,
      answerHeaders: Object.values(answered).join("\n"),
    },
  ];
}

const SECOND_MS = 1_000;
const WRITES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const NONE_PENDING: readonly PendingRequest[] = Object.freeze([]);
/** How long to wait for unanswered requests, in milliseconds. */
const PENDING_MS = 5_000;

function unexpected(action: AnyAction, response: ApiResponse): FindingEvent[] {
  if (action.expectedStatus === undefined || isExpected(response.statusCode, action.expectedStatus)) return [];
  if (response.statusCode >= 500) return [];
  // GraphQL servers refuse with status 200, so a refusal counts as a 4xx status.
  if (action.expectedStatus.includes("4xx") && isGraphqlRefusal(response)) return [];
  const message = `${action.name} was answered with status ${response.statusCode}; expected ${action.expectedStatus.join(" or ")}`;
  return [{ invariant: `${action.name}_status`, severity: Severity.HIGH, message }];
}

function unknownRole(action: AnyAction, roles: readonly string[]): SeqqaError {
  const known = roles.length === 0 ? "it has only its default client" : `its roles are ${roles.map((role) => `"${role}"`).join(", ")}`;
  return new SeqqaError(
    "UNKNOWN_ROLE",
    `Action "${action.name}" has the option as: "${String(action.as)}", but the World has no such role: ${known}.`,
  );
}
