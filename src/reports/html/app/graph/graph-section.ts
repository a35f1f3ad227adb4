import { make } from "../make.ts";
import { GroupControl } from "./controls/group-control.ts";
import { GraphView } from "./graph-view.ts";
import type { GraphModel } from "./model/graph-model.ts";
import { groupedGraph, suggestedFields } from "./model/grouped-graph.ts";
import { partialNotes } from "./partial-notes.ts";
import { stateFields, type StateField } from "./model/state-fields.ts";

/** Larger graphs are shown in groups at first, where fields divide them into few. */
const READABLE = 1_500;

/** The graph of an exploration, its states one by one or in groups. It can be mounted in any page: it reads its model only. */
export class GraphSection {
  readonly #model: GraphModel;
  readonly #holder: HTMLElement = make("div", {});
  readonly #note: HTMLElement = make("p", { class: "note", role: "status" });
  readonly #groups: GroupControl | undefined;
  #view: GraphView;

  constructor(section: HTMLElement, model: GraphModel) {
    this.#model = model;
    section.querySelector(".static")?.remove();
    const fields = stateFields(model);
    const first = model.nodes > READABLE ? suggestedFields(fields) : [];
    this.#groups = fields.length === 0 ? undefined : new GroupControl(fields, first, (chosen) => this.#groupBy(chosen));
    section.append(...partialNotes(model), this.#note, this.#holder);
    this.#view = this.#viewBy(first);
  }

  /** Shows the state after a step of a finding, without taking the focus. */
  showStep(finding: string, step: number): void {
    this.#view.showStep(finding, step);
  }

  #viewBy(fields: readonly StateField[]): GraphView {
    const model = fields.length === 0 ? this.#model : groupedGraph(this.#model, fields);
    const count = (value: number): string => value.toLocaleString("en-US");
    this.#note.hidden = model.groups === undefined;
    this.#note.textContent =
      model.groups === undefined
        ? ""
        : `${count(this.#model.nodes)} states are shown in ${count(model.nodes)} group${model.nodes === 1 ? "" : "s"}, by ${model.groups.fields.join(", ")}. The number in a group is that of its states.`;
    const openState = (node: number): void => {
      this.#groups?.set([]);
      this.#view.chooseNode(node);
    };
    return new GraphView(this.#holder, model, { openState, groups: this.#groups?.element });
  }

  #groupBy(fields: readonly StateField[]): void {
    const focused = document.activeElement;
    this.#view.close();
    this.#view = this.#viewBy(fields);
    // The control is moved into the new view, which takes its focus away.
    if (focused instanceof HTMLElement && this.#groups?.element.contains(focused) === true) focused.focus();
  }
}
