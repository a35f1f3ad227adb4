import { serverErrorIn, type ExpectedStatus } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { Rule } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { requireOptions, statusesOf } from "./rule-options.ts";

/** Options of {@link noServerErrors}. */
export interface NoServerErrorsOptions {
  /** Statuses that are not defects, e.g. `[503]`, in addition to an action's own `expectedStatus`. Default: none. */
  readonly except?: readonly ExpectedStatus[];
}

/**
 * Checks that no answer that an action receives has a status of 500 or above, even if the action does not return the answer. Severity: HIGH. With
 * GraphQL, an error with the code `INTERNAL_SERVER_ERROR` counts, too, if it reports an exception and no refusal. The rule replaces the built-in
 * finding `<action>_server_error`, for any setting of `exploration.server_errors`.
 */
export function noServerErrors<C extends object = Values, A = ApiClient>(options: NoServerErrorsOptions = {}): Rule<C, A> {
  requireOptions<keyof NoServerErrorsOptions>("noServerErrors", options, { except: true });
  const except = statusesOf("noServerErrors", options.except);
  return new Rule<C, A>({
    name: "no_server_errors",
    message: "an action was answered with a server error",
    severity: Severity.HIGH,
    replaces: "server_errors",
    judge: (_world, { action, answers, explain }) => {
      const allowed = [...except, ...(action.expectedStatus ?? [])];
      const how = serverErrorIn(answers, allowed);
      return how === undefined || explain(`${action.name} was answered with ${how}`);
    },
  });
}
