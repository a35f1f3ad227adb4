import type { InconclusiveEvent } from "../../messages/lane-messages.ts";
import type { Edge } from "../graph/edge-log.ts";

/** Largest number of reasons that are counted separately. Rules of users may give a different reason for every step. */
const MOST_REASONS = 1000;

/** A reason why a rule was inconclusive, with the number of inconclusive results. */
export interface CountedReason extends InconclusiveEvent {
  readonly count: number;
  /** The indexes of the actions of these steps. Empty if the reason was found after the search. */
  readonly actions: ReadonlySet<number>;
}

/** The number of steps of one action in which a rule was inconclusive. */
export interface InconclusiveSteps {
  /** All steps. */
  readonly all: number;
  /** The steps in which the action {@link hasWorked}. */
  readonly worked: number;
  /** The steps in which the action worked and the rule judged nothing. */
  readonly whole: number;
}

/**
 * Counts the steps that rules could not judge, by rule and reason, in the order of commits. The counts are equal for every number of lanes and in a
 * resumed run.
 */
export class InconclusiveLog {
  /** Number of inconclusive results whose reason is not listed in {@link reasons}, because the list is full. */
  others = 0;
  /** The rules that were inconclusive for a reason that was found after the search. */
  readonly late: Set<string> = new Set();
  readonly #reasons: Map<string, CountedReason & { count: number; readonly actions: Set<number> }> = new Map();
  readonly #steps: Map<string, Map<number, InconclusiveSteps>> = new Map();

  /** Returns the listed reasons, each with the number of inconclusive results. */
  get reasons(): readonly CountedReason[] {
    return [...this.#reasons.values()];
  }

  /** The inconclusive steps, by rule and by the index of the action. */
  get steps(): ReadonlyMap<string, ReadonlyMap<number, InconclusiveSteps>> {
    return this.#steps;
  }

  /** Counts the inconclusive results of one step. */
  addStep(events: readonly InconclusiveEvent[], step: Pick<Edge, "from" | "to" | "action" | "status">): void {
    for (const event of events) this.#count(event, step.action);
    const worked = hasWorked(step) ? 1 : 0;
    for (const rule of new Set(events.map(({ invariant }) => invariant))) {
      const isWhole = events.some(({ invariant, partly }) => invariant === rule && partly !== true);
      let actions = this.#steps.get(rule);
      if (actions === undefined) this.#steps.set(rule, (actions = new Map()));
      const known = actions.get(step.action) ?? { all: 0, worked: 0, whole: 0 };
      actions.set(step.action, { all: known.all + 1, worked: known.worked + worked, whole: known.whole + (isWhole ? worked : 0) });
    }
  }

  /** Counts an inconclusive result that was found after the search. */
  addLate(event: InconclusiveEvent): void {
    this.late.add(event.invariant);
    this.#count(event, undefined);
  }

  #count({ invariant, what, partly }: InconclusiveEvent, action: number | undefined): void {
    const key = `${invariant}\n${what}`;
    let known = this.#reasons.get(key);
    if (known === undefined && this.#reasons.size >= MOST_REASONS) return void this.others++;
    known ??= { invariant, what, count: 0, actions: new Set(), ...(partly === true && { partly }) };
    known.count++;
    if (action !== undefined) known.actions.add(action);
    this.#reasons.set(key, known);
  }
}

/**
 * Returns `true` if a step led to a state, was answered below 400, and not only with a redirect that changed nothing. Pages refuse a form by such a
 * redirect to the login, or back to the form.
 */
export function hasWorked({ from, to, status }: Pick<Edge, "from" | "to" | "status">): boolean {
  return to >= 0 && (status < 300 || (status < 400 && to !== from));
}
