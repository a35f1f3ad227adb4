interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** The width and height of a cell of the spatial index, in pixels. */
const CELL = 64;

/** Finds free positions for labels, so that no label covers another label or a node. */
export class LabelPlaces {
  readonly #cells = new Map<number, Box[]>();

  /** Reserves a rectangle around a point. @returns `false` if a part of the rectangle is occupied; `force` reserves it nevertheless */
  take(x: number, y: number, width: number, height: number, force = false): boolean {
    const box = { left: x - width / 2, top: y - height / 2, right: x + width / 2, bottom: y + height / 2 };
    const cells = cellsOf(box);
    if (!force && cells.some((cell) => this.#cells.get(cell)?.some((other) => overlap(box, other)) === true)) return false;
    for (const cell of cells) {
      const list = this.#cells.get(cell);
      if (list === undefined) this.#cells.set(cell, [box]);
      else list.push(box);
    }
    return true;
  }
}

function overlap(a: Box, b: Box): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

function cellsOf({ left, top, right, bottom }: Box): readonly number[] {
  const cells: number[] = [];
  const at = (value: number): number => Math.floor(value / CELL);
  for (let row = at(top); row <= at(bottom); row++)
    for (let column = at(left); column <= at(right); column++) cells.push(row * 100_003 + column);
  return cells;
}
