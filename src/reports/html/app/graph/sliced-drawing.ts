/** Frames longer than this ask for smaller slices, shorter ones than the other for larger. */
const LONG_FRAME = 34;
const SHORT_FRAME = 22;
const LEAST = 250;
const MOST = 20_000;

/** Draws many things over several frames, as many at a time as the machine can draw without a frame that people feel. */
export class SlicedDrawing {
  #perSlice = 1_500;
  #next = 0;
  #total = 0;
  #draw: ((from: number, to: number) => void) | undefined;
  #finish: (() => void) | undefined;

  get running(): boolean {
    return this.#draw !== undefined;
  }

  start(total: number, draw: (from: number, to: number) => void, finish: () => void): void {
    this.#next = 0;
    this.#total = total;
    this.#draw = draw;
    this.#finish = finish;
  }

  cancel(): void {
    this.#draw = undefined;
  }

  /** @param frame milliseconds since the last frame */
  slice(frame: number): void {
    if (this.#draw === undefined) return;
    if (frame > LONG_FRAME) this.#perSlice = Math.max(LEAST, this.#perSlice / 2);
    else if (frame < SHORT_FRAME) this.#perSlice = Math.min(MOST, this.#perSlice * 1.25);
    const to = Math.min(this.#total, this.#next + Math.floor(this.#perSlice));
    this.#draw(this.#next, to);
    this.#next = to;
    if (to < this.#total) return;
    this.#draw = undefined;
    this.#finish?.();
  }
}
