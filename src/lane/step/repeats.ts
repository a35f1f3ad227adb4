import { setTimeout as sleep } from "node:timers/promises";
import type { Outcome } from "./outcome.ts";

/** How often a step is executed in total while the target is overloaded. */
const MOST_TRIES = 4;
/** After this number of consecutive steps whose repetitions did not help, each wait takes {@link SHORT_MS}. The number of tries does not change. */
const MOST_IN_VAIN = 3;
const SHORT_MS = 50;

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
