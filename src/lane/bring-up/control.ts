/**
 * Indices of the values in the memory that a lane shares with the main thread. Messages cannot replace this memory, because a thread receives no
 * message while user code only awaits promises that are already settled.
 */
const CANCEL = 0;
const BEAT = 1;
const UNIT = 2;
const ACTION = 3;
const CUT = 4;
const RESTORING = 5;

/** The heartbeat of one lane, and requests to stop the lane, in memory that the main thread and the lane share. */
export class LaneControl {
  readonly memory: SharedArrayBuffer;
  /** Number that {@link beat} adds to the index of a unit, for a lane that executes a chunk in parts. Not in shared memory. */
  unitOffset = 0;
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(24)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  get cancelled(): boolean {
    return this.#words[CANCEL] !== 0;
  }

  cancel(): void {
    this.#words[CANCEL] = 1;
  }

  /** `true` if the main thread wants to end the lane's requests in progress, because they take too long. */
  get isCut(): boolean {
    return this.#words[CUT] !== 0;
  }

  cut(): void {
    this.#words[CUT] = 1;
  }

  /** `true` while the lane restores and closes stores of the user, which must not be stopped halfway. */
  get isRestoring(): boolean {
    return this.#words[RESTORING] !== 0;
  }

  set isRestoring(value: boolean) {
    this.#words[RESTORING] = Number(value);
  }

  /** Records that the lane begins to execute an action. If no heartbeat follows, this action counts as the cause of the hang. */
  beat(unit: number, action: number): void {
    this.#words[BEAT]!++;
    this.#words[UNIT] = unit + this.unitOffset;
    this.#words[ACTION] = action;
  }

  /** Records a heartbeat: a request of an action or of a check has ended, or waits for a rate limit. */
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
