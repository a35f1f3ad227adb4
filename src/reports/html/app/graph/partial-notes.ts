import { make } from "../make.ts";
import type { GraphModel } from "./model/graph-model.ts";

export function partialNotes({ graph, nodes, edges, texts }: GraphModel): readonly HTMLElement[] {
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
