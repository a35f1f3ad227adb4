import type { GraphEntry } from "../../reports/index.ts";

/** Checks that the lists of a document form a graph, because anybody can write such a file. @throws TypeError that names the wrong list */
export function refuseBrokenGraph({ actions, nodes, leftOut, ...lists }: GraphEntry): void {
  const { parents, parentActions, depths, edgeFrom, edgeAction, edgeTo, edgeStatus } = lists;
  if (leftOut !== undefined) return;
  const between = (list: readonly number[], low: number, high: number): boolean => list.every((one) => one >= low && one < high);
  const checks: Readonly<Record<string, boolean>> = {
    depths: depths.length === nodes,
    // The depth of a parent must be less than the depth of its children. Otherwise following the parents of a node might never end.
    parents: parents.length === nodes && parents.slice(1).every((parent, node) => depths[parent]! < depths[node + 1]!),
    parentActions: parentActions.length === nodes && between(parentActions.slice(1), 0, actions.length),
    edgeFrom: between(edgeFrom, 0, nodes),
    edgeAction: edgeAction.length === edgeFrom.length && between(edgeAction, 0, actions.length),
    edgeTo: edgeTo.length === edgeFrom.length && between(edgeTo, -1, nodes),
    edgeStatus: edgeStatus.length === edgeFrom.length,
  };
  const wrong = Object.entries(checks).find(([, fits]) => !fits);
  if (wrong !== undefined) throw new TypeError(`the list ${wrong[0]} of the graph does not fit the other lists`);
}
