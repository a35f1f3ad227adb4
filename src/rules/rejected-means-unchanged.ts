import { isExpected, type ExpectedStatus } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { Rule } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { graphqlAnswer, isGraphql } from "../model/http/graphql-answer.ts";
import { isIdLike, isItemId } from "../model/text/id-like.ts";
import { allowedChanges, requireAction, requireOptions } from "./rule-options.ts";
import { refusesInBody } from "../model/http/refusal.ts";
import { urlOf } from "./requests.ts";
import { columnsText, storeChanges } from "./store-changes.ts";

const READS = new Set(["GET", "HEAD"]);

/** Options of {@link rejectedMeansUnchanged}. */
export interface RejectedMeansUnchangedOptions {
  /**
   * Changes that are allowed, for example: `log_in`: every change by this action. `users.failed_attempts`: changes of this column, such as a count of
   * refused logins. `audit_log.*`: changes of this table. `payments.*`: changes of this store, if it has no tables. Unlike columns and tables in
   * `ignore`, these columns and tables still belong to the state. Default: none.
   */
  readonly except?: readonly string[];
}

/**
 * Checks that calls that were refused, or that only read, leave the stores unchanged. Severity: HIGH. The rule is judged if every request of a step
 * was refused, or is a `GET` or `HEAD`. The stores must then be as they were before the step. A request was refused if the status is 400 to 499, or
 * if it is 500 or above and the action expects this status (`expectedStatus`), or if a 2xx answer has a body that reports a failure (`{ "ok": false
 * }`). With GraphQL, a request was refused if the answer has errors and no data, and a query counts as a reading request. Stores are compared
 * directly, not through the API. Generated values and times of the run may differ, and tables and columns in `ignore` are left out. Worlds without
 * stores are not judged. A call to a stub counts as a change only if the stub executed it (status below 400, no fault), and if the call does not only
 * read (`GET` and `POST /introspect` only read). GET and HEAD are safe by RFC 9110, 9.2.1.
 *
 * A `GET` of a link with a code that is used once, such as a link in a mail, is allowed to write if it is answered 2xx or 3xx. The code is a query
 * parameter (`token`, `code`, `otp`, `ticket`), or part of a path such as `/verify-email/{token}`.
 * @throws SeqqaError `RULE_INVALID` if `except` names neither an action of the agent nor a column or table
 */
export function rejectedMeansUnchanged<C extends object = Values, A = ApiClient>(options: RejectedMeansUnchangedOptions = {}): Rule<C, A> {
  requireOptions<keyof RejectedMeansUnchangedOptions>("rejectedMeansUnchanged", options, { except: true });
  const except = allowedChanges("rejectedMeansUnchanged", options.except);
  const { columns } = except;
  return new Rule<C, A>({
    name: "rejected_means_unchanged",
    message: "a refused or read-only call changed the stores",
    severity: Severity.HIGH,
    writes: true,
    brings: (actions) => {
      for (const name of except.actions) requireAction(actions, "rejectedMeansUnchanged", name);
      return [];
    },
    judge: async (_world, { action, answers, changed, stores }) => {
      if (!changed || answers.length === 0 || except.actions.has(action.name)) return true;
      const isRefused = (answer: ApiResponse): boolean => wasRefused(answer, action.expectedStatus);
      // A step that follows a link also contains the answers of the pages to which the link redirects.
      if (answers.some(isFollowedLink) && answers.every((answer) => onlyReads(answer) || !isRefused(answer))) return true;
      const refused = answers.every((answer) => isRefused(answer) || onlyReads(answer));
      const after = refused ? await stores() : undefined;
      if (after === undefined) return true;
      const allowed = columns.length === 0 ? undefined : await stores(columns);
      const last = answers.at(-1)!;
      return {
        earlier: async (begun) => {
          const before = (await begun.stores())!;
          if (before.same(after, { strict: true })) return true;
          if (allowed !== undefined && (await begun.stores(columns))!.same(allowed, { strict: true })) return true;
          const mayCount = MAY_COUNT.has(last.statusCode) || last.statusCode >= 500 || (!isGraphql(last) && refusesInBody(last));
          const hint = mayCount ? "; if a refused call may do this, add the action or the column to `except`" : "";
          const fields = before.changedFields(after);
          const what = `${action.name} ${howOf(last)} and changed the stores: ${storeChanges(before, after)}${columnsText(before, after)}`;
          return begun.explain(`${what}${hint}`, { fields });
        },
      };
    },
  });
}

/** Statuses with which APIs refuse credentials. Such APIs often count refused attempts in a store. */
const MAY_COUNT = new Set([401, 403, 423, 429]);
/** Matches the names of query parameters that hold a code of a link. Tokens that authorize every request, such as `access_token`, do not match. */
const CODE = /^(?:(?:verif|confirm|activat|reset|invit|magic|login|e?mail|one_?time)\w*?_?)?(?:token|code|otp|ticket|hash)$/i;
const LINK = /verif|confirm|activat|magic|unsubscribe|callback|accept|redeem|opt-?in/i;
/** Minimum numbers of characters of a code: in a query (`SHORTEST`), and in a path (`SHORTEST_SEGMENT`). */
const SHORTEST = 4;
const SHORTEST_SEGMENT = 12;

/** Returns `true` for the successful answer to a link with a code that is used once. A user follows such a link with a `GET`. */
function isFollowedLink({ statusCode, request }: ApiResponse): boolean {
  const url = request.method === "GET" && statusCode < 400 ? urlOf(request.url) : undefined;
  if (url === undefined) return false;
  const segments = url.pathname.split("/");
  return (
    [...url.searchParams].some(([name, value]) => CODE.test(name) && value.length >= SHORTEST) ||
    (segments.some((segment) => LINK.test(segment)) && segments.some(isCode))
  );
}

/** Returns `true` for a path segment that looks like a code, and not like the id of an item: it is neither a number nor a UUID. */
function isCode(segment: string): boolean {
  return segment.length >= SHORTEST_SEGMENT && isIdLike(segment) && !isItemId(segment);
}

/** Returns `true` for a refusal: a 4xx status, a 5xx status that the action expects, or a body that reports a failure. */
function wasRefused(answer: ApiResponse, expected: readonly ExpectedStatus[] = []): boolean {
  const { statusCode } = answer;
  if (statusCode >= 500) return isExpected(statusCode, expected);
  return statusCode >= 400 || refusesInBody(answer);
}

function onlyReads(answer: ApiResponse): boolean {
  return READS.has(answer.request.method) || graphqlAnswer(answer).kind === "read";
}

function howOf(answer: ApiResponse): string {
  if (answer.statusCode >= 400) return `was refused with status ${answer.statusCode}`;
  if (READS.has(answer.request.method)) return `only reads (${answer.request.method})`;
  const graphql = graphqlAnswer(answer);
  if (graphql.kind === "refused") return `was refused (${graphql.message})`;
  return graphql.kind === "read" ? "only reads (a query)" : `was refused by the body of its answer (status ${answer.statusCode})`;
}
