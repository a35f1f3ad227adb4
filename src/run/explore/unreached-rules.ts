import type { AgentDefinition } from "../../model/declare/agent.ts";
import type { FoundRaces } from "./races.ts";

/** Returns a sentence for each rule whose calls were not sent at the same time, because their path led to another state. */
export function unreachedRules(
  { ruleRaces }: Pick<AgentDefinition, "ruleRaces">,
  { unreached }: Pick<FoundRaces, "unreached">,
  actions: readonly string[],
): ReadonlyMap<string, string> {
  const notes = new Map<string, string>();
  for (const { path, sides } of unreached) {
    for (const { rule, pair } of ruleRaces) {
      if (!sides.every((side) => pair.includes(side))) continue;
      const names = path.map((action) => actions[action]!).join(" -> ");
      notes.set(
        rule,
        `${rule} did not send its calls at the same time, because the path ${names} led to another state than before. ` +
          "The target probably keeps data in memory. Switch off its caches, or set `target.rollback: restart`.",
      );
    }
  }
  return notes;
}
