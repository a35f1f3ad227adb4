import type { LaneBase } from "../bring-up/lane-base.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import { poll, type LateWrites } from "./late-writes.ts";
import { writesByItself, written, type Seen, type Writer, type Written } from "./foreign-writer.ts";

/**
 * A job of the target counts as frequent if it writes within this many milliseconds after each of OFTEN restores. Work that an action left unfinished
 * writes only once.
 */
const OFTEN_MS = 250;
const OFTEN = 3;
/**
 * A job of the target counts as rare if it writes within this many milliseconds after each of SELDOM restores. Work that an action left unfinished
 * ends within this time.
 */
const SELDOM_MS = 1_000;
const SELDOM = 2;
/**
 * How long the stores are watched while no action is executed, in milliseconds. If nothing is written in this time, a late write came from the action
 * and not from a timer.
 */
const QUIET_MS = 2_000;
/** Maximum number of searches on one lane that do not find the cause of a write. After these searches, the lane does not search again. */
const MOST_OPEN = 3;

/**
 * Finds out which code made an unexpected write to a store. Restores the state before the write, executes code again, and watches the store for the
 * same write.
 */
export class WriteInquiry {
  readonly #base: LaneBase;
  readonly #late: LateWrites;
  /** Names of the checks that are known to write. */
  readonly #impure: Set<string> = new Set();
  #itself: Writer | undefined;
  #open = 0;

  constructor(base: LaneBase, late: LateWrites) {
    this.#base = base;
    this.#late = late;
  }

  /** Finds the cause of a write that happened while rules were checked after a step. Afterwards the world is in the state after the step. */
  async duringChecks(action: number, seen: Seen): Promise<Writer> {
    return this.#asking(seen, async (changes) => {
      // If a check is known to write, try the checks first, since trying them needs no waiting.
      const known = this.#impure.size > 0 ? await this.#culprit(action, seen) : undefined;
      if (known !== undefined) return known;
      if (await writesByItself(this.#base.state, seen, OFTEN_MS, OFTEN)) return { kind: "itself", ...changes };
      const check = await this.#culprit(action, seen);
      if (check !== undefined) return check;
      return this.#lateOrItself(action, seen, changes);
    });
  }

  /**
   * Finds the cause of a write that happened after a step was undone, or after a 202 answer. Afterwards the world is in the state of the checkpoint.
   */
  async afterStep(action: number, seen: Seen): Promise<Writer> {
    if (this.#late.known(action)) {
      await this.#base.state.restore(seen.mark);
      return { kind: "late", fields: this.#late.fieldsOf(action) };
    }
    return this.#asking(seen, async (changes) => {
      if (await writesByItself(this.#base.state, seen, OFTEN_MS, OFTEN)) return { kind: "itself", ...changes };
      return this.#lateOrItself(action, seen, changes);
    });
  }

  async #asking(seen: Seen, ask: (changes: Written) => Promise<Writer>): Promise<Writer> {
    const { state, canonicalizer, stepper } = this.#base;
    // Save the rows before the first restore, because another client may have written them.
    const saving = state.asks.writes?.saveLate();
    const changes = await written(state, canonicalizer, seen.mark);
    if (this.#itself !== undefined) return this.#itself;
    if (this.#open >= MOST_OPEN) return { kind: "unknown", ...changes };
    const sent = [...stepper.exchanges];
    const writer = await ask(changes);
    stepper.exchanges.splice(0, stepper.exchanges.length, ...sent);
    await state.restore(seen.mark);
    // The search for the cause may have executed the action again, and the action may have written late again. Restore the checkpoint in this case.
    if (await seen.isOther()) await state.restore(seen.mark);
    if (writer.kind === "check" || writer.kind === "late") saving?.settle(() => true);
    if (writer.kind === "itself") this.#itself = writer;
    if (writer.kind === "unknown") this.#open++;
    return writer;
  }

  async #culprit(action: number, { mark, isOther }: Seen): Promise<Writer | undefined> {
    const { checker, state, actions } = this.#base;
    const name = await checker.culprit(actions[action], () => state.restore(mark), isOther);
    if (name === undefined) return undefined;
    this.#impure.add(name);
    return { kind: "check", name };
  }

  async #lateOrItself(action: number, seen: Seen, changes: Written): Promise<Writer> {
    const { state, home } = this.#base;
    if (await writesByItself(state, seen, SELDOM_MS, SELDOM)) return { kind: "itself", ...changes };
    // If the root state is restored by running `setup` again, an action cannot be repeated here, so the cause remains unknown.
    if (home.remade || !(await this.#isLate(action, seen))) return { kind: "unknown", ...changes };
    // The write after the answer may come from a slow timer of the target by chance, so watch the stores without executing the action.
    return (await writesByItself(state, seen, QUIET_MS, OFTEN)) ? { kind: "itself", ...changes } : { kind: "late", fields: changes.fields };
  }

  /** Executes the action again. Resolves to `true` if a store changes after the answer, although no further request is sent. */
  async #isLate(action: number, { mark }: Seen): Promise<boolean> {
    const { state, stepper, actions, canonicalizer } = this.#base;
    await state.restore(mark);
    const outcome = await stepper.run(actions[action]!);
    if (outcome.kind === "lost") throw new LaneLost(outcome.lost!, outcome.message);
    const answered = await state.position();
    const was = { lo: 0, hi: 0 };
    const now = { lo: 0, hi: 0 };
    await state.fingerprint(canonicalizer, was);
    return poll(async () => {
      if (!(await state.storesChanged(answered))) return false;
      await state.fingerprint(canonicalizer, now);
      return now.lo !== was.lo || now.hi !== was.hi;
    }, SELDOM_MS);
  }
}
