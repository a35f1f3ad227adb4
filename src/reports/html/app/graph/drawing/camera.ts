import type { Painter } from "./painter.ts";

export interface Camera {
  fit(): void;
  zoomBy(factor: number): void;
  /** Moves the graph so that the point (`x`, `y`) is in the middle of the view. */
  centre(x: number, y: number): void;
  /** Moves the graph so that the point (`x`, `y`) is in the middle of the view, if the point is not visible. */
  bringIn(x: number, y: number): void;
  /** Makes the whole graph visible again after nodes have moved, unless the reader has moved or zoomed the graph since the last fit. */
  followed(): void;
  /** Handles a pressed key. @returns `true` if the key moves or zooms the graph */
  key(key: string): boolean;
}

/** Moves and zooms the graph by calls of d3-zoom. A move that bypasses d3-zoom would be undone by the next zoom. */
export interface Mover {
  moveTo(x: number, y: number, k: number): void;
  zoomBy(factor: number): void;
}

/** `BORDER`, `STEP`: the pixels around a graph that is completely visible, and the pixels by which an arrow key moves the graph. */
const BORDER = 28;
const STEP = 60;
/** The largest scale when the whole graph is made visible, so that a graph of three states does not fill the screen. */
const LARGEST = 3.5;

export function keepFitted(canvas: HTMLCanvasElement, painter: Painter, mover: Mover): Camera {
  let fitted = { x: NaN, y: NaN, k: NaN };
  const isFitted = (): boolean => {
    const { x, y, k } = painter.transform;
    return x === fitted.x && y === fitted.y && k === fitted.k;
  };
  const fit = (): void => {
    const box = boundsOf(painter.positions);
    painter.measure();
    const { width, height } = painter;
    if (width === 0 || height === 0) return;
    const k = Math.min(
      LARGEST,
      (width - 2 * BORDER) / Math.max(1, box.right - box.left),
      (height - 2 * BORDER) / Math.max(1, box.bottom - box.top),
    );
    mover.moveTo(width / 2 - ((box.left + box.right) / 2) * k, height / 2 - ((box.top + box.bottom) / 2) * k, k);
    const { x, y, k: scale } = painter.transform;
    fitted = { x, y, k: scale };
  };
  const moveBy = (x: number, y: number): void => {
    const { transform } = painter;
    mover.moveTo(transform.x + x, transform.y + y, transform.k);
  };
  new ResizeObserver(() => {
    if (isFitted() || Number.isNaN(fitted.k)) fit();
    else painter.redraw();
  }).observe(canvas);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => moveBy(STEP, 0),
    ArrowRight: () => moveBy(-STEP, 0),
    ArrowUp: () => moveBy(0, STEP),
    ArrowDown: () => moveBy(0, -STEP),
    "+": () => mover.zoomBy(1.4),
    "=": () => mover.zoomBy(1.4),
    "-": () => mover.zoomBy(1 / 1.4),
    "0": fit,
  };
  return {
    fit,
    zoomBy: (factor) => mover.zoomBy(factor),
    bringIn(x, y) {
      const { transform: t } = painter;
      const [sx, sy] = t.apply([x, y]);
      if (sx > BORDER && sy > BORDER && sx < painter.width - BORDER && sy < painter.height - BORDER) return;
      moveBy(painter.width / 2 - sx, painter.height / 2 - sy);
    },
    centre(x, y) {
      const [sx, sy] = painter.transform.apply([x, y]);
      moveBy(painter.width / 2 - sx, painter.height / 2 - sy);
    },
    followed() {
      if (isFitted()) fit();
    },
    key(key) {
      const action = keys[key];
      action?.();
      return action !== undefined;
    },
  };
}

function boundsOf(positions: Float32Array): {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
} {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let at = 0; at < positions.length; at += 2) {
    left = Math.min(left, positions[at]!);
    right = Math.max(right, positions[at]!);
    top = Math.min(top, positions[at + 1]!);
    bottom = Math.max(bottom, positions[at + 1]!);
  }
  return { left, right, top, bottom };
}
