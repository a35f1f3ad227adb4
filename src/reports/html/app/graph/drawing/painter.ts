import { zoomIdentity, type ZoomTransform } from "d3-zoom";
import { drawLabels } from "./draw-labels.ts";
import { EdgeShapes } from "./edge-shapes.ts";
import { drawingOrder, type DrawingOrder, type Look } from "./drawing-order.ts";
import type { GraphModel } from "../model/graph-model.ts";
import { palette, type Palette } from "./palette.ts";
import { SlicedDrawing } from "./sliced-drawing.ts";

/** The highlighted nodes and edges, which are drawn over the graph and may change with every frame. */
export interface Marks {
  readonly pathNodes: ReadonlySet<number>;
  readonly pathEdges: ReadonlySet<number>;
  readonly matches: ReadonlySet<number>;
  readonly node: number | undefined;
  readonly edge: number | undefined;
  /** The edges of the path that the reader chose in the search for paths. */
  readonly way: readonly number[];
}

/**
 * The graph is drawn a little beyond its visible part, so that the reader can move the graph without a gap. On each side, this margin is the given
 * share of the visible width or height.
 */
const MARGIN = 0.3;
/** `ARROWS`: the largest number of edges that get arrows. `NAMES`: the largest number of nodes, and of edges, that get names. */
const ARROWS = 3_000;
const NAMES = 400;
/** The largest number of nodes on paths of findings that get labels, in a graph with too many nodes to label all. */
const MOST_ON_PATHS = 60;
/** The largest number of lines in one canvas path, because the drawing time grows faster than the number of lines in a path. */
const PATH = 200;
const FONT = "system-ui, sans-serif";

/**
 * Draws a graph with thousands of edges without blocking the page. Edges and nodes are drawn into a hidden canvas over several frames. The visible
 * canvas shows the last finished drawing, moved and scaled to the current view, with the highlights over it.
 */
export class Painter {
  readonly canvas: HTMLCanvasElement;
  readonly #model: GraphModel;
  shapes: EdgeShapes;
  positions: Float32Array;
  transform: ZoomTransform = zoomIdentity;
  look: Look;
  /** The width of the canvas in CSS pixels. Read once for each frame, because measuring an element is slow. */
  width = 0;
  height = 0;
  marks: Marks = { pathNodes: new Set(), pathEdges: new Set(), matches: new Set(), node: undefined, edge: undefined, way: [] };
  #order: DrawingOrder | undefined;
  #front: Picture | undefined;
  #back: Picture | undefined;
  #stale = true;
  #asked = false;
  #last = 0;
  readonly #slices = new SlicedDrawing();

  constructor(canvas: HTMLCanvasElement, model: GraphModel, positions: Float32Array, look: Look) {
    this.canvas = canvas;
    this.#model = model;
    this.positions = positions;
    this.look = look;
    this.shapes = new EdgeShapes(model.graph, model.nodes);
  }

  onFrame: (() => void) | undefined;

  /** The radius of a node on the screen, in pixels. */
  get radius(): number {
    return Math.max(1.6, Math.min(13, 7 * this.transform.k));
  }

  /** Returns the radius of a node on the screen, in pixels. Nodes that represent many states are larger. */
  radiusOf(node: number): number {
    return this.radius * (1 + Math.log10(this.#model.weightOf(node)) * 0.6);
  }

  measure(): void {
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
  }

  /** Redraws after nodes and edges were added. `positions` contains the positions of all nodes. */
  grew(positions: Float32Array): void {
    this.positions = positions;
    this.shapes = new EdgeShapes(this.#model.graph, this.#model.nodes);
    this.recolour();
  }

  /** Redraws after the colours have changed, or other nodes and edges have become visible. */
  recolour(): void {
    this.#order = undefined;
    this.redraw();
  }

  /** Redraws after nodes have moved, or the size of the canvas has changed. */
  redraw(): void {
    this.#stale = true;
    this.#ask();
  }

  /** Draws a frame after a change that affects only highlights. */
  remark(): void {
    this.#ask();
  }

  moveTo(transform: ZoomTransform): void {
    this.transform = transform;
    this.redraw();
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(now: number): void {
    this.#asked = false;
    const since = now - this.#last;
    this.#last = now;
    this.measure();
    if (this.width === 0) return;
    if (this.#stale && !this.#slices.running) this.#begin();

    // After a pause in drawing, the time since the last frame says nothing about the drawing time, so pass 0.
    this.#slices.slice(since > 250 ? 0 : since);
    this.#show();
    this.onFrame?.();
    if (this.#slices.running || this.#stale) this.#ask();
  }

  #begin(): void {
    this.#stale = false;
    const { positions, shapes, transform: t, width, height } = this;
    const { graph } = this.#model;
    const picture = (this.#back ??= new Picture());
    picture.prepare(width, height, t);
    const context = picture.context;
    const colours = palette();
    const order = (this.#order ??= drawingOrder(this.#model, this.look, colours));
    const [mx, my] = [width * MARGIN, height * MARGIN];
    /** Returns bits that say on which sides a node is outside of the visible part and its margin; 0 if the node is inside. */
    const outside = (node: number): number => {
      const x = positions[node * 2]! * t.k + t.x;
      const y = positions[node * 2 + 1]! * t.k + t.y;
      return (x < -mx ? 1 : 0) | (x > width + mx ? 2 : 0) | (y < -my ? 4 : 0) | (y > height + my ? 8 : 0);
    };
    const small = this.radius < 3;
    const isClose = this.radius >= 7 && graph.nodes.id.length > NAMES;
    const edges = order.edges.filter((edge) => {
      // At a small scale, do not draw loops and edges that lead to no state, because they would only blur their node.
      if ((shapes.isLoop(edge) && this.radius < 7) || (shapes.isStub(edge) && small && graph.edges.found[edge] !== 1)) return false;
      const a = outside(graph.edges.from[edge]!);
      // At a large scale, do not draw edges between two distant states, because they would only cover the visible states.
      if (isClose && a !== 0 && (shapes.isStub(edge) || outside(graph.edges.to[edge]!) !== 0)) return false;
      return a === 0 || (a & (shapes.isStub(edge) ? a : outside(graph.edges.to[edge]!))) === 0;
    });
    const nodes = order.nodes.filter((node) => outside(node) === 0);
    const { edgeColours, nodeColours } = order;
    const arrows = edges.length < ARROWS && !small;
    const named = nodes.length <= NAMES && this.radius >= 4;
    const names = named && edges.length <= NAMES;
    context.lineWidth = Math.max(0.5, Math.min(1.6, t.k)) / t.k;
    context.font = `${11 / t.k}px ${FONT}`;
    const drawEdges = (from: number, to: number): void => {
      context.globalAlpha = edges.length > 4000 ? 0.45 : 0.8;
      for (let at = from; at < to;) {
        const colour = edgeColours[edges[at]!]!;
        context.beginPath();
        const first = at;
        for (const end = Math.min(to, at + PATH); at < end && edgeColours[edges[at]!] === colour; at++)
          this.#trace(context, edges[at]!, small);
        context.strokeStyle = colour;
        context.stroke();
        if (!arrows) continue;
        context.fillStyle = colour;
        for (let one = first; one < at; one++) this.#arrow(context, edges[one]!);
      }
    };
    const drawNodes = (from: number, to: number): void => {
      context.globalAlpha = 1;
      for (let at = from; at < to;) {
        const colour = nodeColours[nodes[at]!]!;
        context.beginPath();
        for (const end = Math.min(to, at + PATH); at < end && nodeColours[nodes[at]!] === colour; at++)
          dot(context, positions, nodes[at]!, this.radiusOf(nodes[at]!) / t.k);
        context.fillStyle = colour;
        context.fill();
      }
    };
    this.#slices.start(
      edges.length + nodes.length,
      (from, to) => {
        if (from < edges.length) drawEdges(from, Math.min(to, edges.length));
        if (to > edges.length) drawNodes(Math.max(0, from - edges.length), to - edges.length);
        // Browsers execute drawing commands only when the canvas is used. Using the canvas here distributes the work over the frames; otherwise the
        // last frame would take too long.
        this.canvas.getContext("2d")?.drawImage(picture.canvas, 0, 0, 1, 1, 0, 0, 1, 1);
      },
      () => {
        context.globalAlpha = 1;
        const onPaths = nodes.filter((node) => this.marks.pathNodes.has(node));
        if (named || onPaths.length <= MOST_ON_PATHS) {
          const { marks, radiusOf } = this;
          const worth = (node: number): number => (marks.pathNodes.has(node) ? 0 : 1 + graph.nodes.depth[node]!);
          drawLabels(
            context,
            {
              model: this.#model,
              nodes: (named ? [...nodes] : onPaths).sort((a, b) => worth(a) - worth(b)),
              edges: names ? [...edges].sort((a, b) => Number(marks.pathEdges.has(b)) - Number(marks.pathEdges.has(a))) : [],
              positions,
              shapes,
              transform: t,
              width,
              radiusOf: radiusOf.bind(this),
              edgeColour: (edge) => (edgeColours[edge] === colours.quiet ? colours.ink : edgeColours[edge]!),
            },
            colours,
          );
        }
        if (this.radius >= 9) for (const node of nodes) this.#number(context, node, colours);
        [this.#front, this.#back] = [picture, this.#front];
        this.canvas.dataset["drawn"] = "";
      },
    );
  }

  #trace(context: CanvasRenderingContext2D, edge: number, small: boolean): void {
    const { positions, shapes } = this;
    const { from, to } = this.#model.graph.edges;
    if (small || shapes.isStraight(edge)) {
      context.moveTo(positions[from[edge]! * 2]!, positions[from[edge]! * 2 + 1]!);
      context.lineTo(positions[to[edge]! * 2]!, positions[to[edge]! * 2 + 1]!);
      return;
    }
    const { x1, y1, cx, cy, x2, y2 } = shapes.curve(edge, positions);
    context.moveTo(x1, y1);
    if (shapes.isLoop(edge)) context.bezierCurveTo(cx + (x1 - x2) * 2, cy + (y1 - y2) * 2, cx - (x1 - x2) * 2, cy - (y1 - y2) * 2, x2, y2);
    else context.quadraticCurveTo(cx, cy, x2, y2);
  }

  #arrow(context: CanvasRenderingContext2D, edge: number): void {
    const { shapes, positions } = this;
    const curve = shapes.curve(edge, positions);
    const stub = shapes.isStub(edge);
    const { x2, y2, cx, cy } = curve;
    const length = Math.hypot(x2 - cx, y2 - cy);
    if (length === 0 || (!stub && Math.hypot(x2 - curve.x1, y2 - curve.y1) < 10)) return;
    const [ux, uy] = [(x2 - cx) / length, (y2 - cy) / length];
    const back = stub ? 0 : this.radiusOf(this.#model.graph.edges.to[edge]!) / this.transform.k;
    const size = 5 / Math.sqrt(this.transform.k);
    const [tx, ty] = [x2 - ux * back, y2 - uy * back];
    context.beginPath();
    context.moveTo(tx, ty);
    context.lineTo(tx - ux * size - uy * size * 0.5, ty - uy * size + ux * size * 0.5);
    context.lineTo(tx - ux * size + uy * size * 0.5, ty - uy * size - ux * size * 0.5);
    context.fill();
  }

  #number(context: CanvasRenderingContext2D, node: number, colours: Palette): void {
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.font = `${11 / this.transform.k}px ${FONT}`;
    context.fillStyle = colours.paper;
    const { groups } = this.#model;
    context.fillText(
      String(groups === undefined ? this.#model.numberOf(node) : this.#model.weightOf(node)),
      this.positions[node * 2]!,
      this.positions[node * 2 + 1]!,
    );
  }

  /** Draws the groups on highlighted paths again, because the lines of the paths cover the groups and their numbers. */
  #dotsAgain(context: CanvasRenderingContext2D, colours: Palette): void {
    const nodeColours = this.#order?.nodeColours;
    if (this.#model.groups === undefined || nodeColours === undefined) return;
    for (const node of this.marks.pathNodes) {
      context.beginPath();
      dot(context, this.positions, node, this.radiusOf(node) / this.transform.k);
      context.fillStyle = nodeColours[node]!;
      context.fill();
      if (this.radius >= 9) this.#number(context, node, colours);
    }
  }

  /** Draws the last finished drawing at its current position, then the highlights. */
  #show(): void {
    const { canvas, transform: t } = this;
    const ratio = pixels();
    const [width, height] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d")!;
    context.setTransform(1, 0, 0, 1, 0, 0);
    const colours = palette();
    context.fillStyle = colours.paper;
    context.fillRect(0, 0, width, height);
    const front = this.#front;
    if (front !== undefined) {
      const scale = t.k / front.transform.k;
      const x = (t.x - (front.transform.x + front.marginX) * scale) * ratio;
      const y = (t.y - (front.transform.y + front.marginY) * scale) * ratio;
      // If the drawing is only moved and not scaled, move it by whole pixels. Otherwise the drawing would be blurred.
      const place = scale === 1 ? Math.round : (value: number): number => value;
      context.drawImage(front.canvas, place(x), place(y), front.canvas.width * scale, front.canvas.height * scale);
    }
    context.setTransform(ratio * t.k, 0, 0, ratio * t.k, ratio * t.x, ratio * t.y);
    this.#drawMarks(context, colours);
  }

  #drawMarks(context: CanvasRenderingContext2D, colours: Palette): void {
    const { marks, positions, transform: t } = this;
    const lines = (edges: Iterable<number>, colour: string, width: number): void => {
      context.beginPath();
      for (const edge of edges) this.#trace(context, edge, false);
      context.strokeStyle = colour;
      context.lineWidth = width / t.k;
      context.stroke();
      context.fillStyle = colour;
      for (const edge of edges) this.#arrow(context, edge);
    };
    const rings = (nodes: Iterable<number>, colour: string, width: number, out: number): void => {
      context.beginPath();
      for (const node of nodes) dot(context, positions, node, (this.radiusOf(node) + out) / t.k);
      context.strokeStyle = colour;
      context.lineWidth = width / t.k;
      context.stroke();
    };
    lines(marks.pathEdges, colours.finding, 2.5);
    rings(marks.pathNodes, colours.finding, 2, 1);
    rings(marks.matches, colours.chosen, 2.5, 3);
    lines(marks.way, colours.chosen, 4);
    this.#dotsAgain(context, colours);
    if (marks.edge !== undefined) lines([marks.edge], colours.chosen, 4);
    if (marks.node !== undefined) rings([marks.node], colours.chosen, 4, 4);
  }
}

/** A hidden canvas with a drawing of the graph, and the position and scale for which it was drawn. */
class Picture {
  readonly canvas = document.createElement("canvas");
  transform: ZoomTransform = zoomIdentity;
  marginX = 0;
  marginY = 0;

  get context(): CanvasRenderingContext2D {
    return this.canvas.getContext("2d")!;
  }

  prepare(width: number, height: number, transform: ZoomTransform): void {
    const ratio = pixels();
    this.transform = transform;
    this.marginX = Math.round(width * MARGIN);
    this.marginY = Math.round(height * MARGIN);
    const [w, h] = [Math.round((width + 2 * this.marginX) * ratio), Math.round((height + 2 * this.marginY) * ratio)];
    if (this.canvas.width !== w || this.canvas.height !== h) Object.assign(this.canvas, { width: w, height: h });
    const { context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, w, h);
    const { k, x, y } = transform;
    context.setTransform(ratio * k, 0, 0, ratio * k, ratio * (x + this.marginX), ratio * (y + this.marginY));
  }
}

function dot(context: CanvasRenderingContext2D, positions: Float32Array, node: number, radius: number): void {
  const [x, y] = [positions[node * 2]!, positions[node * 2 + 1]!];
  context.moveTo(x + radius, y);
  context.arc(x, y, radius, 0, 2 * Math.PI);
}

/** The number of device pixels for each CSS pixel. Limited to two, because more pixels take time and make no visible difference. */
const pixels = (): number => Math.min(2, devicePixelRatio || 1);
