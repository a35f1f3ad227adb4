import { setTimeout as sleep } from "node:timers/promises";
import type { Action } from "../../model/declare/action.ts";
import type { Exchange } from "../../model/http/client.ts";
import { isWithinSeconds, NEXT_SECOND, type Knowledge } from "../../state/index.ts";
import type { WorldState } from "../state/world-state.ts";
import { issuesToken } from "./repeats.ts";

/**
 * Decides if a step waits for the next second before it begins, so that the step has the same result on fast and on slow lanes. Remembers which
 * actions issue tokens.
 */
export class StepTurns {
  /** `true` if the target compares times in whole seconds, so that steps wait for the next second. */
  waitsForSeconds = false;
  /** `true` if steps that may issue a token wait for the next second, because they cannot be repeated; see `Reissues`. */
  waitsForTokens = false;
  /**
   * `true` if the target writes times that are only a few whole seconds ahead. A step then begins in the first half of a second, because at the end of
   * a second such a time would be over at once, or would not show its offset.
   */
  beginsEarly = false;
  /** Key: the name of an action. Value: `true` if a call of the action returned a token, `false` if no call has returned a token so far. */
  readonly #issuers: Map<string, boolean> = new Map();
  readonly #state: Partial<Pick<WorldState, "msToNextSecond" | "msToOtherTokens" | "msToEarlyStep">>;

  constructor(state: Partial<Pick<WorldState, "msToNextSecond" | "msToOtherTokens" | "msToEarlyStep">>) {
    this.#state = state;
  }

  /** `true` if some steps wait before they begin; see {@link wait}. */
  get waits(): boolean {
    return this.waitsForSeconds || this.waitsForTokens || this.beginsEarly;
  }

  /** Sets which steps wait, from what experiments showed. */
  know({ ordered, times }: Pick<Knowledge, "ordered" | "times">): void {
    this.waitsForSeconds = ordered.includes(NEXT_SECOND);
    this.beginsEarly = times.some(isWithinSeconds);
  }

  /** Waits for the next second if the result of the action depends on the second. */
  async wait({ name }: Pick<Action<never, never>, "name">): Promise<void> {
    if (this.waitsForSeconds) return this.nextSecond();
    const forToken = this.waitsForTokens && this.#issuers.get(name) !== false ? (this.#state.msToOtherTokens ?? 0) : 0;
    const ms = Math.max(forToken, this.beginsEarly ? (this.#state.msToEarlyStep ?? 0) : 0);
    if (ms > 0) await sleep(ms + 1);
  }

  /** Waits for the next second if the state holds a time in the present second. */
  async nextSecond(): Promise<void> {
    const ms = this.#state.msToNextSecond ?? 0;
    if (ms > 0) await sleep(ms + 1);
  }

  /**
   * Records if an action issues tokens. A refused call does not show if the action issues tokens, so it is not recorded. @param exchanges the
   * requests of a call of the action
   */
  note({ name }: Pick<Action<never, never>, "name">, exchanges: readonly Exchange[]): void {
    if (this.#issuers.get(name) === true) return;
    if (issuesToken(exchanges)) {
      this.#issuers.set(name, true);
      this.waitsForTokens = true;
    } else if (exchanges.some((one) => one.kind === "answer" && one.response.ok)) this.#issuers.set(name, false);
  }
}
