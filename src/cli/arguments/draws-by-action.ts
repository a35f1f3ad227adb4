import type { ExplorationEntry } from "./find-finding.ts";

/** `draws` of a violation by the names of actions, which stay when the exploration declares them in another order. */
export function drawsByName(
  draws: ExplorationEntry["violations"][number]["draws"],
  exploration: ExplorationEntry,
): readonly (readonly string[])[] | undefined {
  const { graph } = exploration as { readonly graph?: { readonly actions?: readonly string[] } };
  const names = graph?.actions ?? Object.keys(exploration.coverage.actions);
  return draws?.map((one) => one.map((action) => names[action] ?? ""));
}
