import { setTimeout as sleep } from "node:timers/promises";
import { isServerError, type Action } from "../../model/declare/action.ts";
import { clientsIn, type Exchange, type PendingRequest } from "../../model/http/client.ts";
import { EdgeAction } from "../../model/declare/state-graph/edge-action.ts";
import { ApiResponse } from "../../model/http/response.ts";
import { SeqqaError } from "../../model/errors.ts";
import { isGuestRole } from "../../model/declare/rule.ts";
import type { World } from "../../model/declare/world.ts";
import { isErrorLocation } from "../../model/http/redirect.ts";
import type { ErrorEvent } from "../../messages/lane-messages.ts";
import type { Drawing } from "../bring-up/data-draws.ts";
import { poll } from "../examine/late-writes.ts";
import type { WorldState } from "../state/world-state.ts";
import type { SavedWorld } from "../state/saved-world.ts";
import { executed, failed, SKIPPED_OUTCOME, type Outcome } from "./outcome.ts";
import { isRepeated, Reissues, Repeats, type Reissued } from "./repeats.ts";
import { describe, errorEvent, thrownEvent } from "./error-events.ts";
import { HiddenBodies } from "./hidden-bodies.ts";
import { expects503, StepJudge, type SeenStep } from "./step-judge.ts";
import { StepTurns } from "./step-turns.ts";
import { refusesInBody } from "../../model/http/refusal.ts";
import { isGraphqlQuery, isGraphqlRefusal } from "./graphql-requests.ts";
import { sentRequest } from "./sent-request.ts";

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
      | "msToEarlyStep"
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
  wayBack: Pick<WorldState, "mark" | "restore" | "own" | "strictName"> | undefined;
  onExchange: (() => void) | undefined;
  /** By action: how long the lane waited because the action issued a token again; see {@link Reissues}. In milliseconds, since the last report. */
  readonly waited: Map<string, number> = new Map();
  /** Makes steps wait for the next second before they begin, if their results depend on the second in which they are executed. */
  readonly turns: StepTurns;
  /** Repeats steps whose outcomes say nothing about the state; see {@link repeated}. */
  readonly repeats: Repeats = new Repeats();
  readonly #reissues: Reissues = new Reissues();
  #expectsShed = false;
  /** `undefined` unless the option `hideBodies` is set. */
  readonly #bodies: HiddenBodies | undefined;
  readonly #judge: StepJudge;
  readonly #world: StepperWorld;
  readonly #state: StepperState;
  readonly #drawing: Drawing;
  readonly #clock: StepClock;
  #startMs = 0;
  #endMs = 0;
  #listening = false;
  /** `true` if the action's client is not one of seqqa's, so that its requests are not seen. Only known if the state depends on it. */
  #isForeign = false;
  #probeError: unknown;
  #stubError: Error | undefined;
  /** Requests that had no answer yet when the current step began. Such requests do not belong to the step. */
  #pendingBefore: readonly PendingRequest[] = NONE_PENDING;

  constructor(world: StepperWorld, state: StepperState, drawing: Drawing, options: StepperOptions, clock: StepClock = Date) {
    this.#clock = clock;
    this.#world = world;
    this.#state = state;
    this.#drawing = drawing;
    this.#bodies = options.hideBodies ? new HiddenBodies() : undefined;
    this.#judge = new StepJudge(options.serverErrors, this.#bodies);
    this.turns = new StepTurns(state);
  }

  readonly sink = (exchange: Exchange): void => {
    this.onExchange?.();
    this.#bodies?.add(exchange);
    if (this.#listening) return void this.exchanges.push(exchange);
    this.onCheckExchange?.(exchange);
    this.isCheckShed = exchange.kind === "answer" && exchange.shed === true;
    // An invalid HTTP answer to a check is not a missing answer. The check itself reports the invalid answer.
    if (exchange.kind === "failure" && exchange.reason !== "invalid")
      this.checkFailure ??= { ...exchange, reason: exchange.reason, check: this.#drawing.drawer };
  };

  /** Returns the error event for a thrown value. The event's message begins with `what`. */
  readonly thrown = (code: string, what: string, source: string, error: unknown): ErrorEvent => {
    return thrownEvent(code, what, source, error, this.#bodies);
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
    const reissued = this.#reissued(action, outcome, before);
    if (reissued.length === 0) return this.repeats.run(outcome, again);
    const reached = await this.wayBack?.strictName();
    const waitMs = SECOND_MS - (this.#endMs % SECOND_MS) + 1;
    this.waited.set(action.name, (this.waited.get(action.name) ?? 0) + waitMs);
    await sleep(waitMs);
    const second = await again();
    if (this.wayBack !== undefined) {
      const isAlike = second.kind === outcome.kind && second.status === outcome.status && reached === (await this.wayBack.strictName());
      this.#reissues.note(reissued, this.#reissued(action, second, before), this.wayBack.own(), isAlike);
    }
    return this.repeats.run(second, again);
  }

  /** Returns `true` if a step with this outcome has to be repeated. `before`: a checkpoint of the state before the step. */
  isRepeated(action: AnyAction, outcome: Outcome, before: SavedWorld): boolean {
    return isRepeated(outcome) || this.#reissued(action, outcome, before).length > 0;
  }

  #reissued({ name }: AnyAction, { kind }: Outcome, before: SavedWorld): readonly Reissued[] {
    return kind === "lost" || kind === "failed" ? [] : this.#reissues.among(name, this.exchanges, before, this.#startMs);
  }

  async #runOnce(action: AnyAction): Promise<Outcome> {
    if (this.turns.waits) await this.turns.wait(action);
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
    this.#bodies?.clear();
    this.checkFailure = undefined;
    this.isCheckShed = false;
    this.#probeError = undefined;
    this.#pendingBefore = this.#state.pending?.() ?? NONE_PENDING;
    const expectsShed = expects503(action);
    if (expectsShed !== this.#expectsShed) this.#expectShed(expectsShed);
    this.#listening = true;
    this.#state.beginStep?.();
    this.#state.asks?.writes?.begin(action.name);
    this.#startMs = this.#clock.now();
    try {
      const client = this.#client(action);
      this.#isForeign = (this.#world.probe !== undefined || this.#state.visibility === "nothing") && clientsIn(client).size === 0;
      const run = (): unknown => action.run(client, this.#world.context);
      const promised = this.#state.asks === undefined ? run() : this.#state.asks.during(run);
      const answer = promised instanceof Promise ? promised : Promise.resolve(promised);
      return this.#world.probe === undefined ? answer : this.#probed(answer);
    } catch (error) {
      return this.fail(action, error);
    }
  }

  /** Reads the World's probe after a step that sent a request, or whose requests are not seen, even if the step failed. */
  async #probed(answer: Promise<unknown>): Promise<unknown> {
    try {
      return await answer;
    } finally {
      this.#listening = false;
      if (this.exchanges.length > 0 || this.#isForeign) {
        this.#drawing.by("probe");
        await this.#state.probe?.().catch((error: unknown) => (this.#probeError = error));
      }
    }
  }

  /** Returns the outcome of an action. `response`: the value that the action's `run` returned. */
  settle(action: AnyAction, response: unknown): Outcome {
    this.#listening = false;
    this.#attribute(action, this.#isForeign && mayHaveWritten(response));
    if (this.wayBack === undefined) this.turns.note(action, this.exchanges);
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
        : this.#judge.returned(action, response, this.#seen(pending));
    // The call succeeded, so the world is now at the node of the state graph to which this edge leads.
    if (action instanceof EdgeAction && outcome.kind === "executed" && outcome.status < 400 && !this.#isBroken()) {
      if (!this.isRefusedInBody(outcome)) this.#state.moveTo(action.edge.to);
    }
    return outcome;
  }

  /** Returns the outcome of an action that threw an error. @throws LaneLost if the action could not read a store */
  fail(action: AnyAction, error: unknown): Outcome {
    this.#listening = false;
    this.#attribute(action);
    this.#stubError = this.#state.takeThrown?.();
    return this.#judge.threw(action, error, this.#seen(NONE_PENDING));
  }

  /**
   * `true` if a request of the step that writes was answered with 2xx or with a redirect, as web pages answer a form. A GraphQL answer that refuses the
   * request and a redirect with the parameter `error` do not count.
   */
  get wrote(): boolean {
    for (const exchange of this.exchanges) {
      if (exchange.kind !== "answer") continue;
      const { statusCode, headers, request } = exchange.response;
      const isDone = WRITES.has(request.method) && (isSuccess(statusCode) || isRedirectAfterWrite(statusCode, headers));
      if (isDone && !isGraphqlQuery(request.body) && !isGraphqlRefusal(exchange.response)) return true;
    }
    return false;
  }

  /** Returns `true` if the step was answered 2xx with a body that refuses the request. */
  isRefusedInBody({ response }: Outcome): boolean {
    // Without a request, the answer is an object of the user's code, and reading its text would take longer than the step.
    return this.exchanges.length > 0 && response !== undefined && refusesInBody(response);
  }

  get window(): { readonly startMs: number; readonly endMs: number } {
    return { startMs: this.#startMs, endMs: this.#endMs };
  }

  /** @param mayHaveWritten `true` if the step's requests are not seen, and its result does not say that it wrote nothing */
  #attribute(action: AnyAction, mayHaveWritten = false): void {
    if (this.#expectsShed) this.#expectShed(false);
    this.#endMs = this.#clock.now();
    const { window } = this;
    if (this.#state.visibility === "nothing" && (this.wrote || mayHaveWritten)) this.#state.wroteUnseen?.(action.name);
    this.#state.attribute(action.name, () => ({ ...window, action: action.name, exchanges: this.exchanges.flatMap(sentRequest) }));
  }

  /** @param pending the requests that have no answer yet */
  #seen(pending: readonly PendingRequest[]): SeenStep {
    return {
      exchanges: this.exchanges,
      strays: this.strays,
      uncaught: this.uncaught,
      probeError: this.#probeError,
      stubError: this.#stubError,
      left: pending.filter((one) => !this.#pendingBefore.includes(one)),
    };
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

  /** Returns `true` if all requests of the step were answered, and none of them with a server error. */
  #allAnswered(): boolean {
    for (const exchange of this.exchanges) if (exchange.kind === "failure" || isServerError(exchange.response)) return false;
    return true;
  }

  #isBroken(): boolean {
    return this.exchanges.some(({ kind }) => kind === "failure");
  }
}

/** Returns `true` unless the result of an action is the answer to a read, or refuses the call. */
function mayHaveWritten(response: unknown): boolean {
  return !(response instanceof ApiResponse) || (response.statusCode < 400 && !READS.has(response.request.method));
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Returns `true` for a redirect whose URL does not say that the request was refused. */
function isRedirectAfterWrite(status: number, headers: Readonly<Record<string, string>>): boolean {
  const location = headers["location"];
  return status >= 300 && status < 400 && location !== undefined && !isErrorLocation(location);
}

const SECOND_MS = 1_000;
const READS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const WRITES: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const NONE_PENDING: readonly PendingRequest[] = Object.freeze([]);
/** How long to wait for unanswered requests, in milliseconds. */
const PENDING_MS = 5_000;

function unknownRole(action: AnyAction, roles: readonly string[]): SeqqaError {
  const known = roles.length === 0 ? "it has only its default client" : `its roles are ${roles.map((role) => `"${role}"`).join(", ")}`;
  return new SeqqaError(
    "UNKNOWN_ROLE",
    `Action "${action.name}" has the option as: "${String(action.as)}", but the World has no such role: ${known}.`,
  );
}
