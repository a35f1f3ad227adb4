import { endText } from "../../model/results/target-end.ts";
import type { Assignment, ReorderBuffer } from "./reorder-buffer.ts";
import type { DivergenceLog } from "../commit/divergence-log.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import { FINDING, KIND, type LaneFailure, type LaneFailureKind } from "../../messages/lane-messages.ts";
import { unsettledViolation } from "./unconfirmed-timeouts.ts";
import { COMMITTED, KNOWN, UNKNOWN, type NodeWork } from "./node-work.ts";

/** Number of tries at a unit before the unit is given up. */
const TRIES = 3;

interface Tried {
  readonly assignment: Assignment;
  kind: LaneFailureKind;
  count: number;
  last: LaneFailure;
}

/** Counts how often lanes were lost at each unit. */
export class UnitTries {
  readonly #reorderBuffer: ReorderBuffer;
  readonly #divergences: DivergenceLog;
  readonly #tries: Map<string, Tried> = new Map();

  constructor(reorderBuffer: ReorderBuffer, divergences: DivergenceLog) {
    this.#reorderBuffer = reorderBuffer;
    this.#divergences = divergences;
  }

  /**
   * Returns the failure that the next try has to confirm. If the target ended, only the last try may confirm it: causes from outside (a kill, a lack
   * of memory) can end two targets at once. A wrong finding would cost more than a third start. If the action is known to end the target in another
   * state, the second try is enough.
   */
  suspected(assignment: Assignment): LaneFailureKind | undefined {
    if (this.#tries.size === 0) return undefined;
    const tried = this.#tries.get(keyOf(assignment));
    if (tried === undefined) return undefined;
    return tried.kind === "unreachable" && tried.count < TRIES - 1 && !this.#isKnown(assignment.from) ? undefined : tried.kind;
  }

  /** Returns `true` if a finding shows that this action ends the target. */
  #isKnown(action: number): boolean {
    for (const { assignment, kind, count } of this.#tries.values()) {
      const { work, from } = assignment;
      if (from !== action || kind !== "unreachable" || count < TRIES - 1 || work.dropped) continue;
      const state = work.state(from);
      if ((state === COMMITTED || state === KNOWN) && (work.rows[work.at(from) + KIND]! & FINDING) !== 0) return true;
    }
    return false;
  }

  /** Counts a lane that was lost at a unit. After the last try the unit is given up and reported. */
  count(assignment: Assignment, failure: LaneFailure): void {
    const { kind, message, differences, target } = failure;
    const { work, from } = assignment;
    const key = keyOf(assignment);
    const tried = this.#tries.get(key) ?? { assignment, kind, count: 0, last: failure };
    tried.kind = kind;
    tried.last = failure;
    tried.count++;
    this.#tries.set(key, tried);
    if (tried.count < TRIES || work.state(from) !== UNKNOWN) return;
    this.#divergences.add({
      kind: kind === "worker" || kind === "store" ? "lane" : "not_put_back",
      path: this.#reorderBuffer.path(work),
      message: `The lane was lost ${TRIES} times at this state: ${message}${target === undefined ? "" : ` The target ${endText(target)}.`}`,
      differences: [...(differences ?? []), ...(target?.output ?? []).map((line) => `| ${line}`)].slice(-20),
    });
    this.#reorderBuffer.fail(assignment);
  }

  /** Returns the units that got no answer from the target and were not tried to the end. `why`: the reason. */
  unsettled(actions: readonly string[], why: string): readonly FoundViolation[] {
    const found: FoundViolation[] = [];
    for (const { assignment, kind, last } of this.#tries.values()) {
      const { work, from } = assignment;
      if ((kind !== "timeout" && kind !== "unreachable") || work.dropped || !isOpen(work, from)) continue;
      const path = [...this.#reorderBuffer.path(work), from];
      found.push(unsettledViolation({ kind, failure: last, path, draws: this.#reorderBuffer.draws(work) }, actions, why));
    }
    return found;
  }
}

/** Returns `true` if no later try succeeded, or if a later try had the same finding. */
function isOpen(work: NodeWork, action: number): boolean {
  const state = work.state(action);
  return state !== COMMITTED && (state !== KNOWN || (work.rows[work.at(action) + KIND]! & FINDING) !== 0);
}

function keyOf({ work, from }: Assignment): string {
  return `${work.lo},${work.hi},${from}`;
}
