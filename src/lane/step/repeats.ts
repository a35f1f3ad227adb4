import { setTimeout as sleep } from "node:timers/promises";
import type { Exchange } from "../../model/http/client.ts";
import { msOf, signedTokens, timeKeyIn } from "../../state/index.ts";
import { contextText } from "../state/context-text.ts";
import type { SavedWorld } from "../state/saved-world.ts";
import type { Outcome } from "./outcome.ts";

/** How often a step is executed in total while the target is overloaded. */
const MOST_TRIES = 4;
/** After this number of consecutive steps whose repetitions did not help, each wait takes {@link SHORT_MS}. The number of tries does not change. */
const MOST_IN_VAIN = 3;
const SHORT_MS = 50;
/** The length of the shortest text that can contain a token. */
const SHORTEST_TOKEN = 20;
const MOST_KEPT = 10_000;
/** The number of experiments with equal states after which steps of the same kind are no longer repeated. */
const ENOUGH = 2;
/** The target's clock may be behind seqqa's clock by this time. A token that is older than this was not issued in the step that returned it. */
const CLOCKS_DIFFER_MS = 5_000;
const SECOND_MS = 1_000;

/** Returns `true` if a step with this outcome says nothing about the state, and should be executed again from the same state. */
export function isRepeated(outcome: Outcome): boolean {
  return outcome.mayRepeat === true || outcome.repeatAfterMs !== undefined;
}

/**
 * Repeats steps with a request that the target may or may not have executed: the server closed an idle connection just when the request was sent, or
 * the server was overloaded. The state must be restored before the step is repeated, because resending only the request could execute it twice.
 */
export class Repeats {
  #inVain = 0;
  #wait: AbortController | undefined;

  /** @param again Restores the state and executes the step. */
  async run(first: Outcome, again: () => Promise<Outcome>): Promise<Outcome> {
    let outcome = first;
    if (outcome.mayRepeat === true) outcome = await again();
    for (let tries = 1; outcome.repeatAfterMs !== undefined; tries++) {
      if (tries === MOST_TRIES || !(await this.#waited(this.#inVain >= MOST_IN_VAIN ? SHORT_MS : outcome.repeatAfterMs))) {
        this.#inVain++;
        return outcome;
      }
      outcome = await again();
      if (outcome.repeatAfterMs === undefined) this.#inVain = 0;
    }
    return outcome;
  }

  /** Ends the current wait, because the time limit of the run was reached. The step is then not repeated. */
  cut(): void {
    this.#wait?.abort();
  }

  async #waited(ms: number): Promise<boolean> {
    const { signal } = (this.#wait = new AbortController());
    await sleep(ms, undefined, { signal }).catch(() => undefined);
    return !signal.aborted;
  }
}

/** A token that a step returned although the state before the step held it already. */
export interface Reissued {
  readonly token: string;
  /**
   * A text that contains the action of the step, the holders of the token (clients and context keys; the stores if there are no others), and the
   * actions that issued tokens with the same times.
   */
  readonly kind: string;
}

/** The part of a checkpoint that shows where tokens are. A token is in the stores if its times are in `origins`. */
type Holders = Pick<SavedWorld, "setBy" | "context" | "origins">;

/**
 * Finds steps that issued a token which the state already contained. Tokens often contain times in whole seconds, so two logins of one user within a
 * second return the same token, and two logins in different seconds return different tokens. The lane executes such a step again in the next second,
 * so that the state after a login does not depend on the speed of the lane. If experiments show that a kind of step reaches the same state in both
 * cases, for example because the new token replaces the old one, later steps of this kind are not repeated.
 */
export class Reissues {
  /** Tokens that the target also returned when the step was repeated in the next second, such as the token of an existing session. */
  readonly #constant: Set<string> = new Set();
  /**
   * Key: {@link Reissued.kind}. Value: the number of experiments in which the step reached the same state in the same second and in the next second.
   */
  readonly #alike: Map<string, number> = new Map();

  /**
   * Returns the tokens that the requests of a step returned although the state before the step already contained these tokens. Leaves out tokens if a
   * repetition of the step is known to reach the same state. @param startMs when the step began, in milliseconds since 1970
   */
  among(action: string, exchanges: readonly Exchange[], before: Holders, startMs: number): readonly Reissued[] {
    // Reading the text of an answer can be costly.
    if (!mayHoldTokens(before)) return [];
    const secondMs = startMs - (startMs % SECOND_MS);
    const isRecent = ({ token, timesMs, isRead }: ReturnedToken): boolean =>
      !this.#constant.has(token) && timesMs.every((ms) => ms >= (isRead ? secondMs : startMs - CLOCKS_DIFFER_MS));
    return tokensIn(exchanges)
      .filter(isRecent)
      .flatMap(({ token, timesMs, isRead }) => {
        const inStores = timesMs.some((ms) => before.origins.times.has(timeKeyIn(ms, token)));
        const own = holdersOf(token, before);
        const holders = own.length === 0 && inStores ? ["stores"] : own;
        const issuers = issuersOf(timesMs, before);
        // An action that did not issue the token may list it, too. Until experiments have shown which values are times, the issuer is unknown.
        if (holders.length === 0 || (isRead && issuers.length > 0 && !issuers.includes(action))) return [];
        const kind = JSON.stringify([action, holders, issuers]);
        return (this.#alike.get(kind) ?? 0) >= ENOUGH ? [] : [{ token, kind }];
      });
  }

  /**
   * Records what an experiment shows: a step returned tokens again, and was executed once more in the next second.
   *
   * @param again The tokens that the second execution returned although the state already contained them.
   * @param after The state after the second execution.
   * @param isAlike `true` if both executions reached the same state.
   */
  note(reissued: readonly Reissued[], again: readonly Reissued[], after: Holders, isAlike: boolean): void {
    if (this.#constant.size > MOST_KEPT) this.#constant.clear();
    const constant = new Set(again.map(({ token }) => token));
    for (const { token, kind } of reissued) {
      if (constant.has(token)) this.#constant.add(token);
      else if (isAlike && holdersOf(token, after).length === 0) this.#alike.set(kind, (this.#alike.get(kind) ?? 0) + 1);
      else this.#alike.delete(kind);
    }
  }
}

/** Returns the clients and context keys that hold a token. */
function holdersOf(token: string, { setBy, context }: Holders): readonly string[] {
  const clients = setBy.flatMap(({ text }, index) => (text.includes(token) ? [`client ${index}`] : []));
  if (!contextText(context).includes(token)) return clients;
  const keys = [...context.entries].filter((entry) => contextText({ entries: new Map([entry]) }).includes(token));
  return [...clients, ...keys.map(([key]) => `context ${key}`)];
}

/** Returns the actions that issued tokens with one of the times. */
function issuersOf(timesMs: readonly number[], { origins }: Holders): readonly string[] {
  const issuers = [...origins.times].flatMap(([key, { source }]) =>
    source !== undefined && timesMs.includes(msOf(key)) ? [source.slice(0, source.lastIndexOf("@"))] : [],
  );
  return [...new Set(issuers)].toSorted();
}

function mayHoldTokens({ origins, setBy, context }: Holders): boolean {
  if (origins.times.size > 0 || setBy.some(({ text }) => text.length > SHORTEST_TOKEN)) return true;
  for (const value of context.entries.values()) if (holdsLongText(value)) return true;
  return false;
}

/** Returns `true` if a value may contain a text that is long enough for a token. Objects other than plain ones and arrays count as such values. */
function holdsLongText(value: unknown): boolean {
  if (typeof value === "string") return value.length > SHORTEST_TOKEN;
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsLongText);
  if (Object.getPrototypeOf(value) !== Object.prototype) return true;
  for (const key in value) if (key.length > SHORTEST_TOKEN || holdsLongText((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** Returns `true` if a step may have issued a token; see {@link tokensIn}. */
export function issuesToken(exchanges: readonly Exchange[]): boolean {
  return tokensIn(exchanges).length > 0;
}

type ReturnedToken = ReturnType<typeof signedTokens>[number] & {
  /** `true` if the token is in the answer to a GET, which may list tokens of earlier steps, too. */
  readonly isRead: boolean;
};

/**
 * Returns the tokens that a step may have issued. A step that only reads issues no token. A step that writes may read its token with a later GET, for
 * example from a mailbox. A token from a GET only counts if it contains times.
 */
function tokensIn(exchanges: readonly Exchange[]): readonly ReturnedToken[] {
  const responses = exchanges.flatMap((one) => (one.kind === "answer" ? [one.response] : []));
  if (responses.every(({ request }) => request.method === "GET")) return [];
  return responses.flatMap(({ request, text, headers }) => {
    const isRead = request.method === "GET";
    return [text, headers["set-cookie"] ?? ""]
      .flatMap((one) => (one.length > SHORTEST_TOKEN ? signedTokens(one) : []))
      .flatMap((one) => (isRead && one.timesMs.length === 0 ? [] : [{ ...one, isRead }]));
  });
}
