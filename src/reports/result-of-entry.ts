import type { ExplorationResult } from "../model/result.ts";
import type { ExplorationEntry } from "./document-types.ts";
import { raceText } from "./race-text.ts";
import { resultJson } from "./result-json.ts";
import { violationText } from "./violation-text.ts";

/** The result that an entry of a document was made of, redacted as it stands there. */
export function resultOfEntry({ name: _name, file: _file, graph, ...facts }: ExplorationEntry): ExplorationResult {
  const list = (values: readonly number[]): Int32Array => Int32Array.from(values);
  const { actions, parents, parentActions } = graph;
  const result: Omit<ExplorationResult, "toJSON"> = {
    ...facts,
    violations: facts.violations.map((violation) => ({ ...violation, toString: () => violationText(violation) })),
    races: facts.races.map((race) => ({ ...race, toString: () => raceText(race) })),
    graph: {
      actions,
      nodes: graph.nodes,
      edges: graph.edges,
      parents: list(parents),
      parentActions: list(parentActions),
      depths: list(graph.depths),
      edgeFrom: list(graph.edgeFrom),
      edgeAction: list(graph.edgeAction),
      edgeTo: list(graph.edgeTo),
      edgeStatus: list(graph.edgeStatus),
      path: (node) => {
        const path: string[] = [];
        for (let at = node; at > 0; at = parents[at]!) path.push(actions[parentActions[at]!]!);
        return path.reverse();
      },
    },
  };
  return { ...result, toJSON: () => resultJson(result) };
}
