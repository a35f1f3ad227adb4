import type { ExplorationEntry } from "./find-finding.ts";

/**
 * Returns the random draws of a finding with action names instead of action indexes. Names stay valid if the exploration later declares its actions
 * in another order.
 */
export function drawsByName(
  draws: ExplorationEntry["violations"][number]["draws"],
  exploration: ExplorationEntry,
): readonly (readonly string[])[] | undefined {
  const { graph } = exploration as { readonly graph?: { readonly actions?: readonly string[] } };
  const names = graph?.actions ?? Object.keys(exploration.coverage.actions);
  return draws?.map((one) => one.map((action) => names[action] ?? ""));
}
