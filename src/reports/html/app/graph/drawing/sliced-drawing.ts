/** The milliseconds that may be used for drawing in each frame. */
const SHARE = 10;
/**
 * If more milliseconds than this pass between two frames, the next frame draws fewer items. It is not enough to measure only the drawing commands,
 * because some browsers draw after the commands have returned.
 */
const LONG_FRAME = 40;
const LEAST = 250;
const MOST = 6_000;

/** Draws many items over several frames. The number of items per frame is adapted, so that no frame takes noticeably long. */
export class SlicedDrawing {
  #perSlice = 1_000;
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

  /** Draws the next items. @param frame milliseconds since the last frame; 0 after a pause in drawing */
  slice(frame: number): void {
    if (this.#draw === undefined) return;
    const to = Math.min(this.#total, this.#next + Math.floor(this.#perSlice));
    const count = to - this.#next;
    const begun = performance.now();
    this.#draw(this.#next, to);
    this.#adapt(count, performance.now() - begun, frame);
    this.#next = to;
    if (to < this.#total) return;
    this.#draw = undefined;
    this.#finish?.();
  }

  /**
   * Adapts the number of items per frame to the drawing time. The number is at most halved at a time, because a single slow frame may have another
   * cause.
   */
  #adapt(count: number, took: number, frame: number): void {
    const possible = frame > LONG_FRAME ? this.#perSlice / 2 : (count * SHARE) / Math.max(0.5, took);
    this.#perSlice = Math.max(LEAST, Math.min(MOST, Math.max(this.#perSlice / 2, Math.min(this.#perSlice * 1.5, possible))));
  }
}
