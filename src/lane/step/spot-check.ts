/** This number of results, from the first one on, are all verified. Later, one result in {@link ONE_IN} is verified. */
const FIRST = 100;
const ONE_IN = 200;

/** Decides if a result must be verified: always at the beginning, later only sometimes. */
export class SpotCheck {
  #times = 0;

  due(): boolean {
    this.#times++;
    return this.#times <= FIRST || this.#times % ONE_IN === 0;
  }
}
