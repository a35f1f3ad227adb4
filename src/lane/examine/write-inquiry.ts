import type { LaneBase } from "../bring-up/bring-up.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import { poll, type LateWrites } from "./late-writes.ts";
import { writesByItself, writtenLines, type Seen, type Writer } from "./foreign-writer.ts";

/** Time, in milliseconds, in which a writer that is not an action is expected to write again, and how often it has to: an action's late work ends. */
const OFTEN_MS = 250;
const OFTEN = 3;
/** Time, in milliseconds, for rare writers and for the late work of an action. */
const SELDOM_MS = 1_000;
const SELDOM = 2;
/** Time, in milliseconds, without a write that shows that an action's late work is not a timer's. */
const QUIET_MS = 2_000;
/** Number of inquiries of one lane that may fail; after them no more are made. */
const MOST_OPEN = 3;

/** Finds out who made an unexpected write to a store: restores the state before and observes who writes again. */
export class WriteInquiry {
  readonly #base: LaneBase;
  readonly #late: LateWrites;
  /** Checks that were seen to write. */
  readonly #impure: Set<string> = new Set();
  #itself: Writer | undefined;
  #open = 0;

  constructor(base: LaneBase, late: LateWrites) {
    this.#base = base;
    this.#late = late;
  }

  /** Finds the writer of a change during the checks of a step. The world is in the step's state again afterwards. */
  async duringChecks(action: number, seen: Seen): Promise<Writer> {
    return this.#asking(seen, async (lines) => {
      // A check that was seen to write before is tried first, since that costs no time.
      const known = this.#impure.size > 0 ? await this.#culprit(action, seen) : undefined;
      if (known !== undefined) return known;
      if (await writesByItself(this.#base.state, seen, OFTEN_MS, OFTEN)) return { kind: "itself", lines };
      const check = await this.#culprit(action, seen);
      if (check !== undefined) return check;
      return this.#lateOrItself(action, seen, lines);
    });
  }

  /**
   * Finds the writer of a change after a step was undone, or after an answer that announced work. The world is in the state of the checkpoint again
   * afterwards.
   */
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
    // The repeated action may write late, too.
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
    // Where the target is made again for each branch, an action cannot be executed in the middle of one.
    if (home.remade || !(await this.#isLate(action, seen))) return { kind: "unknown", lines };
    // A slow timer may have fired after the answer by chance.
    return (await writesByItself(state, seen, QUIET_MS, OFTEN)) ? { kind: "itself", lines } : { kind: "late" };
  }

  /** Executes the action again, and resolves to `true` if a store changes after its answer without a further request. */
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
