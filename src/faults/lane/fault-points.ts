import type { LaneBase } from "../../lane/index.ts";
import type { FaultKind, FaultPoint } from "../../model/results/result.ts";
import type { StoreAdapter, WriteFaults } from "../../model/stores/store-adapter.ts";

export interface FaultyStores {
  readonly stores: ReadonlyMap<string, WriteFaults>;
  /** `true` if seqqa can kill the target and start it again. */
  readonly canKill: boolean;
  /** For each kind of fault that is not possible in a store: the reason. The keys are `<store> <kind>`. */
  readonly missing: Readonly<Record<string, string>>;
}

const NO_PROCESS = "seqqa did not start the target, so seqqa cannot kill the target's process";

/** Returns the stores of a world in which writes can be made to fail, and the reasons for the stores where this is impossible. */
export function faultyStores({ world, process }: Pick<LaneBase, "world" | "process">, kinds: readonly FaultKind[]): FaultyStores {
  const stores = new Map<string, WriteFaults>();
  const missing: Record<string, string> = {};
  const wanted = kinds.filter((kind) => kind !== "lost_answer");
  for (const [name, system] of Object.entries<StoreAdapter | undefined>(world.systems)) {
    if (system === undefined) continue;
    const faults = system.writeFaults?.() ?? { kind: "none" as const, why: `seqqa cannot make writes of a ${system.name} store fail` };
    if (faults.kind === "faults") stores.set(name, faults);
    for (const kind of wanted) {
      if (faults.kind === "none") missing[`${name} ${kind}`] = faults.why;
      else if (!faults.kinds.includes(kind))
        missing[`${name} ${kind}`] = faults.missing[kind] ?? `a ${system.name} store does not support this kind of fault`;
      else if (kind === "kill" && process === undefined) missing[`${name} ${kind}`] = NO_PROCESS;
    }
  }
  return { stores, canKill: process !== undefined, missing };
}

/** Returns the fault points of a call in a fixed order: for each store, each kind of fault at each write, and at the end the lost answer. */
export function faultPoints(
  kinds: readonly FaultKind[],
  { stores, canKill }: FaultyStores,
  writes: ReadonlyMap<string, number>,
): readonly FaultPoint[] {
  const points: FaultPoint[] = [];
  for (const [store, faults] of stores) {
    for (const kind of kinds) {
      if (kind === "lost_answer" || !faults.kinds.includes(kind) || (kind === "kill" && !canKill)) continue;
      for (let write = 1; write <= (writes.get(store) ?? 0); write++) points.push({ kind, store, write });
    }
  }
  if (kinds.includes("lost_answer")) points.push({ kind: "lost_answer" });
  return points;
}
