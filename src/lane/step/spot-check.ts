/** Number of verifications before only one in {@link ONE_IN} results is verified. */
const FIRST = 100;
const ONE_IN = 200;

/** Decides when to verify a result: always at first, later only sometimes. */
export class SpotCheck {
  #times = 0;

  due(): boolean {
    this.#times++;
    return this.#times <= FIRST || this.#times % ONE_IN === 0;
  }
}
