import { endText } from "../../model/results/target-end.ts";
import type { Assignment, ReorderBuffer } from "./reorder-buffer.ts";
import type { DivergenceLog } from "../commit/divergence-log.ts";
import type { FoundViolation } from "../findings/finding-log.ts";
import { FINDING, KIND, type LaneFailure, type LaneFailureKind } from "../../messages/lane-messages.ts";
import { unsettledViolation } from "./unconfirmed-timeouts.ts";
import { COMMITTED, KNOWN, UNKNOWN, type NodeWork } from "./node-work.ts";

/** Largest number of attempts to execute a unit. If a lane is lost in each attempt, the unit is given up. */
const TRIES = 3;

interface Tried {
  readonly assignment: Assignment;
  kind: LaneFailureKind;
  count: number;
  last: LaneFailure;
}

/** Counts how often a lane was lost while it executed a unit. */
export class UnitTries {
  readonly #reorderBuffer: ReorderBuffer;
  readonly #divergences: DivergenceLog;
  readonly #tries: Map<string, Tried> = new Map();

  constructor(reorderBuffer: ReorderBuffer, divergences: DivergenceLog) {
    this.#reorderBuffer = reorderBuffer;
    this.#divergences = divergences;
  }

  /**
   * Returns the kind of failure that counts as confirmed if the next attempt fails in the same way, or `undefined` if no failure would be confirmed.
   * If the target ended, only the last attempt confirms the failure, because something else, such as a kill or a lack of memory, may have ended the
   * earlier targets. If the action is known to end the target in other states, the second attempt is enough.
   */
  suspected(assignment: Assignment): LaneFailureKind | undefined {
    if (this.#tries.size === 0) return undefined;
    const tried = this.#tries.get(keyOf(assignment));
    if (tried === undefined) return undefined;
    return tried.kind === "unreachable" && tried.count < TRIES - 1 && !this.#isKnown(assignment.from) ? undefined : tried.kind;
  }

  /** Returns `true` if a finding already says that the action ends the target. */
  #isKnown(action: number): boolean {
    for (const { assignment, kind, count } of this.#tries.values()) {
      const { work, from } = assignment;
      if (from !== action || kind !== "unreachable" || count < TRIES - 1 || work.dropped) continue;
      const state = work.state(from);
      if ((state === COMMITTED || state === KNOWN) && (work.rows[work.at(from) + KIND]! & FINDING) !== 0) return true;
    }
    return false;
  }

  /** Counts the loss of a lane during the execution of a unit. After the last attempt, gives up the unit and reports a divergence. */
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
      message: `seqqa could not execute all actions of this state, because the lane failed in ${TRIES} tries: ${message}${target === undefined ? "" : ` The target ${endText(target)}.`}`,
      differences: [...(differences ?? []), ...(target?.output ?? []).map((line) => `| ${line}`)].slice(-20),
    });
    this.#reorderBuffer.fail(assignment);
  }

  /**
   * Returns a violation for each unit that got no answer from the target and whose missing answer was not confirmed before the search ended.
   * @param why The reason why the search ended.
   */
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

/**
 * Returns `true` if no later attempt contradicts the missing answer: either no later attempt was successful, or a later attempt confirmed the
 * finding.
 */
function isOpen(work: NodeWork, action: number): boolean {
  const state = work.state(action);
  return state !== COMMITTED && (state !== KNOWN || (work.rows[work.at(action) + KIND]! & FINDING) !== 0);
}

function keyOf({ work, from }: Assignment): string {
  return `${work.lo},${work.hi},${from}`;
}
