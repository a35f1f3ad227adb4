import { isDeepStrictEqual } from "node:util";
import type { Action } from "../model/declare/action.ts";
import { clientPartOf, type ApiClient } from "../model/http/client.ts";
import type { Values } from "../model/context/context.ts";
import { EdgeAction } from "../model/declare/state-graph/edge-action.ts";
import { Rule, type CheckedStep, type Earlier, type Login, type Resent, type RuleOptions, type StoresView } from "../model/declare/rule.ts";
import type { ApiResponse } from "../model/http/response.ts";
import { isErrorLocation } from "../model/http/redirect.ts";
import { Severity } from "../model/declare/severity.ts";
import { cookiesSentWith, cookiesSetBy, credentialIn, textOf } from "./answers/grants.ts";
import { refusesInBody } from "../model/http/refusal.ts";
import { codesIn, spoiledBodies, type Codes, withOtherPassword, withWrongCode } from "./changed-requests.ts";
import { contextGives, hasAny, rowsGive, rowsOnlyIn, type Written } from "./given-codes.ts";
import { call, UNANSWERED, versionOf, type Calling } from "./called-actions.ts";
import { nameOf, requireAction, requireOptions, type ActionOrName } from "./rule-options.ts";
import { isRedirect, pathOf, shownPath, writesOf } from "./requests.ts";
import { bringsBackRows, changesEveryField, redoes, storeChanges, type StoreChange } from "./store-changes.ts";

/** Options of {@link singleUse}. */
export interface SingleUseOptions<C extends object = Values, A = ApiClient> extends Pick<RuleOptions<C, A>, "severity" | "blocking"> {
  /** The action that creates the code, e.g. by requesting a reset link, making an invitation, or issuing a coupon. */
  readonly create: ActionOrName<C, A>;
  /** The action that uses the code. The rule repeats its last writing request, or its last request if none writes (a magic link). */
  readonly use: ActionOrName<C, A>;
  /**
   * Other users who also try to use the code, each with a login. A client without credentials always tries, too, if seqqa can create such a client.
   * Default: none.
   */
  readonly users?: Readonly<Record<string, Login>>;
  /**
   * The number of times that the code may be used: once in total (`everyone`), or once by each user (`user`), such as a coupon for each customer.
   * With `user`, no other session tries the code. Default: `everyone`.
   */
  readonly per?: "everyone" | "user";
  /**
   * Returns `true` if an answer says that the code was accepted. Default: 2xx or 3xx, but not a redirect to a URL with an `error`, and not a body
   * that reports a failure (`{ "ok": false }`); for GraphQL, an answer with data. By default, a redirect of a repeated request counts only if the first answer redirected to the same path.
   */
  readonly accepted?: (answer: ApiResponse) => boolean;
  /** The name of the rule. Default: `single_use_` and the name of the action that uses the code. */
  readonly name?: string;
}

/**
 * Checks that a code that may be used once (a reset token, recovery code, one-time password, magic link, invitation, coupon, authorization code) is
 * accepted only once. Severity: HIGH. After a step of the action `use` that was accepted, its request is sent again:
 * - by the same client three times, even if an earlier attempt was refused;
 * - by a client without credentials, and by the clients of `users`;
 * - with another password, if its body has a password, because setting the same password again may change nothing;
 * - after another call of `create`. If the answer, the context or a row that this call wrote then contains the same code (such as the fixed code of a
 *   test environment), the rule is inconclusive instead. A copy of the earlier code under another context key does not matter;
 * - after a call of each other action that undoes the effect of the step, such as the removal of a member whose invitation was accepted.
 *
 * In addition, in the state before the step, the request is sent with wrong fields, and then twice unchanged: it must be accepted at most once. seqqa
 * also searches for races of the action with itself if the stores allow it, for any setting of `exploration.races`.
 *
 * A request counts as accepted again if it is answered 2xx or 3xx and has an effect: it changes the stores, sets a new cookie, or its JSON has a new
 * token, session or code. A successful answer without such an effect is not a finding. Values of the request or of the first answer are not new.
 * Cookies that the client had before, or that a request with a wrong code also gets, are not new either. A change of the stores is not a finding if
 * the second answer differs from the first, and a request with a wrong code gets the same answer and changes the same fields, such as a count of
 * attempts. After an action that undid the effect, only the same effect in the stores counts. There is no finding if this action may also have made
 * the code valid again: its answer, the context or a changed row has the code, a row that the use replaced is back, or the second use changes each
 * field that the first use changed. Actions of state graphs, and actions with `changesStores`, are not tried.
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
  let using: Action<C, A> | undefined;
  let others: readonly Action<C, A>[] = [];
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
      using = requireAction(actions, "singleUse", use);
      others = actions.filter(
        (action) => action !== create && action !== using && action.changesStores.length === 0 && !(action instanceof EdgeAction),
      );
      return [];
    },
    when: ({ name }) => name === use,
    judge: async (world, step) => {
      const spent = writesOf(step.answers).at(-1) ?? step.answers.at(-1);
      if (spent === undefined || !accepted(spent)) return true;
      const isAgain =
        options.accepted ?? ((answer: ApiResponse) => isAccepted(answer) && (!isRedirect(answer) || isRedirectAlike(answer, spent)));
      const spending = new Spending(step, spent, isAgain);
      const senders =
        per === "user"
          ? []
          : [...step.guests.slice(0, 1), ...Object.keys(users).map((role) => world.clients[role] as unknown as ApiClient)];
      const body = withOtherPassword(spent.request.body);
      const attempts: readonly (readonly [how: string, changes?: Resent])[] = [
        ["when it was sent again"],
        ["when it was sent again after it was refused"],
        ...senders.map((by) => ["in another session", { by }] as const),
        ["when it was sent again after other sessions had tried"],
        ...(body === undefined ? [] : [["when it was sent again with a different password", { body }] as const]),
      ];
      for (const [how, changes] of attempts) {
        const problem = await spending.again(how, changes);
        if (problem !== undefined) return step.explain(problem.message, problem);
      }
      if (!spending.isPossible) return step.inconclusive("seqqa cannot send the request of the step again");
      const created = await createdAgain(world as never, create as never, step, codesIn(spent.request));
      if (created !== "new" && created !== "refused")
        step.inconclusive(
          `after ${create!.name} was called again, the code of the step was in ${created}, so the code may be valid again, and seqqa did not check whether it still works after a new code was created`,
          { partly: true },
        );
      const problem = created === "new" ? await spending.again(`after ${create!.name} was called again`) : undefined;
      if (problem !== undefined) return step.explain(problem.message, problem);
      const spoiled = spoiledBodies(spent.request.body);
      if (!step.canGoBack) return true;
      const afterAttempts = (bodies: readonly string[]): Earlier => ({
        earlier: async ({ explain }) => {
          for (const body of bodies) {
            const refused = await step.again(spent, { body });
            if (refused === undefined) return true;
            if (!isAgain(refused)) continue;
            // If the empty field is optional, the attempt is accepted and uses the code. Restore the state, and try again without this attempt.
            const left = bodies.filter((other) => other !== body);
            return left.length === 0 || afterAttempts(left);
          }
          const first = await step.again(spent);
          if (first === undefined || !accepted(first)) return true;
          const problem = await spending.again("when it was sent again after attempts with wrong fields were refused");
          return problem === undefined || explain(problem.message, problem);
        },
      });
      const attempted = spoiled.length === 0 || afterAttempts(spoiled);
      const afterUndoing = (undoing: readonly Action<C, A>[]): true | Earlier =>
        undoing.length === 0
          ? attempted
          : {
              earlier: async ({ explain }) => {
                const undo = new Undoing(world as never, step, spent, isAgain);
                const { left, problem } = await undo.tryAll(using as never, undoing as never, per === "user");
                return problem === undefined ? afterUndoing(left as never) : explain(problem.message, problem);
              },
            };
      return using instanceof EdgeAction ? attempted : afterUndoing(others);
    },
  });
}

/** A problem. `fields`: the changed fields of the stores, if the problem is only that these fields changed; see {@link CheckedStep.explain}. */
interface Problem {
  readonly message: string;
  readonly fields?: readonly string[] | undefined;
}

/** Uses the code in the state before the step, calls an action that undoes the effect, and then repeats the request with which the code was used. */
class Undoing {
  readonly #world: Calling;
  readonly #step: CheckedStep;
  readonly #spent: ApiResponse;
  readonly #accepted: (answer: ApiResponse) => boolean;

  constructor(world: Calling, step: CheckedStep, spent: ApiResponse, accepted: (answer: ApiResponse) => boolean) {
    this.#world = world;
    this.#step = step;
    this.#spent = spent;
    this.#accepted = accepted;
  }

  /**
   * Tries actions until one changes the state. Returns the problem if the code was then accepted with the same effect. `left`: the remaining actions,
   * which must be tried after the state was restored.
   * @param isOwn `true` if each user may use the code once. An action that changes the client, and thus perhaps the user, is then not judged.
   */
  async tryAll(
    use: Action,
    actions: readonly Action[],
    isOwn: boolean,
  ): Promise<{ readonly left: readonly Action[]; readonly problem?: Problem | undefined }> {
    const { stores, again, client, action: step } = this.#step;
    const unused = await stores();
    const first = await call(this.#world, use, []);
    const used = await stores();
    if (unused === undefined || used === undefined || first === undefined || first === UNANSWERED || unused.same(used)) return { left: [] };
    // If the action sent another code this time, such as a code that depends on the time, the code of the step is still unused.
    if (codesIn(first.request).texts.join("\n") !== codesIn(this.#spent.request).texts.join("\n")) return { left: [] };
    for (const [index, action] of actions.entries()) {
      const [version, written] = [versionOf(this.#world), [] as Written[]];
      const acting = clientPartOf(client)?.version;
      const answer = await call(this.#world, action, written);
      if (answer === UNANSWERED) return { left: [] };
      const undone = (await stores())!;
      if (undone.same(used, { strict: true }) && versionOf(this.#world) === version) continue;
      const left = actions.slice(index + 1);
      const isOther = isOwn && clientPartOf(client)?.version !== acting;
      if (answer === undefined || isOther || this.#isIssued(answer, written, used, undone) || bringsBackRows(unused, used, undone))
        return { left };
      const second = await again(this.#spent);
      if (second === undefined || !this.#accepted(second)) return { left };
      const after = (await stores())!;
      if (!redoes([unused, used], [undone, after]) || changesEveryField([unused, used], [undone, after])) return { left };
      const path = shownPath(pathOf(client, this.#spent) ?? "");
      const uses = `${step.name}: ${this.#spent.request.method} ${path} was accepted (${this.#spent.statusCode}), and again (${second.statusCode})`;
      const effect = `the second request changed the stores: ${storeChanges(undone, after)}`;
      const message = `${uses} after ${action.name} was called, which undid its effect: ${effect}`;
      return { left, problem: { message, fields: undone.changedFields(after) } };
    }
    return { left: [] };
  }

  /** Returns `true` if an action sent or returned the code, or wrote it to the context or the stores: the code may then be valid again. */
  #isIssued({ text, request }: ApiResponse, written: readonly Written[], before: StoresView, after: StoresView): boolean {
    const { texts } = codesIn(this.#spent.request);
    const tables = new Set([...before.tables.keys(), ...after.tables.keys()]);
    const rows = [...tables].flatMap((table) => [...rowsOnlyIn(after, before, table), ...rowsOnlyIn(before, after, table)]);
    return contextGives(written, texts) === "same" || hasAny([text, request.url, request.body ?? "", ...rows].join("\n"), texts);
  }
}

/** Repeats the request with which the code was used, and describes the effect if the request is accepted again. */
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

  /**
   * Sends the request again. Returns the problem if the request is accepted and has an effect; otherwise `undefined`. `how` continues the message
   * "was accepted, and again", such as "when it was sent again".
   */
  async again(how: string, changes: Resent = {}): Promise<Problem | undefined> {
    const { stores, again, client, action } = this.#step;
    const before = await stores();
    const sender = changes.by ?? client;
    const acting = clientPartOf(sender)?.save();
    const second = await again(this.#spent, changes);
    if (second === undefined) {
      this.isPossible = false;
      return undefined;
    }
    if (!this.#accepted(second)) return undefined;
    const effect = await this.#effect(before, second, { client: sender, acting });
    if (effect === undefined) return undefined;
    const { method } = this.#spent.request;
    const path = shownPath(pathOf(client, this.#spent) ?? "");
    const accepted = `${action.name}: ${method} ${path} was accepted (${this.#spent.statusCode}), and again (${second.statusCode})`;
    return { ...effect, message: `${accepted} ${how}: ${effect.message}` };
  }

  /** Describes the effect of the second request; `undefined` if the request has no effect. */
  async #effect(before: StoresView | undefined, second: ApiResponse, sender: Sender): Promise<Problem | undefined> {
    const after = await this.#step.stores();
    const isChanged = before !== undefined && after !== undefined && !before.same(after, { strict: true });
    if (isChanged && !(await this.#isRefusal(second, [before, after], sender)))
      return { message: `the second request changed the stores: ${storeChanges(before, after)}`, fields: before.changedFields(after) };
    if (await this.#isNewCookie(second, sender)) return { message: "the answer has a new cookie" };
    // The client of the step already has the values of the first answer. For any other client, these values are new.
    const known = sender.client === this.#step.client ? [this.#spent.text] : [];
    const credential = credentialIn(second, [textOf(this.#spent), textOf(second), ...known]);
    return credential === undefined ? undefined : { message: `the answer has "${credential}"` };
  }

  /**
   * Returns `true` if an answer sets a cookie that is new for the sender. Three kinds of cookies are not new, because any request sets or renews
   * them:
   * - cookies that the sender had before,
   * - cookies that the first answer set to the same value, if the sender is the client of the step,
   * - cookies that a request with a wrong code also gets.
   */
  async #isNewCookie(second: ApiResponse, sender: Sender): Promise<boolean> {
    const isSame = sender.client === this.#step.client;
    const had = cookiesSentWith(isSame ? this.#spent : second);
    const sent = cookiesSentWith(second);
    const first = new Map(isSame ? cookiesSetBy(this.#spent).map(({ name, value }) => [name, value] as const) : []);
    const cookies = cookiesSetBy(second).filter(
      ({ name, value }) => !had.has(name) && sent.get(name) !== value && first.get(name) !== value,
    );
    if (cookies.length === 0) return false;
    const routine = await this.#cookiesOfRefusal(sender);
    return cookies.some(({ name }) => !routine.has(name));
  }

  /**
   * Returns `true` if the second answer differs from the first, and a request with a wrong code gets the same answer and has the same kind of effect,
   * such as a count of attempts. The second request was then refused.
   */
  async #isRefusal(second: ApiResponse, [before, after]: StoreChange, sender: Sender): Promise<boolean> {
    const own = codesIn(this.#spent.request);
    const wrong = withWrongCode(this.#spent);
    // The request with a wrong code proves nothing if it may still contain the code.
    const isWrongIn = ({ request }: ApiResponse): boolean =>
      request.url !== this.#spent.request.url || (own.areNamed && !codesIn(request).texts.some((text) => own.texts.includes(text)));
    const isWrong = wrong !== undefined && isWrongIn(wrong);
    if (!isWrong || second.text === this.#spent.text) return false;
    const refusal = await this.#refused(sender);
    if (refusal?.statusCode !== second.statusCode || refusal.text !== second.text) return false;
    const last = await this.#step.stores();
    return last !== undefined && isDeepStrictEqual(before.changedFields(after), after.changedFields(last));
  }

  /** Returns the names of the cookies that the answer to a request with a wrong code sets. The sender's state is unchanged afterwards. */
  async #cookiesOfRefusal(sender: Sender): Promise<ReadonlySet<string>> {
    const answer = await this.#refused(sender);
    return new Set(answer === undefined ? [] : cookiesSetBy(answer).map(({ name }) => name));
  }

  /** Sends the request with a wrong code. Returns `undefined` if it has no code. The sender's state is unchanged afterwards. */
  async #refused({ client, acting }: Sender): Promise<ApiResponse | undefined> {
    const wrong = withWrongCode(this.#spent);
    if (wrong === undefined) return undefined;
    const part = clientPartOf(client);
    const now = part?.save();
    part?.restore(acting);
    const answer = await this.#step.again(wrong, { by: client });
    part?.restore(now);
    return answer;
  }
}

/** A client, and the state of this client (token, cookies) before it sent the request again. */
interface Sender {
  readonly client: ApiClient;
  readonly acting: unknown;
}

/**
 * Calls the `create` action once more, if it applies. Resolves to `refused` if it does not apply or is refused. Resolves to the place in which this
 * call used or returned a code of the repeated request, because that code may then be valid again. Otherwise resolves to `new`.
 */
async function createdAgain(
  world: Calling,
  create: Action,
  { stores }: CheckedStep,
  { texts, areNamed }: Codes,
): Promise<"refused" | "new" | "its request" | "its answer" | "the context" | "a row that it wrote"> {
  const written: Written[] = [];
  const before = await stores();
  const answer = await call(world, create, written);
  if (answer === undefined || answer === UNANSWERED) return "refused";
  const { url, body = "" } = answer.request;
  const sent = `${url}\n${body}`;
  if (areNamed && hasAny(sent, texts)) return "its request";
  // A value that both requests send, such as the same e-mail address, is not a code, unless the name of its field says that it is a code.
  const codes = areNamed ? texts : texts.filter((text) => !sent.includes(text));
  if (hasAny(answer.text, codes)) return "its answer";
  const given = contextGives(written, codes);
  if (given !== undefined) return given === "new" ? "new" : "the context";
  return rowsGive(before, await stores(), codes) ? "a row that it wrote" : "new";
}

function isAccepted(answer: ApiResponse): boolean {
  return answer.statusCode < 400 && !(isRedirect(answer) && isErrorLocation(answer.headers["location"] ?? "")) && !refusesInBody(answer);
}

/** Returns `true` if both answers redirect to the same path. If a code is refused, APIs often redirect to another page, such as the login. */
function isRedirectAlike(answer: ApiResponse, other: ApiResponse): boolean {
  const [a, b] = [answer, other].map(({ headers }) => (headers["location"] ?? "").split(/[?#]/)[0]);
  return isRedirect(other) && a === b;
}
