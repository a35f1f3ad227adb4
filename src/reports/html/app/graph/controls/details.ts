import { withFlags } from "../../../graph/embedded.ts";
import { prettyJson } from "../../../text/pretty-json.ts";
import { copyButton } from "../../copy.ts";
import { button, make } from "../../make.ts";
import type { GraphModel } from "../model/graph-model.ts";

export interface Choices {
  chooseNode(node: number): void;
  chooseEdge(edge: number): void;
  /** Shows a single state that is now hidden in a group. */
  openState(node: number): void;
  /** Chooses a node as the start or the end of the search for paths. */
  pathEnd(side: "from" | "to", node: number): void;
}

/** The largest number of neighbouring nodes that are listed. Further nodes are only counted. */
const MOST = 60;

export function nodeDetails(model: GraphModel, node: number, choices: Choices): readonly Node[] {
  return [
    ...(model.groups === undefined ? stateDetails(model, node, choices) : groupDetails(model, node, choices)),
    ...neighbourList("Leads to", model.leaving(node), (edge) => edgeLine(model, edge, choices, "to")),
    ...neighbourList(
      "Reached from",
      model.reaching(node).filter((edge) => model.graph.edges.from[edge] !== node),
      (edge) => edgeLine(model, edge, choices, "from"),
    ),
  ];
}

const pathButtons = (node: number, choices: Choices): HTMLElement =>
  make(
    "p",
    {},
    button("Paths from here", () => choices.pathEnd("from", node), { class: "small" }),
    " ",
    button("Paths to here", () => choices.pathEnd("to", node), { class: "small" }),
  );

function groupDetails(model: GraphModel, node: number, choices: Choices): readonly Node[] {
  const { fields, values, members } = model.groups!;
  const states = members[node]!;
  const rows = values[node]!.map((value, field) => make("tr", {}, make("th", { scope: "row" }, fields[field]!), make("td", {}, value)));
  const items = states.slice(0, MOST).map((state) =>
    make(
      "li",
      {},
      button(`state ${model.memberNumber(state)}`, () => choices.openState(state), { class: "link" }),
    ),
  );
  if (states.length > MOST) items.push(make("li", { class: "quiet" }, `and ${states.length - MOST} more`));
  return [
    make("h4", { tabindex: "-1" }, `Group ${node + 1}: ${states.length} state${states.length === 1 ? "" : "s"}`),
    ...(rows.length === 0 ? [] : [make("table", {}, make("tbody", {}, ...rows))]),
    pathButtons(node, choices),
    make("details", {}, make("summary", {}, "States of this group"), make("ul", { class: "found" }, ...items)),
  ];
}

function stateDetails(model: GraphModel, node: number, choices: Choices): readonly Node[] {
  const { depth, parent } = model.graph.nodes;
  const chain = model.chain(node);
  const path = chain.slice(1).map((one) => model.actionName(model.graph.nodes.action[one]!));
  const first = model.firstEdge(node);
  const reached =
    parent[node]! < 0
      ? [make("p", {}, "The root state: the exploration begins here.")]
      : [
          make(
            "p",
            {},
            `Depth ${depth[node]!}, first reached by `,
            path.at(-1) ?? "",
            " from ",
            nodeButton(model, parent[node]!, choices),
            ". ",
            ...(first === undefined ? [] : [edgeButton(model, first, choices, "its request")]),
          ),
          make("p", { class: "quiet" }, `Path: ${path.join(" -> ")}`),
        ];
  return [
    make("h4", { tabindex: "-1" }, `State ${model.numberOf(node)}`),
    ...nameLine(model.stateName(node), model.texts.flags),
    ...reached,
    pathButtons(node, choices),
    ...stateBlock(model, node),
  ];
}

function nameLine(name: string, flags: string | undefined): readonly HTMLElement[] {
  if (name === "") return [];
  return [
    make(
      "p",
      { class: "named" },
      "id ",
      make("code", {}, name),
      " ",
      copyButton("Copy open command", () => withFlags(`npx seqqa open ${name}`, flags)),
    ),
  ];
}

export function edgeDetails(model: GraphModel, edge: number, choices: Choices): readonly Node[] {
  const { edges } = model.graph;
  const exchanges = model.exchanges(edge);
  const to = edges.to[edge]!;
  return [
    make("h4", { tabindex: "-1" }, `${model.edgeName(edge)} `, ...(model.groups === undefined ? [status(edges.status[edge]!)] : [])),
    make(
      "p",
      {},
      "From ",
      nodeButton(model, edges.from[edge]!, choices),
      ...(to < 0
        ? [" to no state: there was no state to observe afterwards."]
        : to === edges.from[edge]
          ? [" to itself: the state did not change."]
          : [" to ", nodeButton(model, to, choices), "."]),
    ),
    ...(edges.found[edge] === 1 ? [make("p", { class: "warn" }, "A finding is on this transition.")] : []),
    ...(model.groups !== undefined
      ? [
          make("p", { class: "quiet" }, "The transitions between states of these groups:"),
          make(
            "ul",
            { class: "neighbours" },
            ...model.actionsOf(edge).map(({ action, count }) => make("li", {}, `${count} × ${model.actionName(action)}`)),
          ),
        ]
      : exchanges === undefined
        ? [absent(model, "The requests of this transition are")]
        : exchanges.length === 0
          ? [make("p", { class: "quiet" }, "The action sent no request.")]
          : exchanges.flatMap(({ request, requestBody, response, responseBody }) => [
              make("h5", {}, "Request"),
              text(request),
              ...(requestBody === undefined ? [] : [text(prettyJson(requestBody))]),
              make("h5", {}, "Response"),
              text(response),
              ...(responseBody === undefined ? [] : [text(prettyJson(responseBody))]),
            ])),
  ];
}

export function nodeButton(model: GraphModel, node: number, choices: Choices): HTMLElement {
  return button(model.nameOf(node), () => choices.chooseNode(node), { class: "link" });
}

export function edgeButton(model: GraphModel, edge: number, choices: Choices, label?: string): HTMLElement {
  return button(label ?? model.edgeName(edge), () => choices.chooseEdge(edge), { class: "link" });
}

function edgeLine(model: GraphModel, edge: number, choices: Choices, side: "from" | "to"): readonly (string | Node)[] {
  const { edges } = model.graph;
  const other = edges[side][edge]!;
  const to = other < 0 ? "no state" : other === edges.from[edge] && side === "to" ? "itself" : nodeButton(model, other, choices);
  if (model.groups !== undefined) return [edgeButton(model, edge, choices), " ", side, " ", to];
  return [edgeButton(model, edge, choices), " ", status(edges.status[edge]!), " ", side, " ", to];
}

function neighbourList(title: string, edges: readonly number[], line: (edge: number) => readonly (string | Node)[]): readonly Node[] {
  if (edges.length === 0) return [];
  const items = edges.slice(0, MOST).map((edge) => make("li", {}, ...line(edge)));
  if (edges.length > MOST) items.push(make("li", { class: "quiet" }, `and ${edges.length - MOST} more`));
  return [make("h5", {}, `${title} (${edges.length})`), make("ul", { class: "neighbours" }, ...items)];
}

function absent({ texts }: GraphModel, what: string): HTMLElement {
  const where =
    texts.shownIn === "page"
      ? "not on this page. To see what the next actions send and change, open a lane here."
      : "not in this file, but may be in the run log.";
  return make("p", { class: "note" }, `${what} ${where}`);
}

function stateBlock(model: GraphModel, node: number): readonly Node[] {
  const lines = model.stateLines(node);
  if (lines === undefined) return [absent(model, "The data of this state is")];
  if (lines.length === 0)
    return [
      make(
        "p",
        { class: "quiet" },
        model.graph.nodes.parent[node]! < 0
          ? "This is the root state: other states are shown as differences from it."
          : "The state is empty.",
      ),
    ];
  const names = { same: "span", added: "ins", removed: "del" } as const;
  const signs = { same: "  ", added: "+ ", removed: "- " } as const;
  const title = model.graph.nodes.parent[node]! < 0 ? "State" : "State, and what changed from its parent";
  return [
    make("h5", {}, title),
    make(
      "div",
      { class: "diff", role: "group", "aria-label": title, tabindex: "0" },
      ...lines.map(({ kind, text: line }) => {
        const shown = line.replace(/^(\S+) \+ \{/, "$1 {");
        return make(names[kind], {}, signs[kind] + shown.replace(/^(\S+) - \{/, "without $1 {"));
      }),
    ),
  ];
}

export function status(value: number): HTMLElement {
  const known = value >= 100 && value < 600;
  return make("span", { class: `status s${known ? Math.floor(value / 100) : 0}` }, known ? String(value) : "no answer");
}

const text = (content: string): HTMLElement => make("pre", { tabindex: "0" }, content);
