import type { FaultKind, FaultPoint } from "../../model/results/result.ts";
import type { StoreAdapter, WriteFaults } from "../../model/stores/store-adapter.ts";

/** The stores whose writes can fail. */
export interface FaultyStores {
  readonly stores: ReadonlyMap<string, WriteFaults>;
  /** Kinds of faults that do not apply, by store and kind, with the reason. */
  readonly missing: Readonly<Record<string, string>>;
}

/** Returns the stores of a world that can make writes fail, and the reasons of the others. */
export function faultyStores(systems: Readonly<Record<string, StoreAdapter | undefined>>, kinds: readonly FaultKind[]): FaultyStores {
  const stores = new Map<string, WriteFaults>();
  const missing: Record<string, string> = {};
  const wanted = kinds.filter((kind) => kind !== "lost_answer");
  for (const [name, system] of Object.entries(systems)) {
    if (system === undefined) continue;
    const faults = system.writeFaults?.() ?? { kind: "none" as const, why: `faults in ${system.name} are not supported yet` };
    if (faults.kind === "faults") stores.set(name, faults);
    for (const kind of wanted) {
      if (faults.kind === "none") missing[`${name} ${kind}`] = faults.why;
      else if (!faults.kinds.includes(kind)) missing[`${name} ${kind}`] = faults.missing[kind] ?? "it does not apply";
    }
  }
  return { stores, missing };
}

/** Returns the points of a call in a fixed order: the writes of each store with each kind of fault, then the answer. */
export function faultPoints(
  kinds: readonly FaultKind[],
  stores: ReadonlyMap<string, WriteFaults>,
  writes: ReadonlyMap<string, number>,
): readonly FaultPoint[] {
  const points: FaultPoint[] = [];
  for (const [store, faults] of stores) {
    for (const kind of kinds) {
      if (kind === "lost_answer" || !faults.kinds.includes(kind)) continue;
      for (let write = 1; write <= (writes.get(store) ?? 0); write++) points.push({ kind, store, write });
    }
  }
  if (kinds.includes("lost_answer")) points.push({ kind: "lost_answer" });
  return points;
}
