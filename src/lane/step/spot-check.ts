/** Number of times that everything is verified at first; later it is one time in {@link ONE_IN}. */
const FIRST = 100;
const ONE_IN = 200;

/** Decides when to verify: always at first, now and then later. */
export class SpotCheck {
  #times = 0;

  due(): boolean {
    this.#times++;
    return this.#times <= FIRST || this.#times % ONE_IN === 0;
  }
}
