import type { Committer } from "../../engine/commit/committer.ts";

/** A call whose writes are made to fail. The call represents all calls with the same action, status and kind of effect. */
export interface PlannedFault {
  readonly node: number;
  readonly action: number;
}

export interface FaultPlan {
  readonly faults: readonly PlannedFault[];
  readonly skipped: Readonly<Record<string, number>>;
}

/**
 * Chooses one call of each kind. Two calls are of the same kind if they have the same action and the same status, and both or neither change the
 * state. The calls come from the committed graph, so that the choice does not depend on lanes. Skipped are calls that reached no state, actions that
 * rules added (index `ownActions` and above), and calls after which the search did not continue and for which `isCut` returns `true`.
 */
export function planFaults(
  { edges }: Pick<Committer, "edges">,
  { ownActions, isCut = () => true }: { readonly ownActions: number; readonly isCut?: (node: number, action: number) => boolean },
): FaultPlan {
  const kinds = new Map<string, PlannedFault>();
  const skipped: Record<string, number> = {};
  const skip = (reason: string): void => void (skipped[reason] = (skipped[reason] ?? 0) + 1);
  for (let edge = 0; edge < edges.size; edge++) {
    const { from, to, action, status, clean } = edges.at(edge);
    if (action >= ownActions) skip("brought");
    else if (to < 0 || (!clean && isCut(from, action))) skip("finding");
    else {
      const kind = [action, status, to !== from].join();
      if (kinds.has(kind)) skip("same_kind");
      else kinds.set(kind, { node: from, action });
    }
  }
  return { faults: [...kinds.values()], skipped };
}
