/** A worker that was let in. */
interface Member {
  readonly name: string;
  lanes: number;
  heardAt: number;
  /** Its lanes stand at the run's root. */
  isReady: boolean;
  isGone: boolean;
  /** It said so itself. */
  hasLeft: boolean;
}

/** A worker that says nothing for so long is taken to be gone. Milliseconds. */
const SILENT_MS = 6000;
/** The same while it brings its lanes up, which may keep it from saying anything for a while. */
const COMING_MS = 15_000;

/** Who works on an exploration, and how many lanes that makes. */
export class WorkerRegistry {
  readonly #members: Map<string, Member> = new Map();
  readonly #onNote: (message: string) => void;
  readonly #now: () => number;

  constructor(onNote: (message: string) => void, now: () => number = () => performance.now()) {
    this.#onNote = onNote;
    this.#now = now;
  }

  /** Lanes that take chunks. */
  get lanes(): number {
    let lanes = 0;
    for (const member of this.#members.values()) if (member.isReady && !member.isGone) lanes += member.lanes;
    return lanes;
  }

  /** Workers whose lanes take chunks. */
  get size(): number {
    return [...this.#members.values()].filter(({ isReady, isGone }) => isReady && !isGone).length;
  }

  /** Somebody brings lanes up. */
  get isAwaited(): boolean {
    return [...this.#members.values()].some(({ isReady, isGone }) => !isReady && !isGone);
  }

  /** Whether a worker was let in; its results are taken, late ones included. */
  has(worker: string): boolean {
    return this.#members.get(worker)?.isReady === true;
  }

  /** The name of a worker that was welcomed. */
  nameOf(worker: string): string | undefined {
    return this.#members.get(worker)?.name;
  }

  /** One that is there already stays as it is: somebody may say again what a worker said once. */
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
    if (member.isReady) this.#onNote(`Worker ${member.name} is heard of again${this.#together()}.`);
  }

  leave(worker: string, why: string | null): void {
    const member = this.#members.get(worker);
    if (member === undefined || member.hasLeft) return;
    // One that was counted off for its silence may say only now what it failed of.
    const isNews = why !== null || (member.isReady && !member.isGone);
    member.isGone = member.hasLeft = true;
    if (isNews) this.#onNote(`Worker ${member.name} left${why === null ? "" : `: ${why}`}${this.#together()}.`);
  }

  /** Counts off those who were not heard of for too long. */
  sweep(): void {
    for (const member of this.#members.values()) {
      if (member.isGone || this.#now() - member.heardAt < (member.isReady ? SILENT_MS : COMING_MS)) continue;
      member.isGone = true;
      if (member.isReady) this.#onNote(`Worker ${member.name} was not heard of for ${SILENT_MS / 1000} s${this.#together()}.`);
    }
  }

  /** The time that the server was away counts for nobody. */
  forgive(): void {
    for (const member of this.#members.values()) member.heardAt = this.#now();
  }

  #together(): string {
    return ` (${this.size === 1 ? "1 worker" : `${this.size} workers`}, ${lanesText(this.lanes)} in all)`;
  }
}

const lanesText = (lanes: number): string => (lanes === 1 ? "1 lane" : `${lanes} lanes`);
