import type { ZoomTransform } from "d3-zoom";
import type { GraphModel } from "../model/graph-model.ts";
import { pointOf, type EdgeShapes } from "./edge-shapes.ts";
import { LabelPlaces } from "./label-places.ts";
import type { Palette } from "./palette.ts";

/** The nodes and edges that get labels, the most important first, with the data that is needed to draw the labels. */
export interface Labelled {
  readonly model: GraphModel;
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  readonly positions: Float32Array;
  readonly shapes: EdgeShapes;
  readonly transform: ZoomTransform;
  /** The visible width of the graph, in pixels. */
  readonly width: number;
  /** Returns the radius of a node on the screen, in pixels. */
  readonly radiusOf: (node: number) => number;
  readonly edgeColour: (edge: number) => string;
}

/** The height of a line of text, in pixels. */
const HEIGHT = 14;
const FONT = "system-ui, sans-serif";
/** The font size, in pixels. */
const LETTER = 11;
/** The largest number of characters of an edge's name that are shown. */
const LONGEST = 40;
/** The positions along an edge at which its name may be drawn, as shares of its length. */
const SHARES = [0.5, 0.4, 0.6, 0.3, 0.7];

/** Draws the labels of nodes, then the names of edges. A label that would cover another label is left out. */
export function drawLabels(context: CanvasRenderingContext2D, labelled: Labelled, colours: Palette): void {
  const { model, nodes, edges, positions, shapes, transform: t } = labelled;
  const places = new LabelPlaces();
  const widths = new Map<string, number>();
  context.font = `${LETTER / t.k}px ${FONT}`;
  const widthOf = (text: string): number => {
    let width = widths.get(text);
    // The font size and the measured width are in units of the graph. Multiply the width by the scale to get pixels.
    if (width === undefined) widths.set(text, (width = context.measureText(text).width * t.k + 6));
    return width;
  };
  const write = (text: string, x: number, y: number, colour: string): void => {
    context.lineWidth = 3 / t.k;
    context.strokeStyle = colours.paper;
    context.strokeText(text, x, y);
    context.fillStyle = colour;
    context.fillText(text, x, y);
  };
  context.textAlign = "center";
  context.textBaseline = "middle";
  const on = (node: number): readonly [number, number] => t.apply([positions[node * 2]!, positions[node * 2 + 1]!]);
  for (const node of nodes) {
    const size = labelled.radiusOf(node) * 2;
    places.take(...on(node), size, size, true);
  }
  for (const node of nodes) {
    const text = model.labelOf(node);
    if (text === "") continue;
    const [x, y] = on(node);
    const away = labelled.radiusOf(node) + HEIGHT / 2 + 2;
    const side = labelled.radiusOf(node) + widthOf(text) / 2 + 3;
    const around: readonly (readonly [number, number])[] = [
      [x, y + away],
      [x, y - away],
      [x + side, y],
      [x - side, y],
    ];
    // Leave out a label that is not completely visible, because it could not be read.
    const isInside = ([cx]: readonly [number, number]): boolean => cx >= widthOf(text) / 2 && cx <= labelled.width - widthOf(text) / 2;
    const free = [...around]
      .sort((a, b) => Number(isInside(b)) - Number(isInside(a)))
      .find(([cx, cy]) => places.take(cx, cy, widthOf(text), HEIGHT));
    if (free !== undefined) write(text, ...t.invert([free[0], free[1]]), colours.ink);
  }
  for (const edge of edges) {
    const name = model.edgeName(edge).slice(0, LONGEST);
    const curve = shapes.curve(edge, positions);
    const [ax, ay] = t.apply([curve.x1, curve.y1]);
    const [bx, by] = t.apply([curve.x2, curve.y2]);
    // Leave out a name that is much longer than its edge, because it would not be clear which edge it belongs to.
    if (Math.hypot(bx - ax, by - ay) < widthOf(name) * 0.7 && !shapes.isLoop(edge)) continue;
    for (const share of SHARES) {
      const [x, y] = pointOf(curve, share);
      if (!places.take(...t.apply([x, y]), widthOf(name), HEIGHT)) continue;
      write(name, x, y, labelled.edgeColour(edge));
      break;
    }
  }
}
