import type { LaneBase } from "../bring-up/bring-up.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import { poll, type LateWrites } from "./late-writes.ts";
import { writesByItself, writtenLines, type Seen, type Writer } from "./foreign-writer.ts";

/**
 * The interval in milliseconds in which a frequent writer writes again, and how often that has to happen. The late work of an action does not repeat.
 */
const OFTEN_MS = 250;
const OFTEN = 3;
/**
 * The interval in milliseconds in which a rare writer writes again, and how often that has to happen. The late work of an action ends within the
 * interval.
 */
const SELDOM_MS = 1_000;
const SELDOM = 2;
/** If nothing writes for this many milliseconds, a late write belongs to the action and not to a timer. */
const QUIET_MS = 2_000;
/** Number of searches for a cause that may fail on one lane. After them, no further search is made. */
const MOST_OPEN = 3;

/** Finds the cause of an unexpected write to a store: restores the state before the write, and observes which code writes again. */
export class WriteInquiry {
  readonly #base: LaneBase;
  readonly #late: LateWrites;
  /** Names of the checks that were found to write. */
  readonly #impure: Set<string> = new Set();
  #itself: Writer | undefined;
  #open = 0;

  constructor(base: LaneBase, late: LateWrites) {
    this.#base = base;
    this.#late = late;
  }

  /** Finds the cause of a write during the checks of a step. Afterwards the world is in the state that the step led to. */
  async duringChecks(action: number, seen: Seen): Promise<Writer> {
    return this.#asking(seen, async (lines) => {
      // A check that wrote earlier is tried first, since this needs no waiting.
      const known = this.#impure.size > 0 ? await this.#culprit(action, seen) : undefined;
      if (known !== undefined) return known;
      if (await writesByItself(this.#base.state, seen, OFTEN_MS, OFTEN)) return { kind: "itself", lines };
      const check = await this.#culprit(action, seen);
      if (check !== undefined) return check;
      return this.#lateOrItself(action, seen, lines);
    });
  }

  /** Finds the cause of a write after a step was undone, or after a 202 answer. Afterwards the world is in the state of the checkpoint. */
  async afterStep(action: number, seen: Seen): Promise<Writer> {
    if (this.#late.known(action)) {
      await this.#base.state.restore(seen.mark);
      return { kind: "late" };
    }
    return this.#asking(seen, async (lines) => {
      if (await writesByItself(this.#base.state, seen, OFTEN_MS, OFTEN)) return { kind: "itself", lines };
      return this.#lateOrItself(action, seen, lines);
    });
  }

  async #asking(seen: Seen, ask: (lines: readonly string[]) => Promise<Writer>): Promise<Writer> {
    const { state, canonicalizer, stepper } = this.#base;
    const lines = await writtenLines(state, canonicalizer, seen.mark);
    if (this.#itself !== undefined) return this.#itself;
    if (this.#open >= MOST_OPEN) return { kind: "unknown", lines };
    const sent = [...stepper.exchanges];
    const writer = await ask(lines);
    stepper.exchanges.splice(0, stepper.exchanges.length, ...sent);
    await state.restore(seen.mark);
    // The search may have executed the action again, and the action may write late again.
    if (await seen.isOther()) await state.restore(seen.mark);
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

  async #lateOrItself(action: number, seen: Seen, lines: readonly string[]): Promise<Writer> {
    const { state, home } = this.#base;
    if (await writesByItself(state, seen, SELDOM_MS, SELDOM)) return { kind: "itself", lines };
    // Where the root state is made again for each step, an action cannot be repeated in the middle of a step.
    if (home.remade || !(await this.#isLate(action, seen))) return { kind: "unknown", lines };
    // A slow timer may have written after the answer by chance.
    return (await writesByItself(state, seen, QUIET_MS, OFTEN)) ? { kind: "itself", lines } : { kind: "late" };
  }

  /** Executes the action again. Resolves to `true` if a store changes after the answer without a further request. */
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
