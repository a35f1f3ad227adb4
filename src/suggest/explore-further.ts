import type { AnswerOfStep, StateOfRun, StatesOfRun, StepOfRun } from "../run-log/index.ts";
import type { Candidate } from "./find/candidate.ts";
import { suggest } from "./suggest.ts";

/** A lane that executes actions of the exploration. */
export interface FurtherLane {
  /** Brings the lane to the state at the end of a path of actions. */
  goTo(path: readonly string[]): Promise<FurtherPlace>;
  place(): Promise<FurtherPlace>;
  /** Executes an action, and checks the rules of the user. */
  step(action: string): Promise<FurtherStep>;
}

export interface FurtherPlace {
  /** The short id of the state. */
  readonly id: string;
  readonly lines: readonly string[];
  /** The actions that apply in the state. */
  readonly applicable: readonly string[];
}

export interface FurtherStep {
  /** `false` if the action was skipped, or got no answer. */
  readonly isExecuted: boolean;
  readonly status: number;
  /** `true` if the step broke a rule of the user. */
  readonly isFinding: boolean;
  readonly answers: readonly AnswerOfStep[];
}

/** The result of exploring further. */
export interface Further {
  /** The states and steps of the run, together with the added states and steps. */
  readonly of: StatesOfRun;
  /** `steps`: the number of executed steps. `states`: the number of new states. */
  readonly steps: number;
  readonly states: number;
  /** The rules that were suggested before and are not suggested any longer, because added states or steps break them. */
  readonly refuted: readonly Candidate[];
}

/** The largest number of steps that are executed. */
const MOST_STEPS = 500;

/**
 * Explores further to refute suggested rules. Executes the actions that the run did not try, beginning near the states that came nearest to breaking
 * a rule. Rules take turns, and rules with little evidence come first. Repeating this for the same run executes the same steps, unless `isOver` ends
 * the exploration.
 *
 * @param isOver is called before each step; `true` ends the exploration
 */
export async function exploreFurther(run: StatesOfRun, lane: FurtherLane, isOver: () => boolean): Promise<Further> {
  const before = suggest(run).held;
  const grown = new GrownRun(run);
  let steps = 0;
  const isEnded = (): boolean => steps >= MOST_STEPS || isOver();
  const expand = async (state: number): Promise<void> => {
    while (grown.untried(state).length > 0 && !isEnded()) {
      const place = await lane.goTo(grown.path(state));
      // The path now leads to another state than it did in the run, so the state cannot be explored.
      if (place.id !== grown.of.states[state]!.id) return grown.leave(state);
      grown.markSkipped(state, place);
      const [action] = grown.untried(state);
      if (action === undefined) return;
      grown.mark(state, action);
      const step = await lane.step(run.actions[action]!);
      steps++;
      if (step.isExecuted) grown.add(state, action, step, await lane.place());
    }
  };
  for (let held = before; held.length > 0 && grown.isOpen && !isEnded(); held = suggest(grown.of).held) {
    for (const { nearest } of held.toSorted((a, b) => a.judged - b.judged || (a.code < b.code ? -1 : 1))) {
      const next = grown.nearestOpen(nearest?.state ?? 0);
      if (next !== undefined) await expand(next);
    }
  }
  const { held, nearlyHeld } = suggest(grown.of);
  const refuted = before.filter(({ code }) => held.every((one) => one.code !== code));
  return {
    of: grown.of,
    steps,
    states: grown.of.states.length - run.states.length,
    refuted: refuted.map((one) => nearlyHeld.find(({ code }) => code === one.code) ?? one),
  };
}

/** A run with states and steps that were added to it. */
class GrownRun {
  readonly #run: StatesOfRun;
  readonly #states: StateOfRun[];
  readonly #steps: StepOfRun[] = [];
  readonly #tried: Set<number>[];
  readonly #byId: Map<string, number>;
  /** For each state, the states that are one step away, in either direction. */
  readonly #beside: number[][];

  constructor(run: StatesOfRun) {
    this.#run = run;
    this.#states = [...run.states];
    this.#tried = run.states.map(() => new Set());
    this.#beside = run.states.map(() => []);
    this.#byId = new Map(run.states.map(({ id }, node) => [id, node]));
    for (const step of run.steps) this.#put(step);
    // seqqa does not explore states behind a finding.
    for (const { to, isFinding } of run.steps) if (isFinding) this.leave(to);
  }

  get of(): StatesOfRun {
    return { ...this.#run, states: this.#states, steps: this.#steps };
  }

  /** `true` if at least one state has an action that was not tried. */
  get isOpen(): boolean {
    return this.nearestOpen(0) !== undefined;
  }

  untried(state: number): readonly number[] {
    return [...this.#run.actions.keys()].filter((action) => !this.#tried[state]!.has(action));
  }

  path(state: number): readonly string[] {
    const path: string[] = [];
    for (let at = state; at > 0; at = this.#states[at]!.parent) path.unshift(this.#run.actions[this.#states[at]!.action]!);
    return path;
  }

  mark(state: number, action: number): void {
    this.#tried[state]!.add(action);
  }

  /** Counts all actions of a state as tried. */
  leave(state: number): void {
    for (const action of this.#run.actions.keys()) this.mark(state, action);
  }

  /** Counts the actions that do not apply in a state as tried. The steps of a run leave out skipped actions. */
  markSkipped(state: number, { applicable }: FurtherPlace): void {
    this.#run.actions.forEach((name, action) => applicable.includes(name) || this.mark(state, action));
  }

  add(from: number, action: number, { status, isFinding, answers }: FurtherStep, place: FurtherPlace): void {
    const { id, lines } = place;
    let to = this.#byId.get(id);
    if (to === undefined) {
      to = this.#states.push({ id, parent: from, action, lines }) - 1;
      this.#byId.set(id, to);
      this.#tried.push(new Set());
      this.#beside.push([]);
      this.markSkipped(to, place);
    }
    this.#put({ from, to, action, status, isFinding, answers });
    if (isFinding) this.leave(to);
  }

  #put(step: StepOfRun): void {
    this.#steps.push(step);
    this.mark(step.from, step.action);
    this.#beside[step.from]!.push(step.to);
    this.#beside[step.to]!.push(step.from);
  }

  /** Returns the nearest state with untried actions; `undefined` if there is none. The distance is the number of steps, in either direction. */
  nearestOpen(start: number): number | undefined {
    const seen = new Set([start]);
    for (const state of seen) {
      if (this.#tried[state]!.size < this.#run.actions.length) return state;
      for (const next of this.#beside[state]!) seen.add(next);
    }
    return undefined;
  }
}
