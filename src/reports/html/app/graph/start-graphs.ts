import type { Embedded } from "../../graph/embedded.ts";
import { all } from "../make.ts";
import type { Parts } from "../parts.ts";
import type { StepShown } from "../player.ts";
import { GraphModel } from "./model/graph-model.ts";
import { GraphSection } from "./graph-section.ts";

/** Draws the graph of an exploration when the exploration is first shown. */
export function startGraphs(parts: Parts): void {
  const data = document.getElementById("data")?.textContent ?? "";
  if (data === "") return;
  const embedded = JSON.parse(data) as Embedded;
  const views = new Map<Element, GraphSection>();
  parts.onShown((part) => {
    const section = part.querySelector<HTMLElement>("section.graph");
    if (section === null || views.has(part)) return;
    const graph = embedded.graphs[Number(section.dataset["graph"])];
    if (graph === undefined) return;
    views.set(part, new GraphSection(section, new GraphModel(graph, embedded)));
  });
  document.addEventListener("step-shown", (event) => {
    const { finding, step } = (event as CustomEvent<StepShown>).detail;
    const part = event.target instanceof Element ? event.target.closest(".part") : null;
    if (part !== null) views.get(part)?.showStep(finding, step);
  });
  document.documentElement.dataset["ready"] = String(all("canvas.graph").length);
}
