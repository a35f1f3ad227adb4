import { make } from "../../make.ts";
import { edgeButton, nodeButton, status, type Choices } from "./details.ts";
import type { GraphModel } from "../model/graph-model.ts";
import { search } from "../model/search.ts";

/** The largest number of states, and of transitions, that are listed. */
const MOST = 40;
/** Milliseconds without further typing before the search begins. */
const WAIT = 150;

let fields = 0;

/** The search field and its results. The results are buttons, so that readers can select a state without a mouse. */
export class Results {
  readonly element: HTMLElement;

  constructor(model: GraphModel, choices: Choices, onMatches: (nodes: ReadonlySet<number>) => void) {
    const id = `search-${fields++}`;
    const field = make("input", {
      type: "search",
      id,
      autocomplete: "off",
      spellcheck: "false",
      placeholder: "text in a state, number, id, action, status",
    });
    const said = make("p", { role: "status", class: "quiet" });
    const list = make("ul", { class: "found" });
    const look = (): void => {
      const { nodes, edges } = search(model, field.value);
      const more = nodes.length + edges.length - 2 * MOST;
      said.textContent =
        field.value.trim() === ""
          ? ""
          : `${nodes.length} ${model.groups === undefined ? "state" : "group"}${nodes.length === 1 ? "" : "s"}, ${edges.length} transition${edges.length === 1 ? "" : "s"}${more > 0 ? "; only the first results are listed" : ""}.`;
      const ofNode = nodes.slice(0, MOST).map((node) => make("li", {}, nodeButton(model, node, choices)));
      const ofEdge = edges
        .slice(0, MOST)
        .map((edge) =>
          make(
            "li",
            {},
            edgeButton(model, edge, choices),
            " ",
            status(model.graph.edges.status[edge]!),
            ` from ${model.nameOf(model.graph.edges.from[edge]!)}`,
          ),
        );
      list.replaceChildren(...ofNode, ...ofEdge);
      const { to, from } = model.graph.edges;
      onMatches(new Set(nodes.length > 0 ? nodes : edges.map((edge) => (to[edge]! < 0 ? from[edge]! : to[edge]!))));
    };
    let timer = 0;
    field.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(look, WAIT);
    });
    field.addEventListener("keydown", ({ key }) => {
      if (key !== "Enter") return;
      clearTimeout(timer);
      look();
      list.querySelector("button")?.click();
    });
    this.element = make("div", { class: "results controls" }, make("label", { for: id }, "Search "), field, said, list);
  }
}
