/** Who may use a connection, one after the other: a session of the target's, or nobody in particular (`undefined`): us. */
type Owner = object | undefined;

interface Job {
  readonly owner: Owner;
  readonly run: () => Promise<void>;
  readonly refuse: (error: Error) => void;
  timer: NodeJS.Timeout | undefined;
}

export interface Waiting {
  /** How long, in milliseconds, somebody else's transaction is waited for. */
  readonly limitMs: number;
  readonly giveUp: () => Error;
}

/**
 * Takes turns on one connection. Inside a transaction of one session everybody else waits, as on a pool of connections they would
 * not see what it did; the work of each session is done in the order in which it was given.
 */
export class Turns {
  readonly #jobs: Job[] = [];
  #busy = false;
  /** The session that is inside a transaction. */
  holder: Owner;

  /** Nobody works, waits, or is inside a transaction. */
  get quiet(): boolean {
    return !this.#busy && this.#jobs.length === 0 && this.holder === undefined;
  }

  /** `work` begins at once when nobody is before it. */
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

  /** Only the wait for another's transaction is limited: a statement may take as long as it takes. */
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
