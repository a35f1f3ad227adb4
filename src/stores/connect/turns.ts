/** The user of a connection: a session of the target, or `undefined` for seqqa itself. */
type Owner = object | undefined;

interface Job {
  readonly owner: Owner;
  readonly run: () => Promise<void>;
  readonly refuse: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
}

export interface Waiting {
  /** The maximum number of milliseconds that work waits for the end of another session's transaction. */
  readonly limitMs: number;
  readonly giveUp: () => Error;
}

/**
 * Lets several sessions share one database connection. While one session is in a transaction, all other sessions wait, because they must not see the
 * uncommitted writes of the transaction. The work of each session runs in order.
 */
export class Turns {
  readonly #jobs: Job[] = [];
  #busy = false;
  /** The session that is in a transaction; `undefined` if there is none. */
  holder: Owner;

  /** `true` if no work is running or queued, and no session is in a transaction. */
  get quiet(): boolean {
    return !this.#busy && this.#jobs.length === 0 && this.holder === undefined;
  }

  /**
   * Queues `work`, and begins it immediately if nothing blocks it. Rejects with the error of `waiting.giveUp` if another session's transaction lasts
   * too long.
   */
  take<T>(owner: Owner, work: () => Promise<T>, waiting: Waiting): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const run = (): Promise<void> => work().then(resolve, reject);
      const job: Job = { owner, run, refuse: reject, timer: undefined };
      this.#jobs.push(job);
      this.#next();
      if (this.#jobs.includes(job)) this.#limit(job, waiting);
    });
  }

  #next(): void {
    if (this.#busy) return;
    const at = this.holder === undefined ? 0 : this.#jobs.findIndex(({ owner }) => owner === this.holder);
    const job = this.#jobs[at];
    if (job === undefined) return;
    this.#jobs.splice(at, 1);
    clearTimeout(job.timer);
    this.#busy = true;
    void job.run().finally(() => {
      this.#busy = false;
      this.#next();
    });
  }

  /** Limits the time that a job waits for another session's transaction. Does not limit the time of a running statement. */
  #limit(job: Job, { limitMs, giveUp }: Waiting): void {
    let held = this.holder;
    let since = performance.now();
    const look = (): void => {
      if (this.holder !== held || held === undefined) {
        held = this.holder;
        since = performance.now();
      } else if (performance.now() - since >= limitMs) {
        this.#jobs.splice(this.#jobs.indexOf(job), 1);
        return job.refuse(giveUp());
      }
      job.timer = setTimeout(look, Math.min(limitMs, 250));
    };
    job.timer = setTimeout(look, Math.min(limitMs, 250));
  }
}
