import { Action } from "../model/declare/action.ts";
import { clientPartOf, type ApiClient } from "../model/http/client.ts";
import { Context, contextPartOf, type Values } from "../model/context/context.ts";
import { SeqqaError } from "../model/errors.ts";
import { Rule, type CheckedStep, type RuleOptions } from "../model/declare/rule.ts";
import { ApiResponse } from "../model/http/response.ts";
import { Severity } from "../model/declare/severity.ts";
import { graphqlAnswer } from "../model/http/graphql-answer.ts";
import { isDone, isRedirect, writesOf } from "./requests.ts";
import { nameOf, requireAction, requireCall, requireList, requireOptions, type ActionOrName } from "./rule-options.ts";

/** Options of {@link sessionEnds}. */
export interface SessionEndsOptions<C extends object = Values, A = ApiClient> extends Pick<RuleOptions<C, A>, "severity" | "blocking"> {
  /** Opens a session of the user with the given client: logs in, or creates an API key. A refused login opens no session. */
  readonly login: Action<C, A> | ((api: A, context: Context<C>) => Promise<unknown>);
  /** Sends a request that is answered 2xx only while a session works, e.g. `(api) => api.get("/me")`. */
  readonly check: (api: A, context: Context<C>) => Promise<ApiResponse>;
  /**
   * Actions after which no earlier session of the user works: change or reset of the password, suspension, change of the role, deletion. Default:
   * none.
   */
  readonly after?: readonly ActionOrName<C, A>[];
  /** Actions that end only the session with which they are sent. Default: none. */
  readonly logout?: readonly ActionOrName<C, A>[];
  /** Renews a session, given the answer of its login. It must be refused, too, after the session has ended. Default: sessions cannot be renewed. */
  readonly refresh?: (api: A, login: ApiResponse) => Promise<ApiResponse>;
  /** The role whose client acts as this user. Default: the World's `api`, for actions without a role. */
  readonly as?: string;
  /** `true` if the session in which an action of `after` is called keeps working, as in many APIs after a change of the password. Default `false`. */
  readonly keepsCurrent?: boolean;
  /** The name of the rule. Default: `session_ends`. */
  readonly name?: string;
}

/** An open session: its client, and the state (token, cookies) that the client had when the session was opened. */
interface Session<C extends object> {
  readonly what: string;
  readonly client: ApiClient;
  /** The session has its own context, because a login may store its token there. */
  readonly context: Context<C>;
  readonly acting: unknown;
  readonly login: ApiResponse | undefined;
}

/**
 * Checks that earlier sessions stop working after a logout, a change or reset of the password, or a suspension, deletion or role change. Severity:
 * HIGH. Cookies, tokens, refresh tokens and API keys count as sessions. The rule is judged after a step of an action in `after` or `logout`, if the
 * step was answered 2xx (with GraphQL: with data). It is also judged after a 3xx, if the step changed the state or is a logout. The following happens
 * in the state before the step:
 * 1. `check` is sent without a session. If it is answered 2xx, the rule is inconclusive. Otherwise two new sessions are opened with `login`, each
 *    with its own client and context. These sessions and the user's own client are checked.
 * 2. The step's writing requests are sent again, or all of its requests if none writes (`GET /logout`).
 * 3. Each session that worked before is used again with its saved token and cookies, and renewed with `refresh`. Cookies that the answer removed are
 *    still sent.
 * 4. The user logs in again, and the earlier sessions are tried once more.
 *
 * After `logout`, only the session with which the request was sent is tried.
 *
 * OWASP ASVS 5.0, 7.4.1 to 7.4.3.
 * @throws SeqqaError `RULE_INVALID` if no action is named, or the agent does not have a named action
 */
export function sessionEnds<C extends object = Values, A = ApiClient>(options: SessionEndsOptions<C, A>): Rule<C, A> {
  requireOptions<keyof SessionEndsOptions>("sessionEnds", options, {
    login: true,
    check: true,
    after: true,
    logout: true,
    refresh: true,
    as: true,
    keepsCurrent: true,
    name: true,
    severity: true,
    blocking: true,
  });
  const { after = [], logout = [], check, refresh, as, keepsCurrent = false, severity = Severity.HIGH, blocking } = options;
  requireCall("sessionEnds", "login", options.login, "Pass a function or an Action that opens a session");
  requireCall("sessionEnds", "check", check, "Pass a function that sends a request which needs a session");
  requireList("sessionEnds", "after", options.after, '["change_password"]');
  requireList("sessionEnds", "logout", options.logout, '["log_out"]');
  const all = new Set(after.map((action) => nameOf(action, "sessionEnds", "after")));
  const one = new Set(logout.map((action) => nameOf(action, "sessionEnds", "logout")));
  if (all.size + one.size === 0) {
    throw new SeqqaError("RULE_INVALID", "sessionEnds needs the name of at least one action that ends a session.", {
      exitStatus: 2,
      hint: "Write the name in `after` or `logout`.",
    });
  }
  const open = async (client: ApiClient, context: Context<C>): Promise<ApiResponse | undefined> => {
    const { login } = options;
    const answer: unknown = await (login instanceof Action ? login.run(client as A, context) : login(client as A, context));
    return answer instanceof ApiResponse ? answer : undefined;
  };
  const tryOut = async (client: ApiClient, context: Context<C>): Promise<ApiResponse> => {
    const answer: unknown = await check(client as A, context);
    if (answer instanceof ApiResponse) return answer;
    throw new TypeError("`check` of sessionEnds returned no response; return the answer of its request.");
  };
  const works = async ({ client, context }: Pick<Session<C>, "client" | "context">): Promise<ApiResponse | undefined> => {
    const answer = await tryOut(client, context);
    return isGranted(answer) ? answer : undefined;
  };
  /** Returns the answer to `check` if it is 2xx without a session. Such a check cannot show which sessions work. */
  const worksForAll = async (guest: ApiClient, context: Context<C>): Promise<ApiResponse | undefined> => {
    const part = clientPartOf(guest);
    const acting = part?.save();
    try {
      return await works({ client: guest, context: emptyLike(context) });
    } catch {
      // Without a session, the check may lack a value that a login stores in the context.
      return undefined;
    } finally {
      part?.restore(acting);
    }
  };
  return new Rule<C, A>({
    name: options.name ?? "session_ends",
    message: "a session works after it has ended",
    severity,
    ...(blocking !== undefined && { blocking }),
    writes: true,
    guests: 3,
    subjects: [...all, ...one],
    brings: (actions) => {
      for (const name of [...all, ...one]) requireAction(actions, "sessionEnds", name);
      return [];
    },
    when: ({ name }) => all.has(name) || one.has(name),
    judge: (world, step) => {
      const isLogout = one.has(step.action.name);
      const ending = endingAnswers(step, isLogout);
      if (!step.canGoBack || ending.length === 0) return true;
      return {
        earlier: async ({ explain, inconclusive }) => {
          const unprotected = step.guests[2] === undefined ? undefined : await worksForAll(step.guests[2], world.context);
          if (unprotected !== undefined)
            return inconclusive(
              `the request of \`check\` is answered ${unprotected.statusCode} without a session; let \`check\` send a request that needs a session`,
            );
          const sessions: Session<C>[] = [];
          const refused = new Set<string>();
          const add = async (session: Omit<Session<C>, "acting">): Promise<void> => {
            const answer = await tryOut(session.client, session.context);
            if (isGranted(answer)) sessions.push({ ...session, acting: clientPartOf(session.client)?.save() });
            else refused.add(`${session.login === undefined ? "" : `login ${session.login.statusCode}, `}check ${statusOf(answer)}`);
          };
          const users = as === undefined ? world.api : world.clients[as];
          if (isLogout || (!keepsCurrent && users !== undefined)) {
            const client = isLogout ? step.client : (users as unknown as ApiClient);
            // A suspension is often sent by an administrator, whose own session does not end.
            const what = `the session of the client${isLogout || as !== undefined ? "" : " (set `as` if this is another user's client)"}`;
            await add({ what, client, context: world.context, login: undefined });
          }
          for (const client of isLogout ? [] : step.guests.slice(0, 2)) {
            const context = copyOf(world.context);
            const login = await open(client, context);
            await add({ what: "another session of the user", client, context, login });
          }
          if (sessions.length === 0)
            return inconclusive(`the user had no working session before the step (answers: ${[...refused].toSorted().join("; ")})`);
          for (const answer of ending) {
            const again = await step.again(answer);
            if (again === undefined || !isAlike(again, answer)) return inconclusive("seqqa cannot send the requests of the step again");
          }
          const ended = `${step.action.name} was answered ${ending.at(-1)!.statusCode}`;
          const still = await stillWorking(sessions, works, async (session) => renewed(session, refresh));
          if (still !== undefined) return explain(`${ended}, and ${still}`);
          const guest = step.guests[2];
          if (guest === undefined) return true;
          await open(guest, copyOf(world.context));
          const revived = await stillWorking(sessions, works, async () => undefined);
          return revived === undefined || explain(`${ended}; once the user has logged in again, ${revived}`);
        },
      };
    },
  });
}

/** Matches the path of a logout by GET: `/logout`, `/sign_out`, `/log-off`. */
const LOGOUT = /(?:log|sign)[-_]?(?:out|off)/i;

/**
 * Returns the answers of a step to the requests that ended the session: the requests that write, or all requests if none writes (a logout by GET).
 * Returns an empty list if a request was refused. A redirect, or a step that only reads, may be a refusal, too: it counts only if the state changed
 * or, because sessions may be kept in memory, if the action is a logout.
 */
function endingAnswers({ answers, changed }: CheckedStep, isLogout: boolean): readonly ApiResponse[] {
  const writes = writesOf(answers);
  const ending = writes.length > 0 ? writes : answers;
  const isOut = changed || (isLogout && (writes.length > 0 || ending.some(({ request }) => LOGOUT.test(request.url))));
  if (writes.length === 0 && !isOut) return [];
  return ending.every((answer) => isGranted(answer) || (isOut && isRedirect(answer))) ? ending : [];
}

/** Returns `true` for a 2xx answer that grants the request. A GraphQL answer with errors and without data has the status 200, too, but refuses it. */
function isGranted(answer: ApiResponse): boolean {
  return isDone(answer) && graphqlAnswer(answer).kind !== "refused";
}

function statusOf(answer: ApiResponse): string {
  return answer.ok && graphqlAnswer(answer).kind === "refused" ? `${answer.statusCode} with errors` : String(answer.statusCode);
}

function isAlike(a: ApiResponse, b: ApiResponse): boolean {
  return isGranted(a) ? isGranted(b) : isRedirect(a) && isRedirect(b);
}

function copyOf<C extends object>(context: Context<C>): Context<C> {
  const copy = new Context<C>();
  contextPartOf(copy as never).restore(contextPartOf(context as never).save());
  contextPartOf(copy as never).reach(contextPartOf(context as never).stores);
  return copy;
}

/** Returns a context without values that reaches the same stores. */
function emptyLike<C extends object>(context: Context<C>): Context<C> {
  const empty = new Context<C>();
  contextPartOf(empty as never).reach(contextPartOf(context as never).stores);
  return empty;
}

type Attempt<C extends object> = (session: Session<C>) => Promise<ApiResponse | undefined>;

/**
 * Sends a request with the saved token and cookies of each session. Returns a description of the first session that still works; `undefined` if there
 * is none.
 */
async function stillWorking<C extends object>(
  sessions: readonly Session<C>[],
  use: Attempt<C>,
  renew: Attempt<C>,
): Promise<string | undefined> {
  for (const session of sessions) {
    clientPartOf(session.client)?.restore(session.acting);
    const answer = await use(session);
    if (answer !== undefined) return `${session.what} still works: ${requestOf(answer)} was answered ${answer.statusCode}`;
    const renewal = await renew(session);
    if (renewal !== undefined) return `${session.what} can still be renewed: ${requestOf(renewal)} was answered ${renewal.statusCode}`;
  }
  return undefined;
}

async function renewed<C extends object, A>(
  { client, login }: Session<C>,
  refresh: ((api: A, login: ApiResponse) => Promise<ApiResponse>) | undefined,
): Promise<ApiResponse | undefined> {
  if (refresh === undefined || login === undefined) return undefined;
  const answer = await refresh(client as A, login);
  return isGranted(answer) ? answer : undefined;
}

function requestOf({ request: { method, url } }: Pick<ApiResponse, "request">): string {
  return `${method} ${URL.canParse(url) ? new URL(url).pathname : url}`;
}
