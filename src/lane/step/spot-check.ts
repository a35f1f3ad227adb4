/** Everything is verified this many times first, then one time in {@link ONE_IN}. */
const FIRST = 100;
const ONE_IN = 200;

/** Says when something is to be verified: always at first, now and then later. */
export class SpotCheck {
  #times = 0;

  due(): boolean {
    this.#times++;
    return this.#times <= FIRST || this.#times % ONE_IN === 0;
  }
}
