interface Member {
  readonly name: string;
  lanes: number;
  heardAt: number;
  /** `true` after the worker has brought its lanes to the root state of the run. */
  isReady: boolean;
  isGone: boolean;
  /** `true` after the worker has sent the message that it leaves. */
  hasLeft: boolean;
}

/** A worker that sends nothing for this many milliseconds counts as lost. */
const SILENT_MS = 6000;
/** Like {@link SILENT_MS}, for a worker that is bringing up its lanes. The time is longer, because bringing up lanes may delay heartbeats. */
const COMING_MS = 15_000;

/** The workers of one exploration. */
export class WorkerRegistry {
  readonly #members: Map<string, Member> = new Map();
  readonly #onNote: (message: string) => void;
  readonly #now: () => number;

  constructor(onNote: (message: string) => void, now: () => number = () => performance.now()) {
    this.#onNote = onNote;
    this.#now = now;
  }

  /** Number of lanes that can execute chunks, over all workers. */
  get lanes(): number {
    let lanes = 0;
    for (const member of this.#members.values()) if (member.isReady && !member.isGone) lanes += member.lanes;
    return lanes;
  }

  /** Number of workers with lanes that can execute chunks. */
  get size(): number {
    return [...this.#members.values()].filter(({ isReady, isGone }) => isReady && !isGone).length;
  }

  /** `true` if some worker is still bringing up its lanes. */
  get isAwaited(): boolean {
    return [...this.#members.values()].some(({ isReady, isGone }) => !isReady && !isGone);
  }

  /** Returns `true` if the worker was ready at some time. Answers of such a worker are accepted, even after the worker was lost. */
  has(worker: string): boolean {
    return this.#members.get(worker)?.isReady === true;
  }

  nameOf(worker: string): string | undefined {
    return this.#members.get(worker)?.name;
  }

  /** Adds a worker. Does nothing if the worker is known, since another client may have repeated an old message. */
  welcome(worker: string, name: string): void {
    if (this.#members.has(worker)) return;
    this.#members.set(worker, { name, lanes: 0, heardAt: this.#now(), isReady: false, isGone: false, hasLeft: false });
  }

  ready(worker: string, lanes: number): void {
    const member = this.#members.get(worker);
    if (member === undefined || member.isReady) return;
    Object.assign(member, { lanes, isReady: true, isGone: false, hasLeft: false, heardAt: this.#now() });
    this.#onNote(`Worker ${member.name} joined with ${lanesText(lanes)}${this.#together()}.`);
  }

  heard(worker: string): void {
    const member = this.#members.get(worker);
    if (member === undefined) return;
    member.heardAt = this.#now();
    if (!member.isGone) return;
    member.isGone = member.hasLeft = false;
    if (member.isReady) this.#onNote(`Worker ${member.name} answers again${this.#together()}.`);
  }

  leave(worker: string, why: string | null): void {
    const member = this.#members.get(worker);
    if (member === undefined || member.hasLeft) return;
    // A worker that counts as lost because it was silent may later send the reason why it leaves.
    const isNews = why !== null || (member.isReady && !member.isGone);
    member.isGone = member.hasLeft = true;
    if (isNews) this.#onNote(`Worker ${member.name} left${why === null ? "" : `: ${why}`}${this.#together()}.`);
  }

  /** Declares workers as lost that have been silent for too long. */
  sweep(): void {
    for (const member of this.#members.values()) {
      if (member.isGone || this.#now() - member.heardAt < (member.isReady ? SILENT_MS : COMING_MS)) continue;
      member.isGone = true;
      if (member.isReady)
        this.#onNote(`Worker ${member.name} has not answered for ${SILENT_MS / 1000} s and is treated as lost${this.#together()}.`);
    }
  }

  /** Treats all workers as if they had just sent a message. Called after Redis was unreachable, because no messages could arrive during this time. */
  forgive(): void {
    for (const member of this.#members.values()) member.heardAt = this.#now();
  }

  #together(): string {
    return ` (now in the run: ${this.size === 1 ? "1 worker" : `${this.size} workers`}, ${lanesText(this.lanes)})`;
  }
}

const lanesText = (lanes: number): string => (lanes === 1 ? "1 lane" : `${lanes} lanes`);
