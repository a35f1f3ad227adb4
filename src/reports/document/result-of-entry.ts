import type { ExplorationResult } from "../../model/results/result.ts";
import type { ExplorationEntry, GraphEntry } from "./document-types.ts";
import { raceText } from "../console/findings/race-text.ts";
import { resultJson } from "../json/result-json.ts";
import { violationText } from "../console/findings/violation-text.ts";

/** Converts an exploration in a document back to a result. Values that are redacted in the document stay redacted. */
export function resultOfEntry({ name: _name, file: _file, graph, ...facts }: ExplorationEntry): ExplorationResult {
  const result: Omit<ExplorationResult, "toJSON"> = {
    ...facts,
    violations: facts.violations.map((violation) => ({ ...violation, toString: () => violationText(violation) })),
    races: facts.races.map((race) => ({ ...race, toString: () => raceText(race) })),
    graph: graphOf(graph),
  };
  return { ...result, toJSON: () => resultJson(result) };
}

/** Returns the graph of an exploration in a document. If the document left out the lists of the graph because of their size, they are empty. */
function graphOf(graph: GraphEntry): ExplorationResult["graph"] {
  const { actions, nodes, edges } = graph;
  const [parents, parentActions] = [Int32Array.from(graph.parents), Int32Array.from(graph.parentActions)];
  return {
    actions,
    nodes,
    edges,
    parents,
    parentActions,
    depths: Int32Array.from(graph.depths),
    edgeFrom: Int32Array.from(graph.edgeFrom),
    edgeAction: Int32Array.from(graph.edgeAction),
    edgeTo: Int32Array.from(graph.edgeTo),
    edgeStatus: Int32Array.from(graph.edgeStatus),
    path: (node) => {
      const path: string[] = [];
      for (let at = node; at > 0 && at < parents.length; at = parents[at]!) path.push(actions[parentActions[at]!]!);
      return path.reverse();
    },
  };
}
