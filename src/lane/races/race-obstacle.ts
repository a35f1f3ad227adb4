import type { RaceObstacle } from "../../messages/lane-messages.ts";
import { STORE_KINDS, type StoreKindName } from "../../adapters/store-kinds.ts";
import type { World } from "../../model/declare/world.ts";

/**
 * Returns the reason why this lane cannot search for races, or `undefined` if it can. Either no store can be restored, or all calls use one database
 * connection and thus run one after the other.
 */
export function raceObstacle(world: World<never, never>, contextOnly: boolean): RaceObstacle | undefined {
  if (contextOnly) {
    return {
      why: "no store is declared, so seqqa cannot restore the target between two trials",
      remedy: "Declare the stores (db_url, systems), give the World a reset, or set target.rollback: restart.",
    };
  }
  for (const [name, system] of Object.entries(world.systems)) {
    if (system === undefined || system.traits.commits) continue;
    const { racing } = STORE_KINDS[system.name as StoreKindName] ?? { racing: ["journal"] };
    return {
      why: `store "${name}" uses checkpoint ${system.checkpoint.mode}, so all calls share one database connection and cannot overlap`,
      remedy: `Set another checkpoint for this store: checkpoint: ${racing.join(" or ")}.`,
    };
  }
  return undefined;
}

/** Returns the names of the stores that have no gate (cannot hold a write of a call), each with the reason. */
export function gateless(world: World<never, never>): Record<string, string> {
  const reasons: Record<string, string> = {};
  for (const [name, system] of Object.entries(world.systems)) {
    if (system === undefined) continue;
    const gate = system.gate?.() ?? {
      kind: "none" as const,
      why: `a ${system.name} store has no triggers, which seqqa would need to delay a write`,
    };
    if (gate.kind === "none") reasons[name] = gate.why;
  }
  return reasons;
}
