import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent } from "d3-zoom";
import { make } from "../make.ts";
import { themeChanges } from "../theme.ts";
import { edgeDetails, nodeDetails, type Choices } from "./controls/details.ts";
import { firstLayout } from "./layout/first-layout.ts";
import type { GraphModel } from "./model/graph-model.ts";
import { pointOf } from "./drawing/edge-shapes.ts";
import { Hit } from "./drawing/hit.ts";
import { keepFitted, type Camera } from "./drawing/camera.ts";
import { grownLayout } from "./layout/grown-layout.ts";
import type { LayoutStep } from "./layout/layout-worker.ts";
import { MovingLayout } from "./layout/moving-layout.ts";
import { Painter } from "./drawing/painter.ts";
import { Minimap } from "./drawing/minimap.ts";
import { PathFinder } from "./controls/path-finder.ts";
import { Results } from "./controls/results.ts";
import { Toolbar } from "./controls/toolbar.ts";

const HELP =
  "State graph. Arrow keys move the graph, plus and minus zoom, 0 fits the whole graph into view. To select a state without a mouse, search for it, or use the buttons of the selected state.";

/** Returns the elements that a page adds to the details of a state: `actions` are shown before the lines of the state, `end` after them. */
export type StateMore = (node: number) => { readonly actions: readonly Node[]; readonly end: readonly Node[] };

export interface ViewContext {
  /** Shows a single state that is now hidden in a group. */
  openState(node: number): void;
  /** The element with which the reader groups states. The element is reused when the view is replaced. */
  readonly groups: HTMLElement | undefined;
  readonly more?: StateMore | undefined;
}

/** A graph with its controls: search, toolbar, map, paths, and details of the selected node or edge. */
export class GraphView implements Choices {
  readonly #model: GraphModel;
  readonly #canvas: HTMLCanvasElement;
  readonly #painter: Painter;
  readonly #toolbar: Toolbar;
  readonly #details: HTMLElement;
  readonly #camera: Camera;
  readonly #finder: PathFinder;
  readonly #hit = new Hit();
  readonly #closed = new AbortController();
  readonly #context: ViewContext;
  readonly #layout: MovingLayout;
  #isGrowing = false;
  /** The state whose details are shown, and the number of its edges that the details list. */
  #chosen: { readonly node: number; readonly edges: number } | undefined;
  /** The position of the selected node or edge in the coordinates of the graph. */
  #selectedPoint: readonly [number, number] | undefined;

  constructor(holder: HTMLElement, model: GraphModel, context: ViewContext) {
    this.#model = model;
    this.#context = context;
    this.#canvas = make("canvas", { class: "graph", tabindex: "0", role: "application", "aria-label": HELP });
    this.#details = make("div", { class: "details", role: "region", "aria-label": "Selection in the graph" });
    const positions = firstLayout(model.graph);
    this.#toolbar = new Toolbar(model, {
      changed: () => this.#painter.recolour(),
      fit: () => this.#camera.fit(),
      zoomBy: (factor) => this.#camera.zoomBy(factor),
      findings: (shown) => this.#markFindings(shown),
    });
    this.#painter = new Painter(this.#canvas, model, positions, this.#toolbar.look);
    this.#camera = this.#startCamera();
    this.#finder = new PathFinder(model, (way) => this.#showWay(way));
    const map = new Minimap(this.#painter, (x, y) => this.#camera.centre(x, y));
    this.#painter.onFrame = () => map.draw();
    const results = new Results(model, this, (matches) => this.#mark({ matches }));
    if (context.groups !== undefined) this.#toolbar.element.append(context.groups);
    holder.replaceChildren(
      this.#toolbar.element,
      results.element,
      this.#finder.element,
      make(
        "div",
        { class: "stage" },
        make("div", { class: "drawing" }, make("div", { class: "picture" }, this.#canvas, map.element), this.#toolbar.legend),
        this.#details,
      ),
      make(
        "p",
        { class: "quiet hint" },
        "Drag to move, click a state or a transition to look at it; click into the graph and turn the wheel, or pinch, to zoom. Red: paths of findings. Labels: what differs from the state before.",
      ),
      make("p", { class: "note printed" }, "A printed page shows the graph as it was last displayed."),
    );
    this.#toolbar.showFindings();
    this.#listen();
    this.#showDetails([make("p", { class: "quiet" }, "Nothing is selected. "), this.#rootButton()]);
    this.#camera.fit();
    this.#layout = new MovingLayout(
      model.graph,
      () => this.#painter.positions,
      (step) => this.#moved(step),
    );
  }

  close(): void {
    this.#closed.abort();
    this.#layout.close();
  }

  /** Shows the nodes and edges that were added to the graph. The zoom, the selection and the positions of existing nodes are kept. */
  grew(): void {
    this.#isGrowing = true;
    delete this.#canvas.dataset["layout"];
    this.#painter.grew(grownLayout(this.#painter.positions, this.#model.graph));
    this.#toolbar.grew();
    this.#toolbar.showFindings();
    this.#hit.forget();
    this.#follow();
    this.#layout.grew();
    const chosen = this.#chosen;
    if (chosen === undefined || this.#edgesAt(chosen.node) === chosen.edges || this.#details.contains(document.activeElement)) return;
    const { scrollTop } = this.#details;
    this.#showNode(chosen.node);
    this.#details.scrollTop = scrollTop;
  }

  addControl(control: HTMLElement): void {
    this.#toolbar.element.append(control);
  }

  chooseNode(node: number): void {
    this.#show(node);
    const inside = this.#hasFocus();
    this.#showNode(node);
    if (inside) this.#focusDetails();
  }

  chooseEdge(edge: number): void {
    this.#chosen = undefined;
    this.#mark({ node: undefined, edge });
    this.#tell(pointOf(this.#painter.shapes.curve(edge, this.#painter.positions), 0.5));
    const inside = this.#hasFocus();
    this.#showDetails(edgeDetails(this.#model, edge, this));
    if (inside) this.#focusDetails();
  }

  showStep(finding: string, step: number): void {
    const found = this.#model.graph.findings.find(({ id }) => id === finding);
    // Step -1 is `setup`, which leads to the root state, the first node of the path.
    const node = found?.nodes[step + 1];
    if (found === undefined || node === undefined) return;
    this.#toolbar.chooseFinding(finding);
    this.#show(node);
    this.#showNode(node);
  }

  openState(node: number): void {
    this.#context.openState(node);
  }

  pathEnd(side: "from" | "to", node: number): void {
    this.#finder.end(side, node);
  }

  #showWay(way: readonly number[]): void {
    this.#mark({ way });
    const last = way.at(-1);
    if (last === undefined) return;
    const { positions } = this.#painter;
    const end = this.#model.graph.edges.to[last]!;
    this.#camera.bringIn(positions[end * 2]!, positions[end * 2 + 1]!);
  }

  /** Highlights a node and moves it into the visible part. The keyboard focus does not move. */
  #show(node: number): void {
    const { positions } = this.#painter;
    const [x, y] = [positions[node * 2]!, positions[node * 2 + 1]!];
    this.#mark({ node, edge: undefined });
    this.#camera.bringIn(x, y);
    this.#tell([x, y]);
  }

  /** Writes the position of the selected node or edge to an HTML attribute, because tests cannot read positions from a canvas. */
  #tell(point = this.#selectedPoint): void {
    this.#selectedPoint = point;
    if (point !== undefined)
      this.#canvas.dataset["chosen"] = this.#painter.transform
        .apply([...point])
        .map(Math.round)
        .join(" ");
  }

  #rootButton(): HTMLElement {
    const root = make("button", { type: "button" }, "Show the root state");
    root.addEventListener("click", () => this.chooseNode(0));
    return root;
  }

  /** Returns `true` if the keyboard focus is on a button that is about to be removed. The focus then moves to the heading of the new details. */
  #hasFocus(): boolean {
    return this.#details.contains(document.activeElement) || document.activeElement?.closest(".results") !== null;
  }

  #focusDetails(): void {
    this.#details.querySelector<HTMLElement>("h4")?.focus({ preventScroll: true });
  }

  #showNode(node: number): void {
    this.#chosen = { node, edges: this.#edgesAt(node) };
    const parts = nodeDetails(this.#model, node, this);
    const { actions = [], end = [] } = this.#context.more?.(node) ?? {};
    const lines = parts.findIndex(({ nodeName }) => nodeName === "H5");
    const at = lines < 0 ? parts.length : lines;
    this.#showDetails([...parts.slice(0, at), ...actions, ...parts.slice(at), ...end]);
  }

  #edgesAt(node: number): number {
    return this.#model.leaving(node).length + this.#model.reaching(node).length;
  }

  #showDetails(content: readonly Node[]): void {
    this.#details.replaceChildren(...content);
    this.#details.scrollTop = 0;
  }

  #mark(changes: Partial<Painter["marks"]>): void {
    this.#painter.marks = { ...this.#painter.marks, ...changes };
    this.#painter.remark();
  }

  #markFindings(shown: (id: string) => boolean): void {
    const findings = this.#model.graph.findings.filter(({ id }) => shown(id));
    this.#mark({ pathNodes: new Set(findings.flatMap(({ nodes }) => nodes)), pathEdges: new Set(findings.flatMap(({ edges }) => edges)) });
  }

  #startCamera(): Camera {
    const behaviour = zoom<HTMLCanvasElement, unknown>()
      .scaleExtent([0.005, 12])
      // Until the reader has clicked on the graph, the mouse wheel scrolls the page and does not zoom the graph.
      .filter(
        (event: MouseEvent) => event.button === 0 && (event.type !== "wheel" || event.ctrlKey || document.activeElement === this.#canvas),
      )
      .on("zoom", ({ transform }: D3ZoomEvent<HTMLCanvasElement, unknown>) => {
        this.#painter.moveTo(transform);
        this.#tell();
      });
    const selection = select(this.#canvas).call(behaviour).on("dblclick.zoom", null);
    return keepFitted(this.#canvas, this.#painter, {
      moveTo: (x, y, k) => behaviour.transform(selection, zoomIdentity.translate(x, y).scale(k)),
      zoomBy: (factor) => behaviour.scaleBy(selection, factor),
    });
  }

  #listen(): void {
    const canvas = this.#canvas;
    canvas.addEventListener("pointerdown", () => canvas.focus({ preventScroll: true }));
    canvas.addEventListener("click", (event) => {
      const { x: left, y: top } = canvas.getBoundingClientRect();
      this.#pick(event.clientX - left, event.clientY - top);
    });
    canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if (!this.#camera.key(event.key)) return;
      event.preventDefault();
    });
    const recolour = (): void => {
      this.#toolbar.drawLegend();
      this.#painter.recolour();
    };
    themeChanges.addEventListener("change", recolour, { signal: this.#closed.signal });
  }

  #pick(x: number, y: number): void {
    const { transform: t, positions, radius, shapes } = this.#painter;
    const [gx, gy] = t.invert([x, y]);
    const node = this.#hit.node(positions, gx, gy, (radius + 4) / t.k);
    if (node !== undefined) return this.chooseNode(node);
    const shown: number[] = [];
    for (let edge = 0; edge < this.#model.edges; edge++) if (this.#toolbar.look.isShown(edge)) shown.push(edge);
    const edge = this.#hit.edge({ shapes, edges: shown, positions }, [gx, gy], 7 / t.k);
    if (edge !== undefined) this.chooseEdge(edge);
  }

  #moved({ positions, done }: LayoutStep): void {
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (calm && !done) return;
    this.#painter.positions = positions;
    this.#hit.forget();
    this.#follow();
    this.#painter.redraw();
    if (done) this.#canvas.dataset["layout"] = "done";
  }

  /** Zooms so that the whole graph stays visible, unless the graph is growing and a node is selected. */
  #follow(): void {
    if (this.#chosen === undefined || !this.#isGrowing) this.#camera.followed();
  }
}
