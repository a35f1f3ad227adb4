import type { Route } from "../../mocking/route.ts";
import type { Reply } from "../../mocking/reply.ts";

/**
 * A fault of a request to a stub. `error`: 500, and nothing is done. `refused`: the connection ends, and nothing is done. `no_answer`: the work
 * is done, and the connection ends without an answer. `slow`: the work is done, and the answer comes late. `wrong_body`: the work is done, and the
 * answer is a page instead of the documented body.
 */
export type StubFault = "error" | "refused" | "no_answer" | "slow" | "wrong_body";

/** The ways in which a stub can fail, as `FaultActionsOptions.faults` names them. */
export const STUB_FAULTS: readonly StubFault[] = ["error", "refused", "no_answer", "slow", "wrong_body"];

/** A request that a stub received, and its answer. Plain data. */
export interface StubCall {
  /** In upper case. */
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; empty if there was none. */
  readonly body: string;
  /** The body as JSON or as the fields of a form; `undefined` if it is neither. */
  readonly json: unknown;
  /** The status of the answer; 0: there was none. */
  readonly status: number;
  /** `true`: the stub did what was asked, also if the answer does not say so. */
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

/** The replies to a kind of request: constant once the exploration begins. */
export interface StubDefinition {
  readonly method: string;
  readonly route: Route;
  /** In order; the last one is repeated. */
  readonly replies: readonly (Reply | StubAnswer)[];
  readonly webhooks: readonly ((call: StubCall, data: StubData) => Webhook)[];
}

/** Data of a stub's own, which replies may read and change: plain, as `structuredClone` takes it. */
export type StubData = Record<string, unknown>;

/** Makes the reply to a call: its body, and its status if that is not 200. */
export type StubAnswer = (
  call: Pick<StubCall, "method" | "path" | "headers" | "body" | "json">,
  data: StubData,
) => { readonly body?: unknown; readonly status?: number; readonly headers?: Readonly<Record<string, string>> };

/** Everything of a stub that a branch may change. */
export interface StubState {
  readonly calls: readonly StubCall[];
  /** For each definition, the number of its replies that were given before the last one. */
  readonly given: readonly number[];
  /** The fault of the next request. */
  readonly next: StubFault | undefined;
  /** The number of faults that were asked for so far. */
  readonly faults: number;
  readonly data: StubData;
  /** Webhooks that wait to be sent, the oldest first. */
  readonly waiting: readonly Webhook[];
  /** The webhook that was sent last. */
  readonly sent: Webhook | undefined;
}

export const NEW_STATE: StubState = { calls: [], given: [], next: undefined, faults: 0, data: {}, waiting: [], sent: undefined };
