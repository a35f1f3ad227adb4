/** Words that main thread and lane share, since a message cannot get in while user code only awaits microtasks. */
const CANCEL = 0;
const BEAT = 1;
const UNIT = 2;
const ACTION = 3;
const CUT = 4;

/** Heartbeat and cancelling of one lane, in shared memory. */
export class LaneControl {
  readonly memory: SharedArrayBuffer;
  /** For a lane that executes the parts of a chunk one by one: which unit of it the part is of. Not shared. */
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

  /** The time is up: requests in progress are to be ended. */
  get isCut(): boolean {
    return this.#words[CUT] !== 0;
  }

  cut(): void {
    this.#words[CUT] = 1;
  }

  /** The lane begins an action: proof of life, and the place to blame when there is none any more. */
  beat(unit: number, action: number): void {
    this.#words[BEAT]!++;
    this.#words[UNIT] = unit + this.unitOffset;
    this.#words[ACTION] = action;
  }

  /** A request of the action, or of a check after it, came to its end, or waits for its turn: proof of life. */
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
