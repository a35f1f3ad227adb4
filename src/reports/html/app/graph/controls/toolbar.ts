import { button, make } from "../../make.ts";
import type { GraphModel } from "../model/graph-model.ts";
import type { Look } from "../drawing/drawing-order.ts";
import { actionColour, depthColour, palette, statusColour } from "../drawing/palette.ts";

export interface ToolbarActions {
  changed(): void;
  fit(): void;
  zoomBy(factor: number): void;
  findings(shown: (id: string) => boolean): void;
}

type NodeColours = "depth" | "status";
type EdgeColours = "action" | "status" | "none";

export class Toolbar {
  readonly element: HTMLElement;
  readonly legend: HTMLElement = make("div", { class: "legend" });
  readonly look: Look;
  readonly #model: GraphModel;
  readonly #actions: ToolbarActions;
  readonly #hidden = new Set<number>();
  #deepest = 0;
  #firstStatus: readonly number[] = [];
  #nodes: NodeColours = "depth";
  #edges: EdgeColours = "action";
  readonly #findings: HTMLSelectElement = make("select", {});
  readonly #findingLabel: HTMLElement = make("label", {}, "Paths ", this.#findings);

  constructor(model: GraphModel, actions: ToolbarActions) {
    this.#model = model;
    this.#actions = actions;
    const { nodes, edges } = model.graph;
    this.look = {
      nodeColour: (node, colours) =>
        this.#nodes === "depth" ? depthColour(colours, nodes.depth[node]!, this.#deepest) : statusColour(colours, this.#firstStatus[node]!),
      edgeColour: (edge, colours) =>
        this.#edges === "none"
          ? colours.quiet
          : this.#edges === "action"
            ? model.actionsOf(edge).length > 1
              ? colours.quiet
              : actionColour(colours, edges.action[edge]!)
            : statusColour(colours, edges.status[edge]!),
      isShown: (edge) => model.actionsOf(edge).some(({ action }) => !this.#hidden.has(action)),
    };
    this.#findings.addEventListener("change", () => this.showFindings());
    this.element = make(
      "div",
      { class: "toolbar controls", role: "group", "aria-label": "What the graph shows" },
      choice<NodeColours>(
        "States by",
        [
          ["depth", "depth"],
          ["status", "status that led there"],
        ],
        (value) => {
          this.#nodes = value;
          this.#changed();
        },
      ),
      choice<EdgeColours>(
        "Transitions by",
        [
          ["action", "action"],
          ["status", "status"],
          ["none", "one colour"],
        ],
        (value) => {
          this.#edges = value;
          this.#changed();
        },
      ),
      this.#findingLabel,
      make(
        "span",
        { class: "buttons" },
        button("Fit", () => actions.fit()),
        button("Zoom in", () => actions.zoomBy(1.4)),
        button("Zoom out", () => actions.zoomBy(1 / 1.4)),
      ),
      this.#filters(),
    );
    this.grew();
  }

  grew(): void {
    const { nodes, edges } = this.#model.graph;
    this.#deepest = nodes.depth.reduce((most, depth) => Math.max(most, depth), 0);
    this.#firstStatus = nodes.id.map((_, node) => edges.status[this.#model.firstEdge(node) ?? -1] ?? 0);
    this.#listFindings();
    this.drawLegend();
  }

  chooseFinding(id: string): void {
    if (this.#findings.value === id) return;
    this.#findings.value = id;
    this.showFindings();
  }

  showFindings(): void {
    const { value } = this.#findings;
    this.#actions.findings((id) => value === "all" || value === id);
  }

  drawLegend(): void {
    const colours = palette();
    const nodes =
      this.#nodes === "depth" ? this.#depthLegend() : statusLegend(this.#firstStatus, (status) => statusColour(colours, status));
    const { actions, edges } = this.#model.graph;
    const ofEdges =
      this.#edges === "action"
        ? actions.map((name, action) => mark(actionColour(colours, action), name, "line"))
        : this.#edges === "status"
          ? statusLegend(edges.status, (status) => statusColour(colours, status), "line")
          : [];
    this.legend.replaceChildren(
      make("span", {}, this.#nodes === "depth" ? "Depth " : "Status "),
      ...nodes,
      ...(ofEdges.length === 0 ? [] : [make("span", { class: "gap" }, this.#edges === "action" ? "Action " : "Transition "), ...ofEdges]),
    );
  }

  #changed(): void {
    this.drawLegend();
    this.#actions.changed();
  }

  #depthLegend(): readonly HTMLElement[] {
    const colours = palette();
    const steps = Math.min(this.#deepest, 5);
    return Array.from({ length: steps + 1 }, (_, step) => {
      const depth = steps === 0 ? 0 : Math.round((step / steps) * this.#deepest);
      return mark(depthColour(colours, depth, this.#deepest), String(depth), "dot");
    });
  }

  /** Fills the list of findings in the toolbar, unless the list is up to date. */
  #listFindings(): void {
    const { findings } = this.#model.graph;
    this.#findingLabel.hidden = findings.length === 0;
    if (this.#findings.length === findings.length + 2) return;
    const chosen = this.#findings.value || "all";
    const options = findings.map(({ id, severity, invariant }, index) =>
      make("option", { value: id }, `${index + 1}. ${severity} ${invariant}`),
    );
    this.#findings.replaceChildren(
      make("option", { value: "all" }, "of all findings"),
      make("option", { value: "none" }, "none"),
      ...options,
    );
    this.#findings.value = findings.some(({ id }) => id === chosen) ? chosen : chosen === "none" ? "none" : "all";
  }

  #filters(): HTMLElement {
    const boxes = this.#model.graph.actions.map((name, action) => {
      const box = make("input", { type: "checkbox", checked: true });
      box.addEventListener("change", () => {
        if (box.checked) this.#hidden.delete(action);
        else this.#hidden.add(action);
        this.#actions.changed();
      });
      return { box, label: make("label", { class: "check" }, box, ` ${name}`) };
    });
    const set = (shown: boolean): void => {
      this.#hidden.clear();
      boxes.forEach(({ box }, action) => {
        box.checked = shown;
        if (!shown) this.#hidden.add(action);
      });
      this.#actions.changed();
    };
    return make(
      "details",
      { class: "filters" },
      make("summary", {}, `Actions shown (${boxes.length})`),
      make(
        "p",
        {},
        button("All", () => set(true)),
        " ",
        button("None", () => set(false)),
      ),
      make("div", { class: "boxes" }, ...boxes.map(({ label }) => label)),
    );
  }
}

function choice<T extends string>(title: string, options: readonly (readonly [T, string])[], onChange: (value: T) => void): HTMLElement {
  const select = make("select", {}, ...options.map(([value, label]) => make("option", { value }, label)));
  select.addEventListener("change", () => onChange(select.value as T));
  return make("label", {}, `${title} `, select);
}

function statusLegend(
  statuses: readonly number[],
  colour: (status: number) => string,
  shape: "dot" | "line" = "dot",
): readonly HTMLElement[] {
  const classes = [...new Set(statuses.map((status) => (status >= 100 && status < 600 ? Math.floor(status / 100) : 0)))].sort(
    (a, b) => a - b,
  );
  return classes.map((one) =>
    mark(colour(one * 100), one === 0 ? (shape === "dot" ? "root, or no answer" : "no answer") : `${one}xx`, shape),
  );
}

function mark(colour: string, label: string, shape: "dot" | "line"): HTMLElement {
  const sample = make("i", { class: shape, "aria-hidden": "true" });
  sample.style.background = colour;
  return make("span", { class: "item" }, sample, label);
}
