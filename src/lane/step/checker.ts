import type { Action } from "../../model/declare/action.ts";
import { isCheckResult, type CheckResult, type Invariant } from "../../model/declare/invariant.ts";
import { Rule } from "../../model/declare/rule.ts";
import type { World } from "../../model/declare/world.ts";
import type { ClientPart } from "../../model/http/client.ts";
import { SeqqaError } from "../../model/errors.ts";
import { isPromise, type Awaitable } from "../../model/stores/store-adapter.ts";
import type { ErrorEvent, FindingEvent } from "../../messages/lane-messages.ts";
import type { Asks } from "../bring-up/asks.ts";
import type { Drawing } from "../bring-up/data-draws.ts";
import { invalidAnswerFinding } from "./invalid-answer.ts";
import type { Stepper } from "./stepper.ts";
import { describe, errorEvent, overloaded } from "./error-events.ts";
import { requireStores } from "../bring-up/store-lost.ts";

type AnyInvariant = Invariant<never, never>;
type AnyAction = Action<never, never>;

/** The result of checking the invariants in one state. The next check reuses the object, so the caller must copy data that it keeps. */
export interface Checked {
  readonly findings: FindingEvent[];
  readonly errors: ErrorEvent[];
  last: string;
}

interface Plan {
  /** The invariants to check after a step that changed something. */
  readonly all: readonly AnyInvariant[];
  /**
   * The invariants with a `when`. After a step that changed nothing, only these invariants are checked: all other invariants were checked in the same
   * state before.
   */
  readonly conditional: readonly AnyInvariant[];
  /** The rules that `StepRules` checks after every step. */
  readonly rules: readonly Rule[];
  readonly error: ErrorEvent | undefined;
}

export interface CheckerParts {
  readonly world: World<never, never>;
  readonly invariants: readonly AnyInvariant[];
  /** The rules that can be checked on this lane. */
  readonly rules: readonly Rule[];
  readonly drawing: Drawing;
  readonly stepper: Pick<Stepper, "thrown" | "checkFailure" | "isCheckShed">;
  readonly asks: Asks;
  readonly clients: readonly ClientPart[];
}

export class Checker {
  readonly checked: Checked = { findings: [], errors: [], last: "" };
  /** Called with the details that a broken rule gives. Only set while a path is recorded. */
  onDetails: ((invariant: string, details: CheckResult) => void) | undefined;
  readonly #world: World<never, never>;
  readonly #invariants: readonly AnyInvariant[];
  readonly #rules: readonly Rule[];
  readonly #drawing: Drawing;
  readonly #stepper: CheckerParts["stepper"];
  readonly #asks: Asks;
  readonly #clients: readonly ClientPart[];
  /** For each client: its saved data in the state that is checked. */
  #saved: readonly unknown[] = [];
  #isRoot = false;
  /**
   * The invariants and rules to check after each action. Determined only once for each action, since `when` always returns the same value for an
   * action.
   */
  readonly #plans: Map<AnyAction, Plan> = new Map();

  constructor({ world, invariants, rules, drawing, stepper, asks, clients }: CheckerParts) {
    this.#world = world;
    this.#invariants = invariants.filter((one) => !(one instanceof Rule));
    this.#rules = rules;
    this.#drawing = drawing;
    this.#stepper = stepper;
    this.#asks = asks;
    this.#clients = clients.filter(({ restoreCookies }) => restoreCookies !== undefined);
  }

  /** Returns `true` if a step of this action needs no check when the step changed nothing. */
  settled(action: AnyAction): boolean {
    const { conditional, rules, error } = this.#plan(action);
    return conditional.length === 0 && rules.length === 0 && error === undefined;
  }

  /**
   * Checks the invariants that apply after an action. Without an action, checks all invariants, in the root state. `unchanged`: `true` if the step
   * changed nothing, so that invariants without a `when` need no check. Only returns a promise if some check returns a promise.
   */
  check(action: AnyAction | undefined, unchanged = false): void | Promise<void> {
    const { findings, errors } = this.checked;
    if (findings.length > 0) findings.length = 0;
    if (errors.length > 0) errors.length = 0;
    this.#isRoot = action === undefined;
    this.#asks.writes?.end();
    this.#saveClients();
    if (action === undefined) {
      // Reset here, because only the beginning of a step resets this member, and there is no step before the root state.
      this.#stepper.checkFailure = undefined;
      return this.#from(0, this.#invariants);
    }
    const plan = this.#plan(action);
    if (plan.error !== undefined) errors.push(plan.error);
    return this.#from(0, unchanged ? plan.conditional : plan.all);
  }

  /** Returns the names of the invariants and rules that are checked after an action. Without an action, returns the names of all invariants. */
  asked(action: AnyAction | undefined): readonly string[] {
    if (action === undefined) return this.#invariants.map(({ name }) => name);
    const { all, rules } = this.#plan(action);
    return [...all, ...rules].map(({ name }) => name);
  }

  rulesAfter(action: AnyAction): readonly Rule[] {
    return this.#plan(action).rules;
  }

  checkAfter(actions: readonly AnyAction[]): void | Promise<void> {
    this.checked.findings.length = 0;
    this.checked.errors.length = 0;
    const asked = new Set(actions.flatMap((action) => this.#plan(action).all));
    this.#saveClients();
    return this.#from(
      0,
      this.#invariants.filter((invariant) => asked.has(invariant)),
    );
  }

  /**
   * Finds the check that writes: runs each check twice from the same state, and returns the name of the first check after which the state has changed
   * both times. Returns `undefined` if no check writes.
   */
  async culprit(
    action: AnyAction | undefined,
    restore: () => Awaitable<void>,
    changed: () => Awaitable<boolean>,
  ): Promise<string | undefined> {
    const invariants = action === undefined ? this.#invariants : this.#plan(action).all;
    const writes = async (invariant: AnyInvariant): Promise<boolean> => {
      await restore();
      this.#saveClients();
      try {
        this.#drawing.by(invariant.name);
        await this.#asks.during(() => invariant.check(this.#world));
      } catch {
        // Ignore the error, since it was reported when the check ran for the first time.
      }
      this.#undoCookies();
      return changed();
    };
    for (const invariant of invariants) if ((await writes(invariant)) && (await writes(invariant))) return invariant.name;
    return undefined;
  }

  /** Runs checks one after another. Stops after a check that gets no answer, since further checks would call a target that has ended or hangs. */
  #from(start: number, invariants: readonly AnyInvariant[]): void | Promise<void> {
    for (let i = start; i < invariants.length && this.#stepper.checkFailure === undefined; i++) {
      const invariant = invariants[i]!;
      this.checked.last = invariant.name;
      try {
        this.#drawing.by(invariant.name);
        this.#stepper.isCheckShed = false;
        const held: unknown = this.#asks.during(() => invariant.check(this.#world));
        if (isPromise(held)) {
          return held
            .then(
              (settled) => this.#judge(invariant, settled),
              (error: unknown) => this.#threw(invariant, error),
            )
            .then(() => {
              this.#undoCookies();
              return this.#from(i + 1, invariants);
            });
        }
        if (held !== true) this.#judge(invariant, held);
      } catch (error) {
        this.#threw(invariant, error);
      }
    }
  }

  #saveClients(): void {
    if (this.#clients.length > 0) this.#saved = this.#clients.map((client) => client.save());
  }

  /** Undoes the changes that answers to a check made to cookies. Many servers renew or remove a cookie in answers to requests that only read. */
  #undoCookies(): void {
    for (const [i, client] of this.#clients.entries()) client.restoreCookies!(this.#saved[i]);
  }

  #plan(action: AnyAction): Plan {
    let plan = this.#plans.get(action);
    if (plan === undefined) this.#plans.set(action, (plan = planFor(action, this.#invariants, this.#rules, this.#stepper.thrown)));
    return plan;
  }

  #judge(invariant: AnyInvariant, held: unknown): void {
    const details = isCheckResult(held) ? held : undefined;
    const ok = details?.ok ?? held;
    if (ok === true) return;
    if (ok === false) {
      if (this.#stepper.isCheckShed) return void this.checked.errors.push(overloaded());
      const { name, severity, message } = invariant;
      this.checked.findings.push({ invariant: name, severity, message: typeof details?.message === "string" ? details.message : message });
      if (details !== undefined) this.onDetails?.(name, details);
      return;
    }
    const got = held === undefined ? "nothing" : describe(held);
    this.checked.errors.push(
      errorEvent(
        "INVARIANT_NOT_BOOLEAN",
        `The check of invariant "${invariant.name}" returned ${got}, but must return true, false, or { ok, actual, expected }.`,
        invariant.name,
      ),
    );
  }

  /**
   * Handles an error that a check threw.
   * @throws LaneLost if a store could not be read
   * @throws SeqqaError (exit status 2) in the root state, if the error shows that the rule is configured wrongly
   */
  #threw(invariant: AnyInvariant, error: unknown): void {
    if (this.#isRoot && error instanceof SeqqaError && error.exitStatus === 2) throw error;
    requireStores(error, `Invariant "${invariant.name}" threw`);
    const invalid = invalidAnswerFinding(error, invariant.name);
    if (invalid !== undefined) return void this.checked.findings.push(invalid);
    if (this.#stepper.isCheckShed) return void this.checked.errors.push(overloaded());
    this.checked.errors.push(this.#stepper.thrown("INVARIANT_THREW", `Invariant "${invariant.name}" threw`, invariant.name, error));
  }
}

function planFor(action: AnyAction, invariants: readonly AnyInvariant[], rules: readonly Rule[], thrown: Stepper["thrown"]): Plan {
  let error: ErrorEvent | undefined;
  const asked = ({ name, when }: AnyInvariant): boolean => {
    try {
      return when === undefined || when(action);
    } catch (cause) {
      error ??= thrown("INVARIANT_THREW", `The function \`when\` of invariant "${name}" threw an error`, name, cause);
      return false;
    }
  };
  const all = invariants.filter(asked);
  const applying = rules.filter(asked);
  return { all, conditional: all.filter(({ when }) => when !== undefined), rules: applying, error };
}
