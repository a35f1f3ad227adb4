/** Indices of words in shared memory. Messages cannot be used, since a thread receives none while user code only awaits microtasks. */
const CANCEL = 0;
const BEAT = 1;
const UNIT = 2;
const ACTION = 3;
const CUT = 4;

/** Heartbeat and cancellation of one lane, in memory that the main thread and the lane share. */
export class LaneControl {
  readonly memory: SharedArrayBuffer;
  /** Added to the unit index in {@link beat}, for a lane that executes a chunk in parts. Not shared. */
  unitOffset = 0;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(20)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  get cancelled(): boolean {
    return this.#words[CANCEL] !== 0;
  }

  cancel(): void {
    this.#words[CANCEL] = 1;
  }

  /** `true` once requests in progress must be ended, because they take too long. */
  get isCut(): boolean {
    return this.#words[CUT] !== 0;
  }

  cut(): void {
    this.#words[CUT] = 1;
  }

  /** Records that an action begins. If no further heartbeat follows, this action is to blame. */
  beat(unit: number, action: number): void {
    this.#words[BEAT]!++;
    this.#words[UNIT] = unit + this.unitOffset;
    this.#words[ACTION] = action;
  }

  /** Records a heartbeat for a request of an action or of a check that ended or waits for its turn. */
  touch(): void {
    this.#words[BEAT]!++;
  }

  get beats(): number {
    return this.#words[BEAT]!;
  }

  get unit(): number {
    return this.#words[UNIT]!;
  }

  get action(): number {
    return this.#words[ACTION]!;
  }

  reset(): void {
    this.#words.fill(0);
  }
}
