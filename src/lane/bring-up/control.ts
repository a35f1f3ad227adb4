/** Words in memory that the main thread and the lane share, since a message is not received while user code only awaits microtasks. */
const CANCEL = 0;
const BEAT = 1;
const UNIT = 2;
const ACTION = 3;
const CUT = 4;

/** Heartbeat and cancelling of one lane, in shared memory. */
export class LaneControl {
  readonly memory: SharedArrayBuffer;
  /** Index of the unit that the part belongs to, for a lane that executes the parts of a chunk one by one. Not shared. */
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

  /** `true` once time is up: requests in progress have to be ended. */
  get isCut(): boolean {
    return this.#words[CUT] !== 0;
  }

  cut(): void {
    this.#words[CUT] = 1;
  }

  /** Records that the lane begins an action. It is a heartbeat, and names the action to blame if no further one comes. */
  beat(unit: number, action: number): void {
    this.#words[BEAT]!++;
    this.#words[UNIT] = unit + this.unitOffset;
    this.#words[ACTION] = action;
  }

  /** Records a heartbeat: a request of the action, or of a check after it, has ended or waits for its turn. */
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
