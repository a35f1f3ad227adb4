import type { ExplorationEntry } from "./find-finding.ts";

/** Returns `draws` of a violation with names of actions, which stay valid when the exploration declares its actions in another order. */
export function drawsByName(
  draws: ExplorationEntry["violations"][number]["draws"],
  exploration: ExplorationEntry,
): readonly (readonly string[])[] | undefined {
  const { graph } = exploration as { readonly graph?: { readonly actions?: readonly string[] } };
  const names = graph?.actions ?? Object.keys(exploration.coverage.actions);
  return draws?.map((one) => one.map((action) => names[action] ?? ""));
}
