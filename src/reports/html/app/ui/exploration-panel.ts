import type { UiEvent, UiExploration, UiFinding, UiGoal, UiNode, UiState, UiLane } from "../../../../ui/messages.ts";
import { printable } from "../../../console/text/printable.ts";
import { anchorOf } from "../../text/anchor-of.ts";
import { startCopying } from "../copy.ts";
import type { StateMore } from "../graph/graph-view.ts";
import { GraphSection } from "../graph/graph-section.ts";
import { make } from "../make.ts";
import type { StepShown } from "../player.ts";
import { Refused, type Connection } from "./connection.ts";
import { exchangeView } from "./exchange-view.ts";
import { FindingSection, fromServer } from "./finding-section.ts";
import type { Gate } from "./gate.ts";
import { LiveGraph } from "./live-graph.ts";
import { savePath, type ChosenPath } from "./saved-path.ts";

export interface PanelContext {
  readonly connection: Connection;
  /** Enables buttons when the run has ended. */
  readonly gate: Gate;
  readonly openLane: (chosen: ChosenPath, holder: HTMLElement) => void;
}

type Heard = Exclude<UiEvent, { readonly kind: "all" | "began" | "over" }>;
type Begun = Pick<UiExploration, "name" | "file" | "actions">;

export class ExplorationPanel {
  readonly element: HTMLElement;
  readonly name: string;
  readonly #index: number;
  readonly #actions: readonly string[];
  readonly #context: PanelContext;
  readonly #verdict = make("strong", {}, "Running");
  readonly #progress = make("p", { class: "progress" });
  readonly #lanes = make("div", {});
  readonly #counts = make("span", { class: "quiet" });
  readonly #graphHolder = make("section", { class: "graph" });
  readonly #laneHolder = make("div", {});
  readonly #notes = make("section", { class: "notes", hidden: true }, make("h3", {}, "Notes"));
  readonly #problems = make("div", {});
  readonly #findings: FindingSection;
  #graph: LiveGraph;
  #section: GraphSection | undefined;
  #found: readonly UiFinding[] = [];
  #isOver = false;
  /** The nodes that the page received so far. If a new complete list begins with these nodes, the page adds only the nodes after them. */
  #taken: UiNode[] = [];
  #edges = 0;

  constructor(index: number, { name, file, actions }: Begun, context: PanelContext) {
    this.#index = index;
    this.#actions = actions;
    this.#context = context;
    this.name = printable(name);
    this.#graph = new LiveGraph(this.name, actions);
    this.#findings = new FindingSection({
      show: (finding) => this.#showFinding(finding),
      laneButton: ({ path, goal = { path } }) => {
        const isBefore = goal.path.length < path.length;
        return context.gate.buttons([isBefore ? "Open a lane before the last step" : "Open a lane here", () => this.#openLane(goal)]);
      },
    });
    this.element = make(
      "section",
      { class: "part", "aria-label": this.name },
      make("h2", {}, this.name),
      make("p", {}, this.#verdict, " ", make("span", { class: "quiet" }, printable(file))),
      this.#progress,
      this.#lanes,
      make("h3", {}, "State graph ", this.#counts),
      this.#graphHolder,
      this.#laneHolder,
      this.#findings.element,
      this.#problems,
      this.#notes,
    );
    this.#findings.show([], undefined);
    this.element.addEventListener("step-shown", (event) => {
      const { finding, step } = (event as CustomEvent<StepShown>).detail;
      this.#section?.showStep(finding, step);
    });
  }

  /**
   * Shows all data of an exploration. If the data begins with the nodes that are already shown, only the other nodes are added. Otherwise the data
   * replaces everything.
   */
  all({ nodes, edges, states, transitions, findings, notes, verdict, setup, problems }: UiExploration): void {
    const isContinued =
      this.#taken.length <= nodes.length && this.#edges <= edges.length && this.#taken.every((node, at) => isSame(node, nodes[at]!));
    if (!isContinued) this.#begin();
    this.#take({ nodes: nodes.slice(this.#taken.length), edges: edges.slice(this.#edges), states, transitions });
    this.#notes.replaceChildren(this.#notes.firstElementChild!);
    for (const note of notes) this.#note(note);
    if (verdict !== undefined) this.#ended({ verdict, findings, setup: setup ?? "", problems: problems ?? "" });
    else this.#show(findings, undefined);
  }

  hear(event: Heard): void {
    switch (event.kind) {
      case "again":
        return this.#begin();
      case "grew":
        this.#take(event);
        return this.#draw();
      case "progress":
        this.#progress.textContent = printable(event.text);
        if (event.lanes.length > 0) this.#lanes.replaceChildren(laneTable(event.lanes));
        return;
      case "finding":
        return this.#show([...this.#found, event.finding], undefined);
      case "note":
        return this.#note(event.text);
      case "ended":
        return this.#ended(event);
    }
  }

  placeOf(name: string): number | undefined {
    return this.#section === undefined ? undefined : this.#graph.placeOf(name);
  }

  choose(place: number): void {
    this.#section?.choose(place);
    this.#graphHolder.scrollIntoView({ block: "nearest" });
    this.#graphHolder.querySelector<HTMLElement>(".details h4")?.focus({ preventScroll: true });
  }

  #begin(): void {
    this.#graph = new LiveGraph(this.name, this.#actions);
    this.#section?.close();
    this.#section = undefined;
    this.#graphHolder.replaceChildren();
    [this.#taken, this.#edges] = [[], 0];
    this.#show([], undefined);
  }

  #take({ nodes, edges, states, transitions }: Pick<UiExploration, "nodes" | "edges" | "states" | "transitions">): void {
    this.#taken.push(...nodes);
    this.#edges += edges.length;
    this.#graph.add(nodes, edges);
    this.#graph.count(states, transitions);
    const count = (value: number, one: string): string => `${value.toLocaleString("en-US")} ${one}${value === 1 ? "" : "s"}`;
    this.#counts.textContent = `${count(states, "state")}, ${count(transitions, "transition")}`;
  }

  #draw(): void {
    if (this.#graph.model.graph.nodes.id.length === 0) return;
    if (this.#section !== undefined) return this.#section.grew();
    this.#graph.model.grew();
    this.#section = new GraphSection(this.#graphHolder, this.#graph.model, {
      isGrowing: !this.#isOver,
      more: (place) => this.#more(place),
    });
  }

  #show(findings: readonly UiFinding[], setup: string | undefined): void {
    this.#found = findings;
    this.#graph.mark(findings);
    this.#draw();
    this.#findings.show(findings, setup);
  }

  #ended({ verdict, findings, setup, problems }: Omit<Extract<Heard, { readonly kind: "ended" }>, "kind" | "exploration">): void {
    // After a reconnection, the server reports the end of the exploration a second time. Ignore the second report.
    if (this.#isOver) return;
    this.#isOver = true;
    this.#verdict.textContent = printable(verdict);
    this.#progress.hidden = this.#lanes.hidden = true;
    this.#show(findings, setup);
    this.#problems.replaceChildren(fromServer(problems));
    this.#section?.whole();
  }

  #note(text: string): void {
    this.#notes.hidden = false;
    this.#notes.append(make("p", { class: "note" }, printable(text)));
  }

  #showFinding(finding: UiFinding): void {
    const marked = this.#graph.model.graph.findings.find(({ id }) => id === anchorOf(finding.id));
    const last = marked?.nodes.at(-1);
    if (last !== undefined) this.choose(last);
  }

  #openLane(goal: UiGoal): void {
    this.#context.openLane({ exploration: this.#index, ...goal }, this.#laneHolder);
  }

  /** Returns the elements that are added to the details of a state: buttons, and the requests that first led to the state. */
  #more(place: number): ReturnType<StateMore> {
    const { model } = this.#graph;
    const { nodes } = model.graph;
    const path = model
      .chain(place)
      .slice(1)
      .map((one) => this.#actions[nodes.action[one]!] ?? "");
    const chosen = { exploration: this.#index, path };
    const saved = make("div", { class: "saved" });
    const requests = make("div", { class: "last-requests" });
    const save = (as: "test" | "journey") => (): void => void savePath(this.#context.connection, chosen, as, saved);
    if (nodes.parent[place]! >= 0) void this.#fetchRequests(nodes.id[place]!, requests);
    const buttons = this.#context.gate.buttons(
      ["Open a lane here", () => this.#openLane({ path })],
      ["Save this path as a test", save("test")],
      ["Save this path as a journey", save("journey")],
    );
    return { actions: [buttons, saved], end: [requests] };
  }

  async #fetchRequests(node: number, holder: HTMLElement): Promise<void> {
    try {
      const { exchanges } = await this.#context.connection.get<UiState>("/api/state", { exploration: this.#index, node });
      if (exchanges.length === 0) return;
      holder.replaceChildren(make("h5", {}, "The step that first led here"), ...exchanges.map(exchangeView));
      startCopying(holder);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      holder.replaceChildren(make("p", { class: "note" }, error.message));
    }
  }
}

const isSame = (a: UiNode, b: UiNode): boolean => a.node === b.node && a.parent === b.parent && a.action === b.action && a.name === b.name;

function laneTable(lanes: readonly UiLane[]): HTMLElement {
  const rows = lanes.map(({ use, steps, rebuilds }, lane) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, `lane ${lane}`),
      make("td", {}, make("meter", { value: use, "aria-label": `lane ${lane} busy` }), ` ${Math.round(use * 100)} %`),
      make("td", { class: "number" }, steps.toLocaleString("en-US")),
      make("td", { class: "number" }, rebuilds.toLocaleString("en-US")),
    ),
  );
  const head = ["Lane", "Busy", "Steps", "Rebuilt"].map((name) => make("th", { scope: "col" }, name));
  return make("table", { class: "lanes" }, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...rows));
}
