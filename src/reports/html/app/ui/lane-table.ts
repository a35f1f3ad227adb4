import type { UiLane } from "../../../../ui/messages.ts";
import { make } from "../make.ts";

export function laneTable(lanes: readonly UiLane[]): HTMLElement {
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
