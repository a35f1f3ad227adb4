/** Milliseconds before the rate of a phase is meaningful. */
const MEANINGFUL = 3000;

/** Work of a known size, such as pairs to probe or findings to replay. */
export interface Share {
  readonly done: number;
  readonly all: number;
}

/** Estimates the remaining time of one phase of a run from its rate so far. An estimate at most halves or doubles from one line to the next. */
export class TimeLeft {
  readonly #now: () => number;
  #phase = "";
  #began = { at: 0, done: 0 };
  #last: { readonly at: number; readonly left: number } | undefined;

  /** @param now Milliseconds of a monotonic clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the milliseconds until the phase is done; `undefined` before its rate is meaningful. */
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
