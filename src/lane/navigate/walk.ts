import type { UnitRequest } from "../../messages/lane-messages.ts";
import type { StoreAdapter } from "../../model/stores/store-adapter.ts";
import { stateId } from "../../model/results/state-id.ts";
import type { WalkedStep, WalkJudged, WalkPlace } from "../../model/results/walked.ts";
import { markedDifferences, sameNames, type Marked } from "../../state/index.ts";
import type { RaceGround } from "../races/race-ground.ts";
import { sinceRoot } from "./since-root.ts";
import { withUnanswered, type Judged } from "../step/findings.ts";
import { exchangesOf, type Outcome } from "../step/outcome.ts";
import { judgeStep } from "../step/step-rules.ts";

const CHANGES = 200;

/** Executes actions on a lane one at a time, as a user selects them. Each action is executed in the state after the previous one. */
export class Walk {
  readonly #ground: RaceGround;
  #path: readonly number[] = [];
  #draws: UnitRequest["draws"];
  #lines: Marked | undefined;
  /** The lines of the root state. `undefined` until the walk has observed this state. */
  #root: readonly string[] | undefined;

  constructor(ground: RaceGround) {
    this.#ground = ground;
  }

  /** Brings the lane to the state at the end of a path. Continues from a checkpoint if possible. @throws LaneLost */
  async goTo(path: readonly number[], draws?: UnitRequest["draws"]): Promise<WalkPlace> {
    if (path.length > 0) await this.#observeRoot();
    await this.#ground.goTo(path, draws);
    this.#path = path;
    this.#draws = draws;
    this.#lines = undefined;
    return this.place();
  }

  async place(): Promise<WalkPlace> {
    const { state, canonicalizer, actions, stepper } = this.#ground.base;
    const facts = await state.facts();
    this.#lines ??= canonicalizer.marked(facts);
    const fingerprint = { lo: 0, hi: 0 };
    canonicalizer.fingerprint(facts, fingerprint);
    const applicable = actions.filter((action) => !stepper.skips(action)).map(({ name }) => name);
    const lines = canonicalizer.describe(facts);
    if (this.#path.length === 0) this.#root = lines;
    return { id: stateId(fingerprint), lines, changes: sinceRoot(this.#root ?? [], lines), applicable };
  }

  async #observeRoot(): Promise<void> {
    if (this.#root !== undefined || this.#path.length > 0) return;
    const { state, canonicalizer } = this.#ground.base;
    this.#root = canonicalizer.describe(await state.facts());
  }

  /** Executes one action, and checks the rules in the resulting state. @param spoil Called before the rules are checked, to change the stores. */
  async step(index: number, spoil?: (systems: Readonly<Record<string, StoreAdapter | undefined>>) => Promise<void>): Promise<WalkedStep> {
    const { state, stepper, canonicalizer, actions, drawing } = this.#ground.base;
    const action = actions[index]!;
    await this.#observeRoot();
    this.#ground.leave();
    const mark = await state.mark();
    const before = this.#lines ?? canonicalizer.marked(await state.facts());
    drawing.at([...this.#path, index], this.#path.length, index, this.#draws);
    const outcome = await stepper.run(action);
    const { kind, message } = outcome;
    const status = outcome.response === undefined ? null : outcome.status;
    const requests = exchangesOf(stepper.exchanges, outcome);
    const taken = { action: action.name, kind, message, status, requests };
    const nothing = { changes: [], held: [], broken: outcome.findings, errors: outcome.errors };
    if (kind === "skipped" || kind === "lost") return { ...taken, ...nothing };
    // An action may have sent requests before it failed, so wait for their writes.
    await this.#ground.settle();
    if (kind === "executed") await spoil?.(this.#ground.base.world.systems);
    this.#path = [...this.#path, index];
    const lines = sameNames(before, canonicalizer.marked(await state.facts()));
    this.#lines = lines;
    const changes = markedDifferences(before, lines, CHANGES);
    if (kind === "failed") return { ...taken, ...nothing, changes };
    const judged = await this.#judge(action, outcome, mark);
    const broken = [...outcome.findings, ...judged.findings];
    const errors = [...outcome.errors, ...judged.errors];
    return { ...taken, changes, held: this.#held(action, { broken, errors, unjudged: judged.unjudged }), broken, errors };
  }

  async judgeRoot(): Promise<WalkJudged> {
    const { checker, drawing } = this.#ground.base;
    drawing.root("");
    await checker.check(undefined);
    const { stepper } = this.#ground.base;
    const unanswered = stepper.checkFailure;
    const found = { findings: [...checker.checked.findings], errors: [...checker.checked.errors] };
    const { findings: broken, errors } = unanswered === undefined ? found : withUnanswered(found, unanswered, undefined, "once");
    return { held: this.#held(undefined, { broken, errors, unjudged: [] }), broken, errors };
  }

  /** Checks the rules after a step. Afterwards the world is in the state after the step. */
  async #judge(
    action: RaceGround["base"]["actions"][number],
    outcome: Outcome,
    mark: Parameters<RaceGround["base"]["state"]["changed"]>[0],
  ): Promise<Judged & { readonly unjudged: readonly string[] }> {
    const { base } = this.#ground;
    const { state, checker, stepper } = base;
    const changed = (await state.changed(mark)) || state.systems.length === 0;
    const after = await state.mark();
    await checker.check(action, false);
    let unjudged: readonly string[] = [];
    let isBefore = false;
    let judged: Judged = { findings: [...checker.checked.findings], errors: [...checker.checked.errors] };
    if (stepper.checkFailure === undefined) {
      const rules = await judgeStep(base, { action, outcome, changed, mark }, () => this.#ground.settle());
      judged = { findings: [...judged.findings, ...rules.findings], errors: [...judged.errors, ...rules.errors] };
      unjudged = rules.unjudged.map(({ invariant }) => invariant);
      isBefore = rules.asksEarlier;
    }
    const unanswered = stepper.checkFailure;
    if (unanswered !== undefined) return { ...withUnanswered(judged, unanswered, action.name, "once"), unjudged };
    // A rule was checked in the state before the step, so the checkpoint after the step is invalid. Execute the path again.
    if (isBefore) await this.#ground.goTo(this.#path, this.#draws);
    else if (await state.changed(after)) await state.restore(after);
    return { ...judged, unjudged };
  }

  /**
   * Returns the names of the rules that hold after the step. If a request of a rule got no answer, this rule and the rules after it are left out:
   * they were not checked.
   */
  #held(
    action: RaceGround["base"]["actions"][number] | undefined,
    { broken, errors, unjudged }: Pick<WalkJudged, "broken" | "errors"> & { readonly unjudged: readonly string[] },
  ): readonly string[] {
    const { checker, stepper } = this.#ground.base;
    // The target refused a request because of overload, but it is not known for which rule, so no rule counts as holding.
    if (errors.some(({ code }) => code === "TARGET_OVERLOADED")) return [];
    const notHeld = new Set([...broken.map(({ invariant }) => invariant), ...errors.map(({ source }) => source), ...unjudged]);
    const asked = checker.asked(action);
    const last = stepper.checkFailure === undefined ? asked.length : asked.indexOf(checker.checked.last);
    return asked.slice(0, Math.max(last, 0)).filter((name) => !notHeld.has(name));
  }
}
