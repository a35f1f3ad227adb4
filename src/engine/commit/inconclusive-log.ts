import type { InconclusiveEvent } from "../../messages/lane-messages.ts";
import type { Edge } from "../graph/edge-log.ts";

/** Largest number of reasons that are counted separately. Rules of users may give a different reason for every step. */
const MOST_REASONS = 1000;

/** A reason why a rule was inconclusive, with the number of inconclusive results. */
export interface CountedReason extends InconclusiveEvent {
  readonly count: number;
  /** The indices of the actions in whose steps a rule was inconclusive for this reason. Empty if the reason was found after the search. */
  readonly actions: ReadonlySet<number>;
}

/** The number of steps of one action in which a rule was inconclusive. */
export interface InconclusiveSteps {
  /** The number of all these steps. */
  readonly all: number;
  /** The number of the steps in which the action {@link hasWorked}. */
  readonly worked: number;
  /** The number of the steps in which the action worked and the rule judged no part of the step. */
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

  /** The numbers of inconclusive steps, by rule and by the index of the action. */
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
 * Returns `true` if a step led to a state and was answered with a status below 400. A redirect (3xx) counts only if the step led to another state,
 * because pages refuse a form by a redirect to the login or back to the form.
 */
export function hasWorked({ from, to, status }: Pick<Edge, "from" | "to" | "status">): boolean {
  return to >= 0 && (status < 300 || (status < 400 && to !== from));
}
