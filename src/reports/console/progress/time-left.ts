/** Milliseconds after which the speed of a phase can be used for an estimate. */
const MEANINGFUL = 3000;

/** Work whose total amount is known, such as findings to replay: `done` of `all` are finished. */
export interface Share {
  readonly done: number;
  readonly all: number;
}

/**
 * Estimates the remaining time of a phase of a run from the speed so far. A new estimate is between half and twice the time that remains according to
 * the previous estimate, so that the displayed time does not jump.
 */
export class TimeLeft {
  readonly #now: () => number;
  #phase = "";
  #began = { at: 0, done: 0 };
  #last: { readonly at: number; readonly left: number } | undefined;

  /** @param now Returns the time in milliseconds on a clock that never goes back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the estimated milliseconds until the phase ends; `undefined` at its beginning, when the speed is not yet known. */
  of(phase: string, { done, all }: Share): number | undefined {
    const at = this.#now();
    if (phase !== this.#phase || done < this.#began.done) {
      this.#phase = phase;
      this.#began = { at, done };
      this.#last = undefined;
    }
    const [spent, made] = [at - this.#began.at, done - this.#began.done];
    if (spent < MEANINGFUL || made === 0) return undefined;
    const left = ((all - done) * spent) / made;
    const expected = this.#last === undefined ? left : Math.max(this.#last.left - (at - this.#last.at), 0);
    const shown = done >= all ? 0 : Math.min(Math.max(left, expected / 2), Math.max(expected * 2, 1000));
    this.#last = { at, left: shown };
    return shown;
  }
}
