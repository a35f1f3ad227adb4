import { make } from "../make.ts";
import { GroupControl } from "./controls/group-control.ts";
import { GraphView, type StateMore } from "./graph-view.ts";
import type { GraphModel } from "./model/graph-model.ts";
import { groupedGraph, suggestedFields } from "./model/grouped-graph.ts";
import { stateFields, type StateField } from "./model/state-fields.ts";

/** A graph with more states than this is first shown as groups of states, if some fields of the states give a small number of groups. */
const READABLE = 1_500;

export interface SectionOptions {
  /** `true` if states will be added to the graph. The reader cannot group states until {@link GraphSection.whole} is called. */
  readonly isGrowing?: boolean | undefined;
  readonly more?: StateMore | undefined;
}

/** The section of a page that shows the graph of an exploration, as single states or groups of states. */
export class GraphSection {
  readonly #model: GraphModel;
  readonly #options: SectionOptions;
  readonly #holder: HTMLElement = make("div", {});
  readonly #parts: HTMLElement = make("div", {});
  readonly #note: HTMLElement = make("p", { class: "note", role: "status" });
  #groups: GroupControl | undefined;
  #view: GraphView;

  constructor(section: HTMLElement, model: GraphModel, options: SectionOptions = {}) {
    this.#model = model;
    this.#options = options;
    section.querySelector(".static")?.remove();
    const fields = options.isGrowing === true ? [] : stateFields(model);
    const first = model.nodes > READABLE ? suggestedFields(fields) : [];
    this.#groups = this.#groupControl(fields, first);
    this.#parts.append(...partialNotes(model));
    section.append(this.#parts, this.#note, this.#holder);
    this.#view = this.#viewBy(first);
  }

  /** Shows the states and edges that were added to the model's lists. The zoom, the visible part and the selection are kept. */
  grew(): void {
    this.#model.grew();
    this.#parts.replaceChildren(...partialNotes(this.#model));
    if (this.#note.hidden) this.#view.grew();
    // Show single states after states were added, because groups are computed from all states. The reader can group the states again.
    else this.#groups?.set([]);
  }

  /** Makes grouping available, after the last state was added. */
  whole(): void {
    if (this.#groups !== undefined) return;
    this.#groups = this.#groupControl(stateFields(this.#model), []);
    if (this.#groups !== undefined) this.#view.addControl(this.#groups.element);
  }

  close(): void {
    this.#view.close();
  }

  /** Selects a state, as if the reader had clicked on it. */
  choose(node: number): void {
    if (this.#note.hidden) this.#view.chooseNode(node);
    else this.#view.openState(node);
  }

  /** Shows the state after a step of a finding. The keyboard focus does not move. */
  showStep(finding: string, step: number): void {
    this.#view.showStep(finding, step);
  }

  #groupControl(fields: readonly StateField[], chosen: readonly StateField[]): GroupControl | undefined {
    return fields.length === 0 ? undefined : new GroupControl(fields, chosen, (some) => this.#groupBy(some));
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
    const more = model.groups === undefined ? this.#options.more : undefined;
    return new GraphView(this.#holder, model, { openState, groups: this.#groups?.element, more });
  }

  #groupBy(fields: readonly StateField[]): void {
    const focused = document.activeElement;
    this.#view.close();
    this.#view = this.#viewBy(fields);
    // Restore the keyboard focus, which the control for groups loses when it is moved into the new view.
    if (focused instanceof HTMLElement && this.#groups?.element.contains(focused) === true) focused.focus();
  }
}

function partialNotes({ graph, nodes, edges, texts }: GraphModel): readonly HTMLElement[] {
  const count = (value: number): string => value.toLocaleString("en-US");
  const absent = [
    ...(graph.withoutState > 0 ? [`the text of ${count(graph.withoutState)} states`] : []),
    ...(graph.withoutExchanges > 0 ? [`the requests of ${count(graph.withoutExchanges)} transitions`] : []),
  ];
  const notes = [
    ...(nodes < graph.totalNodes || edges < graph.totalEdges
      ? [
          `This graph is incomplete: it shows ${count(nodes)} of ${count(graph.totalNodes)} states and ${count(edges)} of ${count(graph.totalEdges)} transitions${texts.shownIn === "page" ? "" : ", those nearest to the findings first"}. The rest is in the run log.`,
        ]
      : []),
    ...(absent.length > 0 ? [`Not in this file: ${absent.join(" and ")}.`] : []),
  ];
  return notes.map((note) => make("p", { class: "note" }, note));
}
