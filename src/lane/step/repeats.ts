import { setTimeout as sleep } from "node:timers/promises";
import type { Exchange } from "../../model/http/client.ts";
import { signedTokens } from "../../state/index.ts";
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
/** The clock of the target may be behind ours by this time. A token that is older was not issued in the step that returned it. */
const CLOCKS_DIFFER_MS = 5_000;

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

/**
 * Finds steps that issued a token again that the state held already. Tokens often contain times in whole seconds, so two logins of one user within a
 * second return the same token, and two logins in different seconds return different tokens. The lane executes such a step again in the next second,
 * so that the state after a login does not depend on the speed of the lane.
 */
export class Reissues {
  /** Tokens that were returned again in another second, too, such as the token of a session that the target returns instead of a new one. */
  readonly #constant: Set<string> = new Set();

  /** Returns the tokens that the requests of a step returned although the state before the step held them already. @param startMs when the step began */
  among(exchanges: readonly Exchange[], before: Pick<SavedWorld, "setBy" | "context">, startMs: number): readonly string[] {
    const isRecent = ({ token, timesMs }: SignedToken): boolean =>
      !this.#constant.has(token) && timesMs.every((ms) => ms >= startMs - CLOCKS_DIFFER_MS);
    const recent = exchanges
      .flatMap(tokensIn)
      .filter(isRecent)
      .map(({ token }) => token);
    if (recent.length === 0) return [];
    const held = [...before.setBy.map(({ text }) => text), contextText(before.context)];
    return recent.filter((token) => held.some((text) => text.includes(token)));
  }

  /** Records tokens that are the same in the next second, so that steps which return them are not repeated. */
  keep(tokens: readonly string[]): void {
    if (this.#constant.size > MOST_KEPT) this.#constant.clear();
    for (const token of tokens) this.#constant.add(token);
  }
}

type SignedToken = ReturnType<typeof signedTokens>[number];

/** Returns `true` if a request of a step that may write returned a token with times. */
export function issuesToken(exchanges: readonly Exchange[]): boolean {
  return exchanges.flatMap(tokensIn).length > 0;
}

function tokensIn(exchange: Exchange): readonly SignedToken[] {
  if (exchange.kind !== "answer" || exchange.response.request.method === "GET") return [];
  const { text, headers } = exchange.response;
  return [text, headers["set-cookie"] ?? ""].flatMap((one) => (one.length > SHORTEST_TOKEN ? signedTokens(one) : []));
}
