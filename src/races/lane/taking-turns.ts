/** Lets simultaneous calls send one request at a time, in a given order of calls. A call that has ended loses its remaining turns. */
export class TakingTurns {
  readonly #turns: number[];
  readonly #left = new Set<number>();
  /** For each call, its requests that wait to be sent, oldest first. Calling a function sends the request. */
  readonly #waiting = new Map<number, (() => void)[]>();
  #isBusy = false;

  constructor(turns: readonly number[]) {
    this.#turns = [...turns];
  }

  async take<T>(side: number, send: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin) => {
      this.#waiting.set(side, [...(this.#waiting.get(side) ?? []), begin]);
      this.#next();
    });
    try {
      return await send();
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  leave(side: number): void {
    this.#left.add(side);
    this.#next();
  }

  #next(): void {
    if (this.#isBusy) return;
    while (this.#turns.length > 0 && this.#left.has(this.#turns[0]!)) this.#turns.shift();
    // Let any waiting call send its request when all turns are used.
    const side = this.#turns[0] ?? [...this.#waiting].find(([, begins]) => begins.length > 0)?.[0];
    const begin = side === undefined ? undefined : this.#waiting.get(side)?.shift();
    if (begin === undefined) return;
    this.#turns.shift();
    this.#isBusy = true;
    begin();
  }
}
