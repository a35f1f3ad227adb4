import type { Committer } from "../commit/committer.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import type { DrawnPath } from "../findings/shrink.ts";
import { ShortestPaths } from "./shortest-paths.ts";

/**
 * Returns a function that finds the shortest path in the committed graph to a finding. The last step of the path is a step that showed the finding.
 * The function returns the finding's own path if no other path is shorter.
 */
export function graphPaths({ edges, nodes, visited }: Committer): (found: FoundViolation) => DrawnPath {
  let paths: ShortestPaths | undefined;
  return ({ path, draws, from }) => {
    if (path.length < 2) return { path, draws };
    paths ??= new ShortestPaths(edges, visited.size);
    let nearest = -1;
    let length = path.length;
    for (const node of from) {
      if (paths.distance(node) + 1 >= length) continue;
      nearest = node;
      length = paths.distance(node) + 1;
    }
    if (nearest < 0) return { path, draws };
    const way = paths.to(nearest);
    const shorter = [...way.actions, path.at(-1)!];
    // The data of a state's actions is always drawn from the path on which the state first joined the frontier.
    const drawn = way.nodes.map((node) => nodes.home(node));
    const own = drawn.every((home, step) => home.length === step && home.every((action, at) => action === shorter[at]));
    return { path: shorter, draws: own ? undefined : drawn };
  };
}
