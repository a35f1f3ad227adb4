import { button, make } from "../../make.ts";
import type { GraphModel } from "../model/graph-model.ts";
import { pathsBetween } from "../model/paths-between.ts";

/** The largest number of paths that are listed. */
const MOST = 10;

/** Highlights a path in the graph. `edges` contains the edges of the path in order. */
export type ShowWay = (edges: readonly number[]) => void;

/** Finds paths between two states and lists them as buttons. Each button highlights its path in the graph. */
export class PathFinder {
  readonly element: HTMLDetailsElement;
  readonly #model: GraphModel;
  readonly #from: HTMLInputElement;
  readonly #to: HTMLInputElement;
  readonly #said = make("p", { role: "status", class: "quiet" });
  readonly #list = make("ol", { class: "ways" });
  readonly #show: ShowWay;

  constructor(model: GraphModel, show: ShowWay) {
    this.#model = model;
    this.#show = show;
    this.#from = field("0");
    this.#to = field("");
    const form = make(
      "form",
      {},
      make("label", {}, "From state ", this.#from),
      make("label", {}, " to state ", this.#to),
      make("button", { type: "submit" }, "Find paths"),
      button("Clear", () => this.#clear()),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#find();
    });
    this.element = make(
      "details",
      { class: "finder controls" },
      make("summary", {}, "Paths between two states"),
      form,
      this.#said,
      this.#list,
    );
  }

  /** Chooses a node as the start or the end of the paths. If both are chosen, the search begins. */
  end(side: "from" | "to", node: number): void {
    this.element.open = true;
    (side === "from" ? this.#from : this.#to).value = String(this.#numberOf(node));
    if (this.#from.value !== "" && this.#to.value !== "") this.#find();
  }

  #numberOf(node: number): number {
    return this.#model.groups === undefined ? this.#model.numberOf(node) : node + 1;
  }

  #nodeOf({ value }: HTMLInputElement): number {
    if (!/^\d+$/.test(value)) return -1;
    return this.#model.groups === undefined ? this.#model.graph.nodes.id.indexOf(Number(value)) : Number(value) - 1;
  }

  #clear(): void {
    this.#to.value = "";
    this.#said.textContent = "";
    this.#list.replaceChildren();
    this.#show([]);
  }

  #find(): void {
    const [from, to] = [this.#nodeOf(this.#from), this.#nodeOf(this.#to)];
    const { nodes } = this.#model;
    this.#list.replaceChildren();
    if (from < 0 || to < 0 || from >= nodes || to >= nodes) {
      this.#said.textContent = "Give the numbers of two states that this graph has.";
      return this.#show([]);
    }
    const paths = pathsBetween(this.#model, from, to, MOST);
    const shown = paths.map((edges) => {
      const names = edges.map((edge) => this.#model.edgeName(edge));
      const label = names.length === 0 ? "the same state" : `${names.length} step${names.length === 1 ? "" : "s"}: ${names.join(" -> ")}`;
      return make(
        "li",
        {},
        button(label, () => this.#show(edges), { class: "link" }),
      );
    });
    this.#list.replaceChildren(...shown);
    this.#said.textContent =
      paths.length === 0
        ? "In the part of the graph that is shown, no path leads from the first state to the second."
        : `${paths.length === MOST ? `The first ${MOST}` : paths.length} of the shortest paths; the first one is highlighted in the graph.`;
    this.#show(paths[0] ?? []);
  }
}

const field = (value: string): HTMLInputElement =>
  make("input", { inputmode: "numeric", pattern: "[0-9]*", size: 6, value, autocomplete: "off" });
