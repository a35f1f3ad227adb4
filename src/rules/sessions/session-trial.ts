import { Action } from "../../model/declare/action.ts";
import { EdgeAction } from "../../model/declare/state-graph/edge-action.ts";
import type { CheckedStep } from "../../model/declare/rule.ts";
import type { World } from "../../model/declare/world.ts";
import { clientPartOf, type ApiClient } from "../../model/http/client.ts";
import type { Context } from "../../model/context/context.ts";
import { ApiResponse } from "../../model/http/response.ts";
import { leavesOf } from "../intruder/owners-view.ts";
import { isGranted, isRedirect } from "../requests.ts";
import type { SessionEndsOptions } from "./options.ts";
import { copyOf, emptyLike, endingAnswers, isAlike, requestOf, showsSession, statusOf, type Session } from "./session.ts";

/**
 * The result of a trial. `works`: a session still works. `ended`: no session works. `unknown`: the rule is inconclusive. `partly` is `true` if the
 * sessions that could be tried have ended, but other sessions could not be tried. `one session`: the logins of the trial ended the session of the
 * client, so the trial must be repeated with this session alone.
 */
export type TrialOutcome =
  | { readonly kind: "one session" }
  | { readonly kind: "works"; readonly problem: string }
  | { readonly kind: "ended" }
  | { readonly kind: "unknown"; readonly why: string; readonly partly?: boolean };

/** A step that ends sessions, with the data that a trial needs. */
export interface TriedStep<C extends object, A> {
  readonly world: World<C, A>;
  readonly step: CheckedStep;
  readonly isLogout: boolean;
  /** The action of the step; `undefined` if the rule has no action with the name of the step. */
  readonly action: Action<C, A> | undefined;
  /** The context after the step, such as a new password. `world.context` is the context before the step. */
  readonly after: Context<C>;
  /** The delay in milliseconds between the logins and the request that ends the sessions. */
  readonly ageMs: number;
  /** `true` if a login ends the earlier session of the user. The trial then opens no other session. */
  readonly hasOneSession: boolean;
}

const ENDED: TrialOutcome = { kind: "ended" };
const unknown = (why: string): TrialOutcome => ({ kind: "unknown", why });
const partlyUnknown = (why: string): TrialOutcome => ({ kind: "unknown", why, partly: true });

/** Minimum number of characters of a context text that is searched for in requests. Shorter texts occur in requests by chance. */
const SHORTEST = 8;

/** Opens sessions in the state before a step, ends them with the requests of the step, and tries each session again. */
export class SessionTrial<C extends object, A> {
  readonly #options: SessionEndsOptions<C, A>;
  readonly #tried: TriedStep<C, A>;
  readonly #sessions: Session<C>[] = [];
  readonly #refused = new Set<string>();

  constructor(options: SessionEndsOptions<C, A>, tried: TriedStep<C, A>) {
    this.#options = options;
    this.#tried = tried;
  }

  async outcome(): Promise<TrialOutcome> {
    const { step, isLogout, ageMs, after } = this.#tried;
    const { guests, action } = step;
    const unprotected = guests[2] === undefined ? undefined : await this.#worksForAll(guests[2]);
    if (unprotected !== undefined)
      return unknown(
        `the request of \`check\` is answered ${unprotected.statusCode} without a session; let \`check\` send a request that needs a session`,
      );
    await this.#openAll();
    // Each login already ends the user's other sessions, so this step cannot violate the rule.
    if (this.#sessions.length === 0 && this.#tried.hasOneSession)
      return partlyUnknown(`${ONE_SESSION}, so the user had no other session before the step`);
    if (this.#sessions.length === 0) return unknown(`the user had no working session before the step (${this.#answers()})`);
    const obstacle = this.#obstacle();
    if (ageMs > 0) await sleep(ageMs);
    const ending = endingAnswers(step, isLogout);
    for (const answer of ending) {
      const again = await this.#again(answer);
      if (again === undefined || !isAlike(again, answer)) return this.#notSent();
    }
    // After a 202, the target may still execute the request. Reading the stores waits until they no longer change.
    if (ending.some(({ statusCode }) => statusCode === 202)) await step.stores();
    const ended = `${action.name} was answered ${ending.at(-1)!.statusCode}`;
    const still = await this.#stillWorking(true);
    if (still !== undefined) return { kind: "works", problem: `${ended}, and ${still}` };
    if (guests[2] !== undefined) {
      // A login that throws, such as a helper that requires status 200, has opened no session.
      await this.#open(guests[2], copyOf(after)).catch(() => undefined);
      const revived = await this.#stillWorking(false);
      if (revived !== undefined) return { kind: "works", problem: `${ended}; once the user has logged in again, ${revived}` };
    }
    if (isLogout && this.#options.refresh !== undefined) return this.#renewedAfterLogout(ended);
    return obstacle ?? ENDED;
  }

  /** Sends the request of an answer again. If the action sent no request, such as a move of the clock, calls the action again. */
  async #again(answer: ApiResponse): Promise<ApiResponse | undefined> {
    const { step, action, world } = this.#tried;
    if (answer.request.method !== "CALL" || action === undefined || action instanceof EdgeAction) return step.again(answer);
    return (await action.run(step.client as A, copyOf(world.context))) ?? undefined;
  }

  /**
   * Returns the outcome of a trial in which the requests of the step could not be sent again. The logins of the trial may have ended the session of
   * the client.
   */
  async #notSent(): Promise<TrialOutcome> {
    const { world, step } = this.#tried;
    const hasOpened = this.#sessions.some(({ what }) => what === ANOTHER);
    if (hasOpened && !showsSession(await this.#check({ client: step.client, context: world.context }))) return { kind: "one session" };
    return unknown("seqqa cannot send the requests of the step again");
  }

  async #openAll(): Promise<void> {
    const { world, step, isLogout, hasOneSession } = this.#tried;
    const { as, keepsCurrent = false } = this.#options;
    const users = as === undefined ? world.api : world.clients[as];
    if (isLogout || (!keepsCurrent && users !== undefined)) {
      const client = isLogout ? step.client : (users as unknown as ApiClient);
      // The client may belong to another user: an administrator often sends the suspension, and the administrator's session does not end.
      const what = `the session of the client${isLogout || as !== undefined ? "" : " (set `as` if this is another user's client)"}`;
      await this.#add({ what, client, context: world.context, login: undefined });
    }
    for (const client of isLogout || hasOneSession ? [] : step.guests.slice(0, 2)) {
      const context = copyOf(world.context);
      const login = await this.#open(client, context);
      await this.#add({ what: ANOTHER, client, context, login });
    }
  }

  /**
   * Returns the outcome `unknown` if the user's other sessions cannot be tried or renewed; `undefined` if all can. The rule for actions of `after` is
   * about these other sessions, so the rule is fully inconclusive if none can be tried.
   */
  #obstacle(): TrialOutcome | undefined {
    const { isLogout, step, hasOneSession } = this.#tried;
    if (isLogout) return undefined;
    if (hasOneSession)
      return this.#options.refresh === undefined ? undefined : partlyUnknown(`\`refresh\` was not tried, because ${ONE_SESSION}`);
    const others = this.#sessions.filter(({ what }) => what === ANOTHER);
    if (step.guests.length === 0)
      return unknown("seqqa cannot make clients for other sessions of the user, so only the session of the client was tried");
    if (others.length === 0)
      return unknown(`\`login\` opened no other session of the user, so only the session of the client was tried (${this.#answers()})`);
    return this.#options.refresh !== undefined && others.some(({ login }) => login === undefined) ? partlyUnknown(NO_LOGIN) : undefined;
  }

  #answers(): string {
    return `answers: ${[...this.#refused].toSorted().join("; ")}`;
  }

  async #open(client: ApiClient, context: Context<C>): Promise<ApiResponse | undefined> {
    const { login } = this.#options;
    const answer: unknown = await (login instanceof Action ? login.run(client as A, context) : login(client as A, context));
    return answer instanceof ApiResponse ? answer : undefined;
  }

  async #add(session: Omit<Session<C>, "acting">): Promise<boolean> {
    const answer = await this.#check(session);
    if (showsSession(answer)) this.#sessions.push({ ...session, acting: clientPartOf(session.client)?.save() });
    else this.#refused.add(`${session.login === undefined ? "" : `login ${session.login.statusCode}, `}check ${statusOf(answer)}`);
    return showsSession(answer);
  }

  async #check({ client, context }: Pick<Session<C>, "client" | "context">): Promise<ApiResponse> {
    const answer: unknown = await this.#options.check(client as A, context);
    if (answer instanceof ApiResponse) return answer;
    throw new TypeError("`check` of sessionEnds returned no response; return the answer of its request.");
  }

  /**
   * Returns the answer if `check` succeeds without a session; otherwise `undefined`. A check that needs no session cannot show which sessions work.
   */
  async #worksForAll(guest: ApiClient): Promise<ApiResponse | undefined> {
    const part = clientPartOf(guest);
    const acting = part?.save();
    try {
      const answer = await this.#check({ client: guest, context: emptyLike(this.#tried.world.context) });
      return showsSession(answer) ? answer : undefined;
    } catch {
      // Ignore the error: without a session, the check may lack a value that a login stores in the context.
      return undefined;
    } finally {
      part?.restore(acting);
    }
  }

  /**
   * Sends the request of `check` with the saved token and cookies of each session. `isRenewed`: also tries to renew each session. Returns a
   * description of the first session that still works; `undefined` if no session works.
   */
  async #stillWorking(isRenewed: boolean): Promise<string | undefined> {
    for (const session of this.#sessions) {
      const part = clientPartOf(session.client);
      part?.restore(session.acting);
      // If a move of the clock ended the session, its cookies have expired, too. Send them nevertheless: an attacker may have a copy of the cookies.
      part?.sendExpired?.(true);
      try {
        const answer = await this.#check(session);
        if (showsSession(answer)) return `${session.what} still works: ${requestOf(answer)} was answered ${answer.statusCode}`;
        const renewal = isRenewed ? await this.#renewed(session) : undefined;
        if (renewal !== undefined) return `${session.what} ${renewal}`;
      } finally {
        part?.sendExpired?.(false);
      }
    }
    return undefined;
  }

  async #renewed({ client, acting, login }: Session<C>): Promise<string | undefined> {
    const { refresh } = this.#options;
    if (refresh === undefined || login === undefined) return undefined;
    clientPartOf(client)?.restore(acting);
    const answer = await refresh(client as A, login);
    return showsSession(answer) ? `can still be renewed: ${requestOf(answer)} was answered ${answer.statusCode}` : undefined;
  }

  /**
   * Opens another session, ends it with the step's action, and tries to renew it. The session of the step's client cannot be used, because the answer
   * of its login is not known.
   */
  async #renewedAfterLogout(ended: string): Promise<TrialOutcome> {
    const { world, step, action, ageMs } = this.#tried;
    const [client] = step.guests;
    const notTried = (why: string): TrialOutcome => partlyUnknown(`\`refresh\` was not tried, because ${why}`);
    if (client === undefined) return notTried("seqqa cannot make a client for another session of the user");
    if (action === undefined || action instanceof EdgeAction) return notTried(`${step.action.name} is an edge of a state graph`);
    const context = copyOf(world.context);
    const login = await this.#open(client, context);
    if (login === undefined) return partlyUnknown(NO_LOGIN);
    this.#refused.clear();
    if (!(await this.#add({ what: `${ANOTHER}, ended in the same way,`, client, context: copyOf(context), login })))
      return notTried(`\`login\` opened no other session of the user (${this.#answers()})`);
    const session = this.#sessions.at(-1)!;
    if (ageMs > 0) await sleep(ageMs);
    const out = await action.run(client as A, context);
    if (out === null || !(isGranted(out) || isRedirect(out))) return notTried(`${action.name} was refused for another session of the user`);
    if (sendsOther(out, world.context, login)) return notTried(`${action.name} sends a value of the context that \`login\` does not set`);
    clientPartOf(client)?.restore(session.acting);
    if (showsSession(await this.#check(session))) return notTried(`${action.name} did not end another session of the user`);
    const renewal = await this.#renewed(session);
    return renewal === undefined ? ENDED : { kind: "works", problem: `${ended}, and ${session.what} ${renewal}` };
  }
}

async function sleep(ms: number): Promise<void> {
  await new Promise<void>((resolve) => void setTimeout(resolve, ms));
}

const ANOTHER = "another session of the user";
const ONE_SESSION = "a login ends the earlier session of the user";
const NO_LOGIN = "`refresh` was not tried, because `login` returned no response";

/** Returns `true` if a request contains a text of the user's context that is not in the login's answer, such as another session's refresh token. */
function sendsOther<C extends object>({ request: { url, body = "" } }: ApiResponse, owners: Context<C>, login: ApiResponse): boolean {
  return leavesOf(owners.toJSON(), "").some(
    ([, text]) => text.length >= SHORTEST && (body.includes(text) || url.includes(text)) && !login.text.includes(text),
  );
}
