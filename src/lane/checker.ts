import type { Action } from "../model/action.ts";
import type { Invariant } from "../model/invariant.ts";
import type { World } from "../model/world.ts";
import { isPromise } from "../model/system.ts";
import type { ErrorNews, FindingNews } from "../engine/messages.ts";
import { errorNews, thrown } from "./stepper.ts";

type AnyInvariant = Invariant<never, never>;

/** What the checks of one state brought to light. Reused: copy what is kept. */
export interface Checked {
  readonly findings: FindingNews[];
  readonly errors: ErrorNews[];
  /** The invariant that was checked last. */
  last: string;
}

/** Checks invariants in the state that the world is in. */
export class Checker {
  readonly checked: Checked = { findings: [], errors: [], last: "" };
  readonly #world: World<never, never>;
  readonly #invariants: readonly AnyInvariant[];
  readonly #conditional: readonly AnyInvariant[];

  constructor(world: World<never, never>, invariants: readonly AnyInvariant[]) {
    this.#world = world;
    this.#invariants = invariants;
    this.#conditional = invariants.filter(({ when }) => when !== undefined);
  }

  /** Some invariants are checked after certain actions only, so that an unchanged state does not answer for them. */
  get conditional(): boolean {
    return this.#conditional.length > 0;
  }

  /**
   * Checks what applies after an action; all of them for the root (no action). `unchanged`: the state is the one that the step
   * began in, where all unconditional invariants held. Returns a promise only when a check does.
   */
  check(action: Action<never, never> | undefined, unchanged = false): void | Promise<void> {
    const { findings, errors } = this.checked;
    if (findings.length > 0) findings.length = 0;
    if (errors.length > 0) errors.length = 0;
    return this.#from(0, unchanged ? this.#conditional : this.#invariants, action);
  }

  #from(start: number, invariants: readonly AnyInvariant[], action: Action<never, never> | undefined): void | Promise<void> {
    for (let i = start; i < invariants.length; i++) {
      const invariant = invariants[i]!;
      try {
        if (action !== undefined && invariant.when !== undefined && !invariant.when(action)) continue;
        this.checked.last = invariant.name;
        const held: unknown = invariant.check(this.#world as never);
        if (held === true) continue;
        if (isPromise(held)) {
          return held.then(
            (settled) => this.#judge(invariant, settled),
            (error: unknown) => this.#threw(invariant, error),
          ).then(() => this.#from(i + 1, invariants, action));
        }
        this.#judge(invariant, held);
      } catch (error) {
        this.#threw(invariant, error);
      }
    }
  }

  #judge(invariant: AnyInvariant, held: unknown): void {
    if (held === true) return;
    if (held === false) {
      const { name, severity, message } = invariant;
      this.checked.findings.push({ invariant: name, severity, message });
      return;
    }
    const got = held === undefined ? "nothing" : `${typeof held} ${String(held).slice(0, 40)}`;
    this.checked.errors.push(errorNews("INVARIANT_NOT_BOOLEAN", `Invariant "${invariant.name}" returned ${got}; its check must return true or false.`, invariant.name));
  }

  #threw(invariant: AnyInvariant, error: unknown): void {
    this.checked.errors.push(thrown("INVARIANT_THREW", `Invariant "${invariant.name}" threw`, invariant.name, error));
  }
}
