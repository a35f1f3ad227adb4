import type { Route } from "../../mocking/route.ts";
import type { Reply } from "../../mocking/reply.ts";
import type { StepsOfStub } from "./stub-adapter.ts";

/**
 * A fault of a request to a stub.
 *
 * - `error`: the stub answers with status 500 and does not carry the request out.
 * - `refused`: the stub closes the connection and does not carry the request out.
 * - `no_answer`: the stub carries the request out, but closes the connection without an answer.
 * - `slow`: the stub carries the request out, but answers late.
 * - `wrong_body`: the stub carries the request out, but answers with an HTML page instead of the documented body.
 */
export type StubFault = "error" | "refused" | "no_answer" | "slow" | "wrong_body";

/** All faults, which are the default of `FaultActionsOptions.kinds`. */
export const STUB_FAULTS: readonly StubFault[] = ["error", "refused", "no_answer", "slow", "wrong_body"];

/** A request that a stub received, and its answer. Plain data. */
export interface StubCall {
  /** The method in upper case. */
  readonly method: string;
  /** The path with the query. */
  readonly path: string;
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; empty if there was none. */
  readonly body: string;
  /** The body parsed as JSON or as form fields; `undefined` if it is neither. The value of a repeated form field is a list. */
  readonly json: unknown;
  /** The status of the answer; 0 if no answer was sent. */
  readonly status: number;
  /** `true` if the stub carried the request out, even if a fault prevented or changed its answer. */
  readonly done: boolean;
  /** `true` if a reply was defined for the request. */
  readonly matched: boolean;
  readonly fault?: StubFault | undefined;
}

/** A request that a stub sends to the target. */
export interface Webhook {
  readonly path: string;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** The replies to requests with one method and path. The replies do not change after the exploration has begun. */
export interface StubDefinition {
  readonly method: string;
  readonly route: Route;
  /** The replies in order; the last one is repeated. */
  readonly replies: readonly (Reply | StubAnswer)[];
  readonly webhooks: readonly ((call: StubCall, data: StubData, nowMs: number) => Webhook)[];
}

/** The stub's own data, which replies may read and change. It must be data that `structuredClone` accepts. */
export type StubData = Record<string, unknown>;

/**
 * Creates the reply to a call. Default: status 200.
 * @param nowMs The target's time in milliseconds since 1970, including moves by `advanceClock`. If there is no clock among the stores, this is the
 * real time.
 */
export type StubAnswer = (
  call: Pick<StubCall, "method" | "path" | "headers" | "body" | "json">,
  data: StubData,
  nowMs: number,
) => { readonly body?: unknown; readonly status?: number; readonly headers?: Readonly<Record<string, string>> };

/** The state of a stub: everything that actions change and that a restore brings back. */
export interface StubState extends StepsOfStub {
  readonly calls: readonly StubCall[];
  /** For each definition of replies, the index of the reply that the next request gets. The last reply is used again and again. */
  readonly given: readonly number[];
  /** The fault that the next request will get; `undefined` for none. */
  readonly next: StubFault | undefined;
  /** The number of times that `failNext` was called on this path. */
  readonly faults: number;
  readonly data: StubData;
  /** The queued webhooks, oldest first. */
  readonly waiting: readonly Webhook[];
  /** The webhook that was sent last; `undefined` if none was sent. */
  readonly sent: Webhook | undefined;
}

export const NEW_STATE: StubState = { calls: [], steps: [], given: [], next: undefined, faults: 0, data: {}, waiting: [], sent: undefined };
