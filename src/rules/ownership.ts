import { Action } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Context, Values } from "../model/context/context.ts";
import { EdgeAction } from "../model/declare/state-graph/edge-action.ts";
import { ApiResponse } from "../model/http/response.ts";
import { Rule, type Login, type StoresView } from "../model/declare/rule.ts";
import { SeqqaError } from "../model/errors.ts";
import { Severity } from "../model/declare/severity.ts";
import { refusesInBody } from "../model/http/refusal.ts";
import { credentialsOf } from "./intruder/credentials.ts";
import { IntruderClient, NothingNamed, type TriedCall } from "./intruder/intruder-client.ts";
import { leavesOf, OwnersView } from "./intruder/owners-view.ts";
import { requireAction, requireCall, requireList, requireOptions } from "./rule-options.ts";
import { jsonOf } from "./answers/answer-content.ts";
import { outcomeOf } from "./answers/outcome.ts";
import { seenFields } from "./answers/seen-fields.ts";
import { onlyAdds, storeChanges } from "./store-changes.ts";

/** Options of {@link ownership}. */
export interface OwnershipOptions<C extends object = Values, A = ApiClient> {
  /**
   * The users who try the actions of others, by role, each with a login. The login uses the world's client for the role. If the world has no such
   * client, seqqa creates one. For a user who needs no login: `async () => {}`. If a login is answered with 400 or above, the run ends with
   * `LOGIN_REFUSED`.
   */
  readonly users: Readonly<Record<string, Login<A> | Action<C, A>>>;
  /**
   * Names of actions that other users are allowed to execute, such as reading public data: `read_product` allows it to all users,
   * `read_product_as_bob` only to bob. Default: none.
   */
  readonly except?: readonly string[];
  /** Context keys whose values belong to all users, e.g. `tenant_id`. Calls that contain only such values are not tried. Default: none. */
  readonly shared?: readonly (keyof NoInfer<C> & string)[];
}

interface Trial {
  readonly owner: string;
  readonly intruder: string;
}

type Run<C extends object, A> = Action<C, A>["run"];

/**
 * Checks that no user sees or changes data of another user. Severity: CRITICAL. In every state, each user of `users` makes those calls of the agent's
 * actions that contain a value of the owner, such as the id of an order.
 *
 * The owner is the user whose client sends the action's requests: the user of the role `as`, or else the user of the World's `api`. For each user
 * except the owner, the rule adds an action `<action>_as_<user>` with the tag `intruder`. This action runs the original action with that user's
 * client. The added action reads the owner's values from the context. Values that it writes to the context are discarded. It applies only if the
 * precondition of the original action holds. A request is sent only if its path, query or body contains a context value that the action has read.
 * Values in headers do not count, and headers that identify the owner are left out. A call that contains a token or password from the owner's context
 * is not made. A `session_id` counts as a credential, unless it is a number or part of a path: then it is the id of an item, such as a training
 * session. These actions are ordinary steps: they count towards `max_steps` and have findings with a path. seqqa does not search for races between
 * them.
 *
 * With a `GraphQLClient`, a call is a query or a mutation, and the owner's values in its variables or its text count. Returned `data` counts as seen,
 * except a single `true` or `false`, and a payload with only errors. An answer with errors and without data is a refusal.
 *
 * The rule is violated if the other user saw or changed something:
 * - Seen: a 2xx answer whose body has content. `{}`, `[]`, an object around an empty list, an object with only `false`, and a report of failure are
 *   not content. The answer to a `POST`, `PUT`, `PATCH` or `DELETE` does not count if it only says that nothing was written (`{ "count": 0 }`). If
 *   the stores are unchanged, such an answer does not count either if it only says that the request succeeded (`{ "success": true }`) or repeats
 *   values of the request.
 * - Changed: the stores are in another state, for any answer. Three kinds of rows do not count: rows that a refused call adds; rows that contain a
 *   credential of the other user, such as the row of the session; and the created rows, if the server took the other user as the owner, so that in
 *   the answer each field that named the owner has another value. Without stores, changes are not detected.
 *
 * See API1:2023 in the OWASP API Security Top 10, broken object level authorization.
 * @throws SeqqaError `RULE_INVALID` if there is no user, a login is no function, or `except` names an action that the agent does not have
 */
export function ownership<C extends object = Values, A = ApiClient>(options: OwnershipOptions<C, A>): Rule<C, A> {
  requireOptions<keyof OwnershipOptions>("ownership", options, { users: true, except: true, shared: true });
  const roles = Object.keys((options as Partial<OwnershipOptions<C, A>>).users ?? {});
  if (roles.length === 0) {
    throw new SeqqaError("RULE_INVALID", "ownership: `users` names no user.", {
      exitStatus: 2,
      hint: "Pass at least one user with a login, for example { bob: async (api) => api.post(...) }.",
    });
  }
  for (const role of roles)
    requireCall("ownership", `users.${role}`, options.users[role], "Pass a function or an Action that logs the user in");
  requireList("ownership", "except", options.except, '["read_product"]');
  requireList("ownership", "shared", options.shared, '["tenant_id"]');
  const except = new Set(options.except);
  const shared: ReadonlySet<string> = new Set(options.shared);
  const trials = new Map<string, Trial>();
  const calls: Calls = new WeakMap();
  return new Rule<C, A>({
    name: "ownership",
    message: "a user saw or changed what another user created",
    severity: Severity.CRITICAL,
    users: Object.fromEntries(Object.entries(options.users).map(([role, login]) => [role, loginOf(login)])),
    when: ({ name }) => trials.has(name),
    brings: (actions) => {
      const known = new Set(actions.flatMap(({ name }) => [name, ...roles.map((role) => `${name}_as_${role}`)]));
      for (const name of except) if (!known.has(name)) requireAction(actions, "ownership", name);
      return actions.flatMap((action) =>
        roles.flatMap((intruder) => {
          const name = `${action.name}_as_${intruder}`;
          // An edge of a state graph moves the graph to another node, so no other user may execute it.
          const left = action.as === intruder || except.has(action.name) || except.has(name) || action instanceof EdgeAction;
          if (left) return [];
          trials.set(name, { owner: action.as ?? "the owner", intruder });
          return [intrudersAction(action, name, intruder, { calls, shared })];
        }),
      );
    },
    judge: async (_world, { action, answers, changed, canGoBack, stores, explain }) => {
      const trial = trials.get(action.name);
      const tried = answers.flatMap((answer) => {
        const call = calls.get(answer) ?? calls.get(answer.request);
        return call === undefined ? [] : [{ answer, call, seen: seenFields(answer), outcome: outcomeOf(answer) }];
      });
      if (trial === undefined || tried.length === 0) return true;
      // An answer that says only that a write succeeded shows nothing if the stores are unchanged. Without stores, the answer counts, because the
      // target may have written.
      const sawNothing = (say: (message: string) => false, isUnchanged: boolean): boolean => {
        const shown = tried.find(
          ({ seen, outcome }) => seen !== undefined && outcome !== "nothing" && !(outcome === "done" && isUnchanged),
        );
        return shown === undefined || say(`${trial.intruder} saw ${made(trial)}: ${told(shown)}`);
      };
      const isRead = changed || tried.some(({ outcome }) => outcome === "done");
      const later = isRead ? await stores() : undefined;
      if (!changed || later === undefined) return sawNothing(explain, !changed && later !== undefined);
      const writing = tried.findLast(({ call }) => !call.safe) ?? tried.at(-1)!;
      const wrote = `${trial.intruder} changed ${made(trial)}: ${told(writing)}`;
      // If seqqa cannot restore the state before the step, it cannot compare the stores before and after. But an intruder's step changes neither the
      // context nor the owner's client. If no answer set a cookie either, the stores must have changed.
      if (!canGoBack)
        return answers.some(({ headers }) => headers["set-cookie"] !== undefined) ? sawNothing(explain, false) : explain(wrote);
      return {
        earlier: async (begun) => {
          const earlier: StoresView | undefined = await begun.stores();
          if (earlier === undefined || earlier.same(later, { strict: true })) return sawNothing(begun.explain, true);
          // A server may renew the intruder's session with each request, even with a refused one.
          const own = credentialsOf(answers);
          const [before, after] = [earlier.without(own), later.without(own)];
          if (before.same(after, { strict: true })) return sawNothing(begun.explain, true);
          // If all calls were refused and only added rows, the owner's rows are unchanged. Added rows are judged by `leakage` and
          // `rejectedMeansUnchanged`.
          if (tried.every(({ answer }) => isRefused(answer)) && onlyAdds(before, after)) return sawNothing(begun.explain, false);
          // A server that ignores the owner's value in the body (`customer_id`) creates an item of the intruder, which is allowed.
          if (tried.every(({ answer, call }) => isOwnItem(answer, call.inBody)) && onlyAdds(before, after)) return true;
          return begun.explain(`${wrote}; ${storeChanges(before, after)}`, { fields: before.changedFields(after) });
        },
      };
    },
  });
}

/**
 * Maps each answer, and the request object of each answer, to the call that got the answer. The request object is needed because a GraphQL client may
 * return a new answer object with the same request object.
 */
type Calls = WeakMap<ApiResponse | ApiResponse["request"], TriedCall["call"]>;

interface Setting {
  readonly calls: Calls;
  readonly shared: ReadonlySet<string>;
}

function intrudersAction<C extends object, A>(action: Action<C, A>, name: string, intruder: string, setting: Setting): Action<C, A> {
  return new Action<C, A>({
    name,
    as: intruder,
    tags: [...action.tags, "intruder"],
    description: `${action.name}, tried by ${intruder}`,
    run: async (api, context) => tryAs(action.run, api, context, setting),
    ...(action.precondition !== undefined && { precondition: action.precondition }),
  });
}

/**
 * Runs the owner's action with the intruder's client. Returns an answer to one of the action's calls. Errors that the action throws because of an
 * unexpected answer are ignored.
 */
async function tryAs<C extends object, A>(
  run: Run<C, A>,
  api: A,
  owners: Context<C>,
  { calls, shared }: Setting,
): Promise<ApiResponse | null> {
  const view = new OwnersView(owners, shared);
  const client = new IntruderClient(api, () => view.read);
  const running = (async () => run(client.api, view.context))();
  const [ended] = await Promise.allSettled([running]);
  await client.settled();
  const { tried } = client;
  if (tried.length === 0 && (ended.status === "fulfilled" || ended.reason instanceof NothingNamed)) return null;
  for (const { answer, call } of tried) {
    if (!(answer instanceof ApiResponse)) continue;
    calls.set(answer, call);
    // Answers that user code creates all have the same request object, so the request object does not identify the call.
    if (answer.request.method !== "CALL") calls.set(answer.request, call);
  }
  const last = tried.findLast(({ answer }) => answer instanceof ApiResponse)?.answer as ApiResponse | undefined;
  const returned: unknown = ended.status === "fulfilled" ? ended.value : undefined;
  // If the action created its response itself, use the last recorded answer instead. Actions create responses if the user's own client returns values
  // that are not responses.
  const answer = returned instanceof ApiResponse && (last === undefined || calls.has(returned)) ? returned : last;
  if (answer === undefined) return ended.status === "fulfilled" ? null : running;
  if (!calls.has(answer)) calls.set(answer, tried.at(-1)!.call);
  return answer;
}

function loginOf<C extends object, A>(login: Login<A> | Action<C, A>): Login {
  if (!(login instanceof Action)) return login as unknown as Login;
  return (api, context) => login.run(api as unknown as A, context as unknown as Context<C>);
}

/**
 * Returns `true` if the answer to a create shows that the created item does not belong to the owner: each field that contained an owner's value in
 * the request body has another value in the item.
 */
function isOwnItem(answer: ApiResponse, named: TriedCall["call"]["inBody"]): boolean {
  if (answer.request.method !== "POST" || !answer.ok || named === undefined) return false;
  const shown = leavesOf(jsonOf(answer), "").map(([name, text]) => [lastOf(name), text] as const);
  return named.every(([name, text]) => {
    const same = shown.filter(([other]) => other === lastOf(name));
    return same.length > 0 && same.every(([, other]) => other !== text);
  });
}

/** Returns the last part of a field's name, in lower case without `_`. */
const lastOf = (name: string): string => name.split(".").at(-1)!.toLowerCase().replaceAll("_", "");

function isRefused(answer: ApiResponse): boolean {
  return answer.statusCode >= 400 || refusesInBody(answer);
}

const made = ({ owner }: Trial): string => `what ${owner} made`;

function told({
  call,
  answer,
  seen,
}: {
  readonly call: TriedCall["call"];
  readonly answer: ApiResponse;
  readonly seen: string | undefined;
}): string {
  return `${call.text} was answered with status ${answer.statusCode}${seen === undefined ? "" : ` and ${seen}`}`;
}
