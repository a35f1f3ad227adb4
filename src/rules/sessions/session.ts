import type { CheckedStep } from "../../model/declare/rule.ts";
import type { ApiClient } from "../../model/http/client.ts";
import { Context, contextPartOf } from "../../model/context/context.ts";
import type { ApiResponse } from "../../model/http/response.ts";
import { redirectPage } from "../../model/http/redirect.ts";
import { isGraphql } from "../../model/http/graphql-answer.ts";
import { refusesInBody } from "../../model/http/refusal.ts";
import { isGranted, isRedirect, writesOf } from "../requests.ts";

/** An open session: its client, and the state (token, cookies) that the client had when the session was opened. */
export interface Session<C extends object> {
  readonly what: string;
  readonly client: ApiClient;
  /** The context of the session. Each session has its own context, because a login may store its token in the context. */
  readonly context: Context<C>;
  readonly acting: unknown;
  readonly login: ApiResponse | undefined;
}

/** Matches the path of a logout by GET: `/logout`, `/sign_out`, `/log-off`. */
const LOGOUT = /(?:log|sign)[-_]?(?:out|off)/i;

/**
 * Returns the answers to the requests that ended the session: the writing requests of the step, or all requests if none writes (a logout by GET).
 * Returns an empty list if a request was refused. A redirect may be a refusal, and a step that only reads may have ended nothing. Both count only if
 * the state changed, or if the action is a logout, because the target may hold sessions in memory only.
 */
export function endingAnswers({ answers, changed }: CheckedStep, isLogout: boolean): readonly ApiResponse[] {
  const writes = writesOf(answers);
  const ending = writes.length > 0 ? writes : answers;
  const isOut = changed || (isLogout && (writes.length > 0 || ending.some(({ request }) => LOGOUT.test(request.url))));
  if (writes.length === 0 && !isOut) return [];
  return ending.every((answer) => isGranted(answer) || (isOut && isRedirect(answer))) ? ending : [];
}

/**
 * Returns `true` if an answer to `check` shows that a session works: the request succeeded. With GraphQL, the answer must also have data other than
 * `null`.
 */
export function showsSession(answer: ApiResponse): boolean {
  if (!isGranted(answer) || !isGraphql(answer)) return isGranted(answer);
  const { data } = answer.json<{ readonly data?: unknown }>();
  // An empty list or text counts as data: a new user may have no items yet.
  return typeof data === "object" && data !== null && Object.values(data).some((value) => value !== null);
}

/** Returns the status of an answer for messages. */
export function statusOf(answer: ApiResponse): string {
  return refusesInBody(answer) ? `${answer.statusCode} with errors` : String(answer.statusCode);
}

/**
 * Returns `true` if both answers grant their requests, or if both redirect to the same page. A request without a session is often redirected to the
 * login.
 */
export function isAlike(a: ApiResponse, b: ApiResponse): boolean {
  if (isGranted(a)) return isGranted(b);
  return isRedirect(a) && isRedirect(b) && redirectPage(a.statusCode, a.headers) === redirectPage(b.statusCode, b.headers);
}

/** Returns a copy of a context, with the same stores. */
export function copyOf<C extends object>(context: Context<C>): Context<C> {
  const copy = new Context<C>();
  contextPartOf(copy as never).restore(contextPartOf(context as never).save());
  contextPartOf(copy as never).reach(contextPartOf(context as never).stores);
  contextPartOf(copy as never).drawFrom(() => context.data);
  return copy;
}

/** Returns an empty context with the same stores. */
export function emptyLike<C extends object>(context: Context<C>): Context<C> {
  const empty = new Context<C>();
  contextPartOf(empty as never).reach(contextPartOf(context as never).stores);
  contextPartOf(empty as never).drawFrom(() => context.data);
  return empty;
}

/** Returns the method and the path of a request, for messages. */
export function requestOf({ request: { method, url } }: Pick<ApiResponse, "request">): string {
  return `${method} ${URL.canParse(url) ? new URL(url).pathname : url}`;
}
