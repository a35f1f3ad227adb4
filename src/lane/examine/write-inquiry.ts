import type { LaneBase } from "../bring-up/bring-up.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import { poll, type LateWrites } from "./late-writes.ts";
import { writesByItself, writtenLines, type Seen, type Writer } from "./foreign-writer.ts";

/** Milliseconds in which something that writes by itself is expected to do so again, and how often it has to: an action's late work comes to an end. */
const OFTEN_MS = 250;
const OFTEN = 3;
/** Milliseconds for what writes now and then, and for the late work of an action. */
const SELDOM_MS = 1_000;
const SELDOM = 2;
/** Milliseconds without a write that are needed to believe that an action's late work is not a timer's. */
const QUIET_MS = 2_000;
/** Inquiries of one lane that may come to nothing; after them nothing more is asked. */
const MOST_OPEN = 3;

/** Finds out who wrote to a store when nobody was to: it goes back to the state before, and looks who does it again. */
export class WriteInquiry {
  readonly #base: LaneBase;
  readonly #late: LateWrites;
  /** Checks that were seen writing. */
  readonly #impure: Set<string> = new Set();
  #itself: Writer | undefined;
  #open = 0;

  constructor(base: LaneBase, late: LateWrites) {
    this.#base = base;
    this.#late = late;
  }

  /** Something was written while the state that a step led to was checked. The world is in that state again afterwards. */
  async duringChecks(action: number, seen: Seen): Promise<Writer> {
    return this.#asking(seen, async (lines) => {
      // One that was seen writing before is asked first: that costs no time.
      const known = this.#impure.size > 0 ? await this.#culprit(action, seen) : undefined;
      if (known !== undefined) return known;
      if (await writesByItself(this.#base.state, seen, OFTEN_MS, OFTEN)) return { kind: "itself", lines };
      const check = await this.#culprit(action, seen);
      if (check !== undefined) return check;
      return this.#lateOrItself(action, seen, lines);
    });
  }

  /** Something was written after a step was put back, or after an answer that announced work. The world is in the state of the mark again afterwards. */
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
    // The action that was executed again may write late, too.
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
    // A slow timer may have come after the answer by chance.
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
