import type { Action } from "../model/declare/action.ts";
import type { ApiClient } from "../model/http/client.ts";
import type { Context, Values } from "../model/context/context.ts";
import { Rule, type CheckedStep, type Login, type Resent, type RuleOptions, type StoresView } from "../model/declare/rule.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { isErrorLocation } from "../model/http/redirect.ts";
import { Severity } from "../model/declare/severity.ts";
import { jsonOf } from "./answers/answer-content.ts";
import { graphqlAnswer } from "../model/http/graphql-answer.ts";
import { nameOf, requireAction, requireOptions, type ActionOrName } from "./rule-options.ts";
import { isRedirect, pathOf, shownPath, writesOf } from "./requests.ts";
import { storeChanges } from "./store-changes.ts";

/** Options of {@link singleUse}. */
export interface SingleUseOptions<C extends object = Values, A = ApiClient> extends Pick<RuleOptions<C, A>, "severity" | "blocking"> {
  /** The action that creates the code that may be used once: it requests a reset link, makes an invitation, or issues a coupon. */
  readonly create: ActionOrName<C, A>;
  /** The action that uses the code. The rule repeats its last writing request, or its last request if it has no writing one (a magic link). */
  readonly use: ActionOrName<C, A>;
  /** Other users who also try to use the code, each with a login. A client without credentials always tries, if seqqa can make one. Default: none. */
  readonly users?: Readonly<Record<string, Login>>;
  /**
   * The number of times that the code may be used: once in total (`everyone`), or once by each user (`user`), such as a coupon for each customer.
   * With `user`, no other session tries the code. Default: `everyone`.
   */
  readonly per?: "everyone" | "user";
  /**
   * Returns `true` if an answer says that the code was accepted. Default: 2xx or 3xx, but not a redirect to a URL with an `error`; for GraphQL, an
   * answer with data. By default, a redirect of a repeated request counts only if the first answer redirected to the same path.
   */
  readonly accepted?: (answer: ApiResponse) => boolean;
  /** The name of the rule. Default: `single_use_` and the name of the action that uses the code. */
  readonly name?: string;
}

/** Maximum number of attempts with a wrong field. Each attempt empties another field of the request. */
const SPOILED = 4;

/**
 * Checks that a code that may be used once (a reset token, recovery code, one-time password, magic link, invitation, coupon, authorization code) is
 * accepted only once. Severity: HIGH. After a step of the action `use` that was accepted, its request is sent again:
 * - by the same client three times, even if an earlier attempt was refused;
 * - by a client without credentials, and by the clients of `users`;
 * - with another password, if its body has a password: the same password again may change nothing;
 * - after another call of `create`.
 *
 * In the state before the step, attempts with wrong fields are made first. The request is then sent twice, and must be accepted at most once. The
 * action is also raced with itself if stores allow it, for any setting of `exploration.races`.
 *
 * A request counts as accepted again if it is answered 2xx or 3xx and has an effect: it changes the stores, sets a cookie, or its JSON has a token,
 * session or code. A successful answer without such an effect is not a finding.
 *
 * OWASP ASVS 5.0, 2.3.4 and 6.5.1; RFC 6749, 4.1.2 (authorization codes).
 * @throws SeqqaError `RULE_INVALID` if the agent has no such action
 */
export function singleUse<C extends object = Values, A = ApiClient>(options: SingleUseOptions<C, A>): Rule<C, A> {
  requireOptions<keyof SingleUseOptions>("singleUse", options, {
    create: true,
    use: true,
    users: true,
    per: true,
    accepted: true,
    name: true,
    severity: true,
    blocking: true,
  });
  const { users = {}, per = "everyone", accepted = isAccepted, severity = Severity.HIGH, blocking } = options;
  const use = nameOf(options.use, "singleUse", "use");
  const creates = nameOf(options.create, "singleUse", "create");
  let create: Action<C, A> | undefined;
  return new Rule<C, A>({
    name: options.name ?? `single_use_${use}`,
    message: `${use} was accepted more than once`,
    severity,
    ...(blocking !== undefined && { blocking }),
    writes: true,
    guests: per === "everyone" ? 1 : 0,
    users: per === "everyone" ? users : {},
    races: [[use, use]],
    subjects: [use],
    brings: (actions) => {
      create = requireAction(actions, "singleUse", creates);
      requireAction(actions, "singleUse", use);
      return [];
    },
    when: ({ name }) => name === use,
    judge: async (world, step) => {
      const spent = writesOf(step.answers).at(-1) ?? step.answers.at(-1);
      if (spent === undefined || !accepted(spent)) return true;
      const isAgain =
        options.accepted ?? ((answer: ApiResponse) => isAccepted(answer) && (!isRedirect(answer) || isRedirectAlike(answer, spent)));
      const spending = new Spending(step, spent, isAgain);
      const others =
        per === "user"
          ? []
          : [...step.guests.slice(0, 1), ...Object.keys(users).map((role) => world.clients[role] as unknown as ApiClient)];
      const body = withOtherPassword(spent.request.body);
      const attempts: readonly (readonly [how: string, changes?: Resent])[] = [
        ["when it was sent again"],
        ["when it was sent again after it was refused"],
        ...others.map((by) => ["in another session", { by }] as const),
        ["when it was sent again after other sessions had tried"],
        ...(body === undefined ? [] : [["when it was sent again with a password that differs", { body }] as const]),
      ];
      for (const [how, changes] of attempts) {
        const problem = await spending.again(how, changes);
        if (problem !== undefined) return step.explain(problem);
      }
      if (!spending.isPossible) return step.inconclusive("seqqa cannot send the request of the step again");
      if (await isCreatedAgain(world as never, create as never)) {
        const problem = await spending.again(`after ${create!.name} was called again`);
        if (problem !== undefined) return step.explain(problem);
      }
      const spoiled = spoiledBodies(spent.request.body);
      if (spoiled.length === 0 || !step.canGoBack) return true;
      return {
        earlier: async ({ explain }) => {
          for (const body of spoiled) {
            const refused = await step.again(spent, { body });
            if (refused === undefined || isAgain(refused)) return true;
          }
          const first = await step.again(spent);
          if (first === undefined || !accepted(first)) return true;
          const problem = await spending.again("when it was sent again after attempts with wrong fields were refused");
          return problem === undefined || explain(problem);
        },
      };
    },
  });
}

/** Sends the request that used the code again, and describes the effect if it is accepted once more. */
class Spending {
  /** `false` if the request cannot be sent again. */
  isPossible = true;
  readonly #step: CheckedStep;
  readonly #spent: ApiResponse;
  readonly #accepted: (answer: ApiResponse) => boolean;

  constructor(step: CheckedStep, spent: ApiResponse, accepted: (answer: ApiResponse) => boolean) {
    this.#step = step;
    this.#spent = spent;
    this.#accepted = accepted;
  }

  /** Sends the request again. Returns the problem if it is accepted. `how` completes the sentence "it was accepted". */
  async again(how: string, changes: Resent = {}): Promise<string | undefined> {
    const { stores, again, client, action } = this.#step;
    const before = await stores();
    const second = await again(this.#spent, changes);
    if (second === undefined) {
      this.isPossible = false;
      return undefined;
    }
    if (!this.#accepted(second)) return undefined;
    const effect = await this.#effect(before, second);
    if (effect === undefined) return undefined;
    const { method } = this.#spent.request;
    const path = shownPath(pathOf(client, this.#spent) ?? "");
    return `${action.name}: ${method} ${path} was accepted (${this.#spent.statusCode}), and again (${second.statusCode}) ${how}: ${effect}`;
  }

  async #effect(before: StoresView | undefined, second: ApiResponse): Promise<string | undefined> {
    const after = await this.#step.stores();
    if (before !== undefined && after !== undefined && !before.same(after, { strict: true }))
      return `the second request changed the stores: ${storeChanges(before, after)}`;
    const granted = grantedBy(second);
    if (granted === undefined) return undefined;
    return `the answer has ${granted}`;
  }
}

/** Calls the `create` action once more, if it applies. Resolves to `false` if it does not apply or is refused. */
async function isCreatedAgain(
  world: { readonly context: Context; readonly clients: Readonly<Record<string, ApiClient>>; readonly api: ApiClient },
  create: Action,
): Promise<boolean> {
  const { context, clients, api } = world;
  try {
    if (create.precondition !== undefined && !create.precondition(context)) return false;
    const client = create.as === undefined ? api : clients[create.as]!;
    const answer = await create.run(client, context);
    return answer !== null && answer.statusCode < 400;
  } catch {
    // The error is ignored here, because it is reported when the action runs as a step.
    return false;
  }
}

function spoiledBodies(body: string | undefined): readonly string[] {
  const read = fieldsOf(body);
  return read === undefined ? [] : [...read.texts.keys()].slice(0, SPOILED).map((name) => read.withTexts(new Map([[name, ""]])));
}

const PASSWORD = /passw|pwd|passphrase/i;

/** Returns a body with another value in every field for a password; `undefined` if it has no such field. */
function withOtherPassword(body: string | undefined): string | undefined {
  const read = fieldsOf(body);
  const passwords = [...(read?.texts ?? [])].filter(([name]) => PASSWORD.test(name));
  return passwords.length === 0 ? undefined : read!.withTexts(new Map(passwords.map(([name, text]) => [name, `${text}Z9`])));
}

interface Fields {
  /** The fields that are texts, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Returns the body with other texts in some fields. */
  withTexts(texts: ReadonlyMap<string, string>): string;
}

/** Reads a JSON object or a form; `undefined` if the body has no fields. */
function fieldsOf(body: string | undefined): Fields | undefined {
  if (body === undefined) return undefined;
  let fields: unknown;
  try {
    fields = JSON.parse(body);
  } catch {
    const form = new URLSearchParams(body);
    return {
      texts: new Map(form),
      withTexts: (texts) => {
        const changed = new URLSearchParams(form);
        for (const [name, text] of texts) changed.set(name, text);
        return changed.toString();
      },
    };
  }
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return undefined;
  const texts = Object.entries(fields).filter((entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "");
  return { texts: new Map(texts), withTexts: (changed) => JSON.stringify({ ...fields, ...Object.fromEntries(changed) }) };
}

function isAccepted(answer: ApiResponse): boolean {
  return (
    answer.statusCode < 400 &&
    !(isRedirect(answer) && isErrorLocation(answer.headers["location"] ?? "")) &&
    graphqlAnswer(answer).kind !== "refused"
  );
}

/** Returns `true` if both answers redirect to the same path. A code that is refused often leads to another page, such as the login. */
function isRedirectAlike(answer: ApiResponse, other: ApiResponse): boolean {
  const [a, b] = [answer, other].map(({ headers }) => (headers["location"] ?? "").split(/[?#]/)[0]);
  return isRedirect(other) && a === b;
}

const CREDENTIAL = /token|session|jwt|bearer|access_?key|api_?key|secret|auth_?code/i;
const DEEPEST = 4;

/** Returns the name of a cookie or credential that an answer contains; `undefined` if there is none. */
function grantedBy(answer: ApiResponse): string | undefined {
  const cookie = answer.headers["set-cookie"];
  if (cookie !== undefined && !/max-age=0\b|expires=thu, 01 jan 1970|^[^=]+=(?:;|$)/i.test(cookie)) return "a new cookie";
  const credential = credentialIn(jsonOf(answer), 0);
  return credential === undefined ? undefined : `"${credential}"`;
}

function credentialIn(value: unknown, depth: number): string | undefined {
  if (typeof value !== "object" || value === null || depth > DEEPEST) return undefined;
  for (const [name, member] of Object.entries(value)) {
    if (CREDENTIAL.test(name) && typeof member === "string" && member !== "") return name;
    const below = credentialIn(member, depth + 1);
    if (below !== undefined) return below;
  }
  return undefined;
}
