/** Number of calls of {@link SpotCheck.due} that return `true` at the beginning. Later, one call in {@link ONE_IN} returns `true`. */
const FIRST = 100;
const ONE_IN = 200;

/** Decides if a restored or reached state must be compared with the recorded state: always at the beginning, later only sometimes. */
export class SpotCheck {
  #times = 0;

  due(): boolean {
    this.#times++;
    return this.#times <= FIRST || this.#times % ONE_IN === 0;
  }
}
