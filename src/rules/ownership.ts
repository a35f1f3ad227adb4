import { Action } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Context, Values } from "../model/context/context.ts";
import { EdgeAction } from "../model/declare/edge-action.ts";
import { ApiResponse } from "../model/http/response.ts";
import { Rule, type Login, type StoresView } from "../model/declare/rule.ts";
import { Severity } from "../model/declare/severity.ts";
import { graphqlAnswer } from "./answers/graphql-answer.ts";
import { IntruderClient, NothingNamed, type TriedCall } from "./intruder/intruder-client.ts";
import { OwnersView } from "./intruder/owners-view.ts";
import { seenFields } from "./answers/seen-fields.ts";
import { onlyAdds, storeChanges } from "./store-changes.ts";

/** Options of {@link ownership}. */
export interface OwnershipOptions<C extends object = Values, A = ApiClient> {
  /**
   * The users who try the actions of others, by role, and how each logs in. If the world has a client for the role, the login uses it; else a client
   * is made. For a user who needs no login: `async () => {}`.
   * A login that is answered with 400 or above ends the run with `LOGIN_REFUSED`.
   */
  readonly users: Readonly<Record<string, Login<A> | Action<C, A>>>;
  /** Actions that everybody may do, e.g. those that read public data: `read_product`, or for one user alone `read_product_as_bob`. Default: none. */
  readonly except?: readonly string[];
  /** Keys of the context whose values belong to all users, e.g. `tenant_id`: calls that name no other value are not tried. Default: none. */
  readonly shared?: readonly (keyof NoInfer<C> & string)[];
}

/** The owner of an action and the intruder who tries it. */
interface Trial {
  readonly owner: string;
  readonly intruder: string;
}

type Run<C extends object, A> = Action<C, A>["run"];

/**
 * No user sees or changes what another user made: in every state, every user of `users` makes every call of the agent's actions that names something
 * of the owner's.
 *
 * The owner is the user that the action acts as: its `as`, or the world's own client. Each user except the owner gets an action `<action>_as_<user>`
 * with the tag `intruder`. It runs the original action with that user's client: values that it reads from the context are the owner's, values that it
 * writes are discarded. It applies where the original action's precondition holds. It sends a request only if the request names something of the
 * owner's: a value of the context that the action has read appears in the path, the query or the body. Values in headers do not count, and headers
 * that say who the owner is are left out. A call that carries a token or a password of the owner's context is not made. These actions are steps like
 * any other: they count towards `max_steps`, have findings with a path, and are not raced.
 *
 * With a `GraphQLClient` a call is a query or a mutation, and values in its variables or its text count; such a world has a client for each role. The
 * `data` counts as seen, except a plain `true` or `false` and a payload that holds errors alone; an answer of errors without data is a refusal.
 *
 * The rule is violated when something was seen or changed. Seen: an answer of 2xx whose body holds anything; not `{}`, `[]`, a list's envelope
 * without items, or a report of failure. Changed: the stores are in another state, whatever the answer was, except for rows that a refused call adds;
 * without stores, changes are not known. CRITICAL. It is API1:2023 of the OWASP API Security Top 10, broken object level authorization.
 */
export function ownership<C extends object = Values, A = ApiClient>(options: OwnershipOptions<C, A>): Rule<C, A> {
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
    brings: (actions) =>
      actions.flatMap((action) =>
        Object.keys(options.users).flatMap((intruder) => {
          const name = `${action.name}_as_${intruder}`;
          // The edges of a state graph lead from node to node, and only their own user takes them.
          const left = action.as === intruder || except.has(action.name) || except.has(name) || action instanceof EdgeAction;
          if (left) return [];
          trials.set(name, { owner: action.as ?? "the owner", intruder });
          return [intrudersAction(action, name, intruder, { calls, shared })];
        }),
      ),
    judge: async (_world, { action, answers, changed, canGoBack, stores, explain }) => {
      const trial = trials.get(action.name);
      const tried = answers.flatMap((answer) => {
        const call = calls.get(answer) ?? calls.get(answer.request);
        return call === undefined ? [] : [{ answer, call, seen: seenFields(answer) }];
      });
      if (trial === undefined || tried.length === 0) return true;
      const shown = tried.find(({ seen }) => seen !== undefined);
      const sawNothing = (say: (message: string) => false): boolean =>
        shown === undefined || say(`${trial.intruder} saw ${made(trial)}: ${told(shown)}`);
      const after = changed ? await stores() : undefined;
      if (after === undefined) return sawNothing(explain);
      const writing = tried.findLast(({ call }) => !call.safe) ?? tried.at(-1)!;
      const wrote = `${trial.intruder} changed ${made(trial)}: ${told(writing)}`;
      // An intruder cannot reach the context and the other clients: without a new cookie, only the stores can differ.
      if (!canGoBack) return answers.some(({ headers }) => headers["set-cookie"] !== undefined) ? sawNothing(explain) : explain(wrote);
      return {
        earlier: async (begun) => {
          const before: StoresView | undefined = await begun.stores();
          if (before === undefined || before.same(after)) return sawNothing(begun.explain);
          // No row of the owner's has changed. Rows that a refused call adds are judged by `leakage` and `rejectedMeansUnchanged`.
          if (tried.every(({ answer }) => isRefused(answer)) && onlyAdds(before, after)) return sawNothing(begun.explain);
          return begun.explain(`${wrote}; ${storeChanges(before, after)}`);
        },
      };
    },
  });
}

/** Calls by their answer, and by its request: a GraphQL client makes a new answer, which has the same request. */
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
 * Runs the owner's action as the intruder, and returns an answer to a call that was made. The action's own handling of an answer that it was never
 * meant to get does not matter.
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
    // Answers that user code makes all have the same request.
    if (answer.request.method !== "CALL") calls.set(answer.request, call);
  }
  const last = tried.findLast(({ answer }) => answer instanceof ApiResponse)?.answer as ApiResponse | undefined;
  const returned: unknown = ended.status === "fulfilled" ? ended.value : undefined;
  // A client that the user wrote may return any value, and the action makes a response of it.
  const answer = returned instanceof ApiResponse && (last === undefined || calls.has(returned)) ? returned : last;
  if (answer === undefined) return ended.status === "fulfilled" ? null : running;
  if (!calls.has(answer)) calls.set(answer, tried.at(-1)!.call);
  return answer;
}

function loginOf<C extends object, A>(login: Login<A> | Action<C, A>): Login {
  if (!(login instanceof Action)) return login as unknown as Login;
  return (api, context) => login.run(api as unknown as A, context as unknown as Context<C>);
}

function isRefused(answer: ApiResponse): boolean {
  return answer.statusCode >= 400 || graphqlAnswer(answer).kind === "refused";
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
