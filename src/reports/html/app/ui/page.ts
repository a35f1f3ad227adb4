import type { UiEvent, UiFailure } from "../../../../ui/messages.ts";
import { printable } from "../../../console/text/printable.ts";
import { button, make } from "../make.ts";
import { startTheme } from "../theme.ts";
import { Connection } from "./connection.ts";
import { ExplorationPanel, type PanelContext } from "./exploration-panel.ts";
import { Gate } from "./gate.ts";
import { LanePanel } from "./lane-panel.ts";

const ENDS: Readonly<Record<number, readonly [string, string]>> = {
  0: ["passed", "The run has ended: no finding fails it"],
  1: ["failed", "The run has ended: failed"],
  3: ["warned", "The run has ended: the result is unverified"],
  130: ["warned", "The run was interrupted"],
};

/** Builds the page of `seqqa ui`, which shows the run of its server. */
export function startPage(): void {
  const title = make("h1", {}, "Connecting");
  const run = make("p", { class: "quiet" });
  const lost = make("p", { class: "note", role: "alert", hidden: true });
  const select = make("select", { id: "part" });
  const choose = make("p", { class: "choose", hidden: true }, make("label", { for: "part" }, "Shown: "), select);
  const failed = make("div", {});
  const main = make("main", { id: "content", tabindex: "-1" }, failed, choose);
  document.body.append(
    make("a", { class: "skip", href: "#content" }, "Skip to the content"),
    make("header", {}, make("p", { class: "brand" }, "seqqa"), title, run, lost),
    main,
  );
  document.documentElement.dataset["script"] = "on";
  startTheme();
  const connection = new Connection();
  const gate = new Gate("You can open lanes and save paths once the run has ended.");
  const panels: ExplorationPanel[] = [];
  const lane = new LanePanel({
    connection,
    stateButton: (exploration, name) => {
      const place = panels[exploration]?.placeOf(name);
      return place === undefined ? undefined : button("Show in the graph", () => panels[exploration]!.choose(place), { class: "small" });
    },
  });
  const context: PanelContext = {
    connection,
    gate,
    openLane: (chosen, holder) => {
      holder.append(lane.element);
      void lane.open(chosen);
    },
  };
  let shown = 0;
  const show = (wanted: number): void => {
    shown = wanted;
    select.value = String(shown);
    panels.forEach(({ element }, index) => element.classList.toggle("away", index !== shown));
  };
  select.addEventListener("change", () => show(Number(select.value)));
  const add = (begun: ConstructorParameters<typeof ExplorationPanel>[1]): ExplorationPanel => {
    const panel = new ExplorationPanel(panels.length, begun, context);
    select.append(make("option", { value: panels.length }, panel.name));
    panels.push(panel);
    main.append(panel.element);
    choose.hidden = panels.length < 2;
    // Show the exploration that is running, unless the user works with another exploration.
    show(panels.length > 1 && main.contains(document.activeElement) ? shown : panels.length - 1);
    return panel;
  };
  const entitle = (text: string, kind = ""): void => {
    title.textContent = document.title = text;
    title.className = kind;
  };
  const end = (id: string | undefined, exitStatus: number, failures: readonly UiFailure[]): void => {
    failed.replaceChildren(...failures.map(failurePart));
    const [kind, text] = ENDS[exitStatus] ?? ["warned", `The run has ended with status ${exitStatus}`];
    entitle(text, kind);
    run.textContent = id === undefined ? "" : `Run ${printable(id)}`;
    gate.open();
  };
  const hear = (event: UiEvent): void => {
    lost.hidden = true;
    if (event.kind === "all") {
      const isFirst = panels.length === 0;
      event.explorations.forEach((one, index) => (panels[index] ?? add(one)).all(one));
      // When the run has ended, show the first exploration with findings.
      const found = event.explorations.findIndex(({ findings }) => findings.length > 0);
      if (isFirst && event.exitStatus !== undefined && panels.length > 0) show(Math.max(0, found));
      if (event.exitStatus === undefined) entitle("The run is in progress");
      else end(event.run, event.exitStatus, event.failures);
      document.documentElement.dataset["ready"] = "";
    } else if (event.kind === "began") add(event);
    else if (event.kind === "over") end(event.run, event.exitStatus, event.failures);
    else panels[event.exploration]?.hear(event);
  };
  connection.listen(hear, () => {
    lost.textContent =
      "The page has lost its connection, because seqqa has ended. The page keeps its content. To open the last run again, run seqqa ui.";
    lost.hidden = false;
  });
}

function failurePart({ file, code, message, hint }: UiFailure): HTMLElement {
  const title = [
    make("span", { class: "mark warned" }, "Error"),
    ` ${printable(file)} `,
    make("span", { class: "quiet" }, printable(code)),
  ];
  return make(
    "article",
    { class: "problem" },
    make("h2", { class: "title" }, ...title),
    make("p", {}, printable(message)),
    ...(hint === undefined ? [] : [make("p", {}, printable(hint))]),
  );
}
