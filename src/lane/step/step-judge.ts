import { isExpected, isServerError, serverErrorIn, type Action } from "../../model/declare/action.ts";
import type { Exchange, PendingRequest } from "../../model/http/client.ts";
import { EdgeAction } from "../../model/declare/state-graph/edge-action.ts";
import { ApiResponse } from "../../model/http/response.ts";
import { Severity } from "../../model/declare/severity.ts";
import type { ErrorEvent, FindingEvent } from "../../messages/lane-messages.ts";
import { requireStores } from "../bring-up/store-lost.ts";
import { describe, errorEvent, overloaded, pendingText, thrownEvent } from "./error-events.ts";
import { isGraphqlRefusal } from "./graphql-requests.ts";
import type { HiddenBodies } from "./hidden-bodies.ts";
import { invalidAnswerFinding } from "./invalid-answer.ts";
import { executed, failed, lost, SKIPPED_OUTCOME, type Outcome } from "./outcome.ts";

type AnyAction = Action<never, never>;

/** The requests and the errors of a step, from which {@link StepJudge} determines its outcome. */
export interface SeenStep {
  readonly exchanges: readonly Exchange[];
  /** Promise rejections during the step that no code handled. */
  readonly strays: readonly unknown[];
  /** Errors in timers and listeners of user code. The judge empties the list when the step reports one error, because a step reports only one. */
  readonly uncaught: unknown[];
  readonly probeError: unknown;
  readonly stubError: Error | undefined;
  /** Requests of the step that were not answered when the step ended. */
  readonly left: readonly PendingRequest[];
}

/**
 * Determines the outcomes of steps. The first cause that explains a step decides: a lost request, an overloaded server, an error of user code, or the
 * answer.
 */
export class StepJudge {
  /** The treatment of server errors; see `StepperOptions`. */
  readonly #serverErrorsAre: "violation" | "ignore" | "rule";
  readonly #bodies: HiddenBodies | undefined;

  /** @param bodies the bodies that errors must not quote; `undefined` if errors may quote all bodies */
  constructor(serverErrors: "violation" | "ignore" | "rule", bodies: HiddenBodies | undefined) {
    this.#serverErrorsAre = serverErrors;
    this.#bodies = bodies;
  }

  /** Returns the error event for a thrown value. The event's message begins with `what`. */
  #threw(code: string, what: string, source: string, error: unknown): ErrorEvent {
    return thrownEvent(code, what, source, error, this.#bodies);
  }

  /** Returns the outcome of a step whose action returned `response`. */
  returned(action: AnyAction, response: unknown, step: SeenStep): Outcome {
    const broken = brokenOutcome(step);
    if (broken !== undefined) return broken;
    const shed = this.#shed(action, step);
    if (shed !== undefined) return shed;
    if (step.stubError !== undefined) return this.#stubThrew(step.stubError);
    if (step.probeError !== undefined)
      return failed(this.#threw("PROBE_THREW", "The function `probe` of the World threw an error", "probe", step.probeError));
    if (step.strays.length > 0) {
      return failed(
        this.#threw("STRAY_REJECTION", `A promise that action "${action.name}" did not await was rejected`, action.name, step.strays[0]),
      );
    }
    if (step.uncaught.length > 0) {
      const what = `Code that action "${action.name}" or an earlier action started and did not await threw an error`;
      return failed(this.#threw("UNCAUGHT_EXCEPTION", what, action.name, step.uncaught.splice(0)[0]));
    }
    if (step.left.length > 0) return failed(errorEvent("PENDING_REQUEST", pendingText(`Action "${action.name}"`, step.left), action.name));
    if (response === null) return SKIPPED_OUTCOME;
    if (response === undefined && action instanceof EdgeAction) return this.#returnedNothing(action, step);
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
    const findings = [...this.#serverErrors(action, response, step), ...unexpected(action, response)];
    return executed(response, findings);
  }

  /** Returns the outcome of an edge of a state graph that returned nothing. The last response of the step is judged, if there is a response. */
  #returnedNothing(action: AnyAction, step: SeenStep): Outcome {
    const last = step.exchanges.findLast((one) => one.kind === "answer");
    const response = last?.kind === "answer" ? last.response : undefined;
    return executed(response, this.#serverErrors(action, response, step));
  }

  #stubThrew(error: Error): Outcome {
    return failed(this.#threw("STUB_THREW", "The function that builds the reply of a stub threw an error", "stub", error));
  }

  /** Returns the outcome of a step whose action threw `error`. @throws LaneLost if the action could not read a store */
  threw(action: AnyAction, error: unknown, step: SeenStep): Outcome {
    const broken = brokenOutcome(step);
    if (broken !== undefined) return broken;
    requireStores(error, `Action "${action.name}" threw`);
    const shed = this.#shed(action, step);
    if (shed !== undefined) return shed;
    if (step.stubError !== undefined) return this.#stubThrew(step.stubError);
    // A step reports only one error, so drop the other errors.
    step.uncaught.length = 0;
    const findings = this.#serverErrors(action, undefined, step);
    // If there was a server error, report the server error instead of the error that followed in user code.
    if (findings.length > 0 || this.#serverErrorsAre === "rule") {
      const answer = step.exchanges.findLast((one) => one.kind === "answer" && isServerError(one.response));
      if (answer?.kind === "answer") return executed(answer.response, findings);
    }
    return failed(this.#threw("ACTION_THREW", `Action "${action.name}" threw`, action.name, error));
  }

  /**
   * Returns the outcome if the server was overloaded and refused a request repeatedly. Such a step says nothing about the state, and shows no defect
   * of the API.
   */
  #shed(action: AnyAction, { exchanges }: SeenStep): Outcome | undefined {
    if (this.#serverErrorsAre === "ignore" || expects503(action)) return undefined;
    for (const [at, exchange] of exchanges.entries()) {
      if (exchange.kind === "answer" && exchange.shed === true && !exchanges.some((later, i) => i > at && isSameRequest(exchange, later)))
        return { ...failed(overloaded()), ...(exchange.repeatAfterMs !== undefined && { repeatAfterMs: exchange.repeatAfterMs }) };
    }
    return undefined;
  }

  #serverErrors(action: AnyAction, response: ApiResponse | undefined, { exchanges }: SeenStep): FindingEvent[] {
    if (this.#serverErrorsAre !== "violation") return [];
    const heard = exchanges.filter((one) => one.kind === "answer");
    const answers = heard.filter(({ shed }) => shed !== true).map((one) => one.response);
    if (response !== undefined && !heard.some((one) => one.response === response)) answers.push(response);
    const how = serverErrorIn(answers, action.expectedStatus ?? []);
    if (how === undefined) return [];
    const message = `${action.name} was answered with ${how}`;
    return [{ invariant: `${action.name}_server_error`, severity: Severity.HIGH, message }];
  }
}

/** Returns `true` if status 503 is an expected answer of the action. */
export function expects503({ expectedStatus }: AnyAction): boolean {
  return expectedStatus !== undefined && isExpected(503, expectedStatus);
}

/**
 * Returns the outcome if a request of the step got no answer or an invalid answer, even if the action handled the error. Otherwise returns
 * `undefined`.
 */
function brokenOutcome({ exchanges }: SeenStep): Outcome | undefined {
  let invalid: FindingEvent | undefined;
  for (const exchange of exchanges) {
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

/** Returns `true` if a later request repeats a request that the server refused. */
function isSameRequest({ response: { request } }: Extract<Exchange, { kind: "answer" }>, later: Exchange): boolean {
  const { method, url } = later.kind === "answer" ? later.response.request : later.request;
  return method === request.method && url === request.url;
}

function unexpected(action: AnyAction, response: ApiResponse): FindingEvent[] {
  if (action.expectedStatus === undefined || isExpected(response.statusCode, action.expectedStatus)) return [];
  if (response.statusCode >= 500) return [];
  // GraphQL servers refuse requests with status 200, so a refusal counts as a 4xx status.
  if (action.expectedStatus.includes("4xx") && isGraphqlRefusal(response)) return [];
  const message = `${action.name} was answered with status ${response.statusCode}; expected ${action.expectedStatus.join(" or ")}`;
  return [{ invariant: `${action.name}_status`, severity: Severity.HIGH, message }];
}
