import { make } from "../../make.ts";
import type { Painter } from "./painter.ts";
import { palette } from "./palette.ts";

/** A graph with fewer nodes than this gets no map. */
const FEWEST = 30;
const BORDER = 4;
/** If the visible part has at least this share of the map's width and height, the whole graph counts as visible. */
const WHOLE = 0.94;

/**
 * A small picture of the whole graph with a frame around the visible part. A click moves the visible part. The map does not react to keys: the arrow
 * keys already move the graph itself.
 */
export class Minimap {
  readonly element: HTMLCanvasElement = make("canvas", { class: "minimap", "aria-hidden": "true" });
  readonly #painter: Painter;
  /** The nodes as dots. The dots are redrawn only if positions, colours or the size change. */
  readonly #dots = document.createElement("canvas");
  #drawn: { readonly positions: Float32Array; readonly ink: string; readonly width: number } | undefined;
  #scale = 1;
  #left = 0;
  #top = 0;

  /** @param centre moves the graph so that a point of it is in the middle of the view */
  constructor(painter: Painter, centre: (x: number, y: number) => void) {
    this.#painter = painter;
    const move = (event: PointerEvent): void => {
      const { x, y } = this.element.getBoundingClientRect();
      centre((event.clientX - x) / this.#scale + this.#left, (event.clientY - y) / this.#scale + this.#top);
    };
    this.element.addEventListener("pointerdown", (event) => {
      this.element.setPointerCapture(event.pointerId);
      move(event);
    });
    this.element.addEventListener("pointermove", (event) => {
      if (this.element.hasPointerCapture(event.pointerId)) move(event);
    });
  }

  draw(): void {
    const { element } = this;
    element.hidden = this.#painter.positions.length / 2 < FEWEST;
    if (element.hidden) return;
    const { positions, transform: t, width, height } = this.#painter;
    const colours = palette();
    if (this.#drawn?.positions !== positions || this.#drawn.ink !== colours.ink || this.#drawn.width !== element.clientWidth)
      this.#drawDots(positions, colours.quiet);
    this.#drawn = { positions, ink: colours.ink, width: element.clientWidth };
    const context = element.getContext("2d")!;
    context.clearRect(0, 0, element.width, element.height);
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, element.width, element.height);
    context.drawImage(this.#dots, 0, 0);
    const [x, y] = t.invert([0, 0]);
    const ratio = element.width / Math.max(1, element.clientWidth);
    const at = (value: number): number => value * this.#scale * ratio;
    const within = (value: number, most: number): number => Math.max(ratio, Math.min(most - ratio, value));
    const [left, right] = [x - this.#left, x - this.#left + width / t.k].map((value) => within(at(value), element.width)) as [
      number,
      number,
    ];
    const [top, bottom] = [y - this.#top, y - this.#top + height / t.k].map((value) => within(at(value), element.height)) as [
      number,
      number,
    ];
    context.strokeStyle = colours.chosen;
    context.lineWidth = 2 * ratio;
    context.strokeRect(left, top, right - left, bottom - top);
    // Hide the map if the whole graph is visible: it would be useless and would cover a part of the graph.
    const isWhole = right - left >= element.width * WHOLE && bottom - top >= element.height * WHOLE;
    element.classList.toggle("idle", isWhole);
  }

  #drawDots(positions: Float32Array, colour: string): void {
    const { element } = this;
    const ratio = Math.min(2, devicePixelRatio || 1);
    const [width, height] = [element.clientWidth, element.clientHeight];
    for (const canvas of [element, this.#dots])
      Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let at = 0; at < positions.length; at += 2) {
      left = Math.min(left, positions[at]!);
      right = Math.max(right, positions[at]!);
      top = Math.min(top, positions[at + 1]!);
      bottom = Math.max(bottom, positions[at + 1]!);
    }
    this.#scale = Math.min((width - 2 * BORDER) / Math.max(1, right - left), (height - 2 * BORDER) / Math.max(1, bottom - top));
    this.#left = (left + right) / 2 - width / 2 / this.#scale;
    this.#top = (top + bottom) / 2 - height / 2 / this.#scale;
    const context = this.#dots.getContext("2d")!;
    context.fillStyle = colour;
    const scale = this.#scale * ratio;
    const size = (positions.length > 2_000 ? 1 : 2) * ratio;
    for (let at = 0; at < positions.length; at += 2)
      context.fillRect((positions[at]! - this.#left) * scale - size / 2, (positions[at + 1]! - this.#top) * scale - size / 2, size, size);
  }
}
