import type { Committer } from "../../engine/commit/committer.ts";
import type { ExplorerOptions } from "../../engine/search/explorer.ts";
import { isAtLeast, Severity } from "../../model/declare/severity.ts";

/**
 * Returns a function that returns `true` for a call in a state in which the search found a finding of high or critical severity that is not in
 * `known_findings`. Races and faults are not tried with such a call.
 */
export function cutCalls(
  { findings }: Pick<Committer, "findings">,
  { actions, isKnown }: Pick<ExplorerOptions, "actions" | "isKnown">,
): (node: number, action: number) => boolean {
  const cut = new Set<string>();
  for (const found of findings.violations.values()) {
    if (!isAtLeast(found.finding.severity, Severity.HIGH) || isKnown(found)) continue;
    const action = actions.indexOf(found.lastAction);
    for (const node of found.from) cut.add(`${node} ${action}`);
  }
  return (node, action) => cut.has(`${node} ${action}`);
}
