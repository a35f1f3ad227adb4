import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { SeqqaError } from "../model/errors.ts";
import { Rule } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { isDone, isFailure, pathOf, shownPath, writesOf } from "./requests.ts";
import { columnsText, storeChanges } from "./store-changes.ts";
import { allowedChanges, requireAction, requireOptions } from "./rule-options.ts";

/** Options of {@link idempotent}. */
export interface IdempotentOptions {
  /** The HTTP methods that are judged. Default: `["PUT", "DELETE"]`. */
  readonly methods?: readonly string[];
  /**
   * Changes that the second request may make, for example: `orders.version`: changes of this column, such as a count of the updates. `audit_log.*`:
   * changes of this table. `payments.*`: changes of this store, if it has no tables. `touch`: every change by this action. Unlike columns and tables
   * in `ignore`, these columns and tables still belong to the state. Default: none.
   */
  readonly except?: readonly string[];
}

/**
 * Checks that a repeated `PUT` or `DELETE` has no further effect. Severity: HIGH. After a step whose only writing request has one of these methods
 * and was answered 2xx (not 202), the same request (method, URL, headers, body) is sent again. Two conditions must hold:
 * - The second request leaves the stores unchanged. Stores are compared as states are: times near the run are equal, and tables and columns in
 *   `ignore` are left out.
 * - The second request is not answered 5xx, except 501 and 503. Any other status is allowed, because RFC 9110, 9.2.2 requires the same effect, not
 *   the same answer. For example, a repeated `DELETE` may be answered 404.
 *
 * The rule is inconclusive if the request cannot be sent again, because its body was multipart or not valid UTF-8.
 *
 * A server may log each request or count the updates of a row, because only the intended effect must be the same. List the tables of such logs and the
 * columns of such counters, such as `version`, in `except`, or in `ignore` if they do not belong to the state.
 * @throws SeqqaError `RULE_INVALID` if `methods` is not a list of names, or if `except` names neither an action of the agent nor a column or table
 */
export function idempotent<C extends object = Values, A = ApiClient>(options: IdempotentOptions = {}): Rule<C, A> {
  requireOptions<keyof IdempotentOptions>("idempotent", options, { methods: true, except: true });
  const { methods = ["PUT", "DELETE"] } = options;
  if (!Array.isArray(methods) || !methods.every((one) => typeof one === "string" && /^[A-Za-z]+$/.test(one))) {
    throw new SeqqaError("RULE_INVALID", "idempotent: `methods` is not a list of HTTP methods.", {
      exitStatus: 2,
      hint: 'Give a list such as ["PUT"]. The default is ["PUT", "DELETE"].',
    });
  }
  const { actions: excepted, columns } = allowedChanges("idempotent", options.except);
  const judged = new Set(methods.map((one) => one.toUpperCase()));
  return new Rule<C, A>({
    name: "idempotent",
    message: "an idempotent request had a different effect when it was sent again",
    severity: Severity.HIGH,
    writes: true,
    brings: (actions) => {
      for (const name of excepted) requireAction(actions, "idempotent", name);
      return [];
    },
    judge: async (_world, { action, answers, client, again, stores, explain, inconclusive }) => {
      const [answer, ...others] = writesOf(answers);
      if (answer === undefined || others.length > 0 || !judged.has(answer.request.method) || !isDone(answer)) return true;
      if (excepted.has(action.name)) return true;
      const path = pathOf(client, answer);
      const before = path === undefined ? undefined : await stores(columns);
      if (path === undefined || before === undefined) return true;
      const second = await again(answer);
      if (second === undefined) return inconclusive("seqqa cannot send the request of the step again");
      const what = `${action.name}: ${answer.request.method} ${shownPath(path)} was sent again and answered ${second.statusCode}`;
      const after = (await stores(columns))!;
      if (!before.same(after)) {
        const fields = before.changedFields(after);
        return explain(`${what}, and the second request changed the stores: ${storeChanges(before, after)}${columnsText(before, after)}`, {
          fields,
        });
      }
      return !isFailure(second.statusCode) || explain(`${what}, but the first request was answered ${answer.statusCode}`);
    },
  });
}
