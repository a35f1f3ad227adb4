import type { LaneReport, RaceObstacle } from "../../messages/lane-messages.ts";
import { STORE_KINDS, type StoreKindName } from "../../adapters/store-kinds.ts";
import type { World } from "../../model/declare/world.ts";
import { SeqqaError } from "../../model/errors.ts";

/** The settings that say if, and how, an exploration searches for races and makes writes fail. */
export interface Probes {
  readonly races: { readonly mode: "off" | "pairs"; readonly delivery: string };
  readonly faults: { readonly mode: "off" | "on" };
}

type ProbedLane = Pick<LaneReport, "raceObstacle" | "gateless" | "systems">;

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

/** Returns the names of the stores that have no gate (cannot hold a write by the target), each with the reason. */
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

/**
 * Checks that races can be probed as requested.
 * @throws SeqqaError `RACES_IMPOSSIBLE` if simultaneous calls are impossible in this world; `RACES_UNGATED` if the delivery is `gated`, but no store
 * can hold a write
 */
export function refuseRaces({ mode, delivery }: Probes["races"], { raceObstacle, gateless, systems }: ProbedLane): void {
  if (mode === "off") return;
  if (raceObstacle !== undefined) {
    throw new SeqqaError("RACES_IMPOSSIBLE", `seqqa cannot look for races: ${raceObstacle.why}.`, {
      exitStatus: 2,
      hint: raceObstacle.remedy,
    });
  }
  const reasons = Object.entries(gateless ?? {});
  if (delivery !== "gated" || reasons.length < systems.length) return;
  const why = reasons.map(([name, reason]) => `${name}: ${reason}`).join("; ") || "no store is declared";
  throw new SeqqaError("RACES_UNGATED", `exploration.races.delivery is "gated", but no store can delay a write of the target (${why}).`, {
    exitStatus: 2,
    hint: "Set exploration.races.delivery to auto. seqqa then makes the requests overlap in other ways.",
  });
}

/**
 * Checks that faults can be made as requested.
 * @throws SeqqaError `FAULTS_IMPOSSIBLE` if no checkpoint can undo what other connections committed
 */
export function refuseFaults({ mode }: Probes["faults"], { raceObstacle }: ProbedLane): void {
  if (mode === "off" || raceObstacle === undefined) return;
  throw new SeqqaError("FAULTS_IMPOSSIBLE", `seqqa cannot make writes of the target fail: ${raceObstacle.why}.`, {
    exitStatus: 2,
    hint: raceObstacle.remedy,
  });
}
