import { differences, type Canonicalizer } from "../state/index.ts";
import type { LaneBase } from "./bring-up.ts";
import { LaneLost } from "./lane-lost.ts";
import { poll, type LateWrites } from "./late-writes.ts";
import type { WorldMark, WorldState } from "./world-state.ts";

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
const LINES = 10;

/** Who wrote. `itself`: something in the target, or another client, without being asked; `unknown`: it was not seen again. */
export type Writer =
  | { readonly kind: "itself" | "unknown"; readonly lines: readonly string[] }
  | { readonly kind: "late" }
  | { readonly kind: "check"; readonly name: string };

/** A saved state, and how another one is told from it. */
export interface Seen {
  readonly mark: WorldMark;
  /** Whether another state than the saved one was written. */
  readonly isOther: () => Promise<boolean>;
}

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

  /** Whether the action, executed again, writes after its answer while nobody asks anything. */
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

/** Whether another state is written so often while nobody asks anything, each time within so many milliseconds after it was put back. */
export async function writesByItself(
  state: Pick<WorldState, "restore">,
  { mark, isOther }: Seen,
  ms: number,
  times: number,
): Promise<boolean> {
  for (let time = 0; time < times; time++) {
    await state.restore(mark);
    if (!(await poll(isOther, ms))) return false;
  }
  return true;
}

/** What differs from the state of a mark, in lines. The world is in that state again afterwards. */
export async function writtenLines(state: WorldState, canonicalizer: Canonicalizer, mark: WorldMark): Promise<readonly string[]> {
  const now = canonicalizer.describe(await state.facts());
  await state.restore(mark);
  return differences(canonicalizer.describe(await state.facts()), now, LINES);
}

/** Where it was written, as `db.jobs, db.sessions`; empty where the lines do not say. */
function placesOf(lines: readonly string[]): string {
  const places = lines.flatMap((line) => /^[+-] systems\.(\S+) /.exec(line)?.[1] ?? []);
  return [...new Set(places)].join(", ");
}

/** What is said of a writer that is neither an action nor a check. `when`: as in "while the initial state was checked". */
export function otherWriterText({ kind, lines }: Extract<Writer, { readonly lines: readonly string[] }>, when: string): string {
  const places = placesOf(lines);
  const what = `${places === "" ? "A store" : places} was written to ${when}`;
  return kind === "itself"
    ? `${what}, and again while nobody asked for anything: by the target's own timer or job, or by another client`
    : `${what}, and not again when seqqa waited for it: by late work of an action, the target's own timer or job, or another client`;
}

export const OTHER_WRITER_HINT =
  'Switch the job off in target.env, or leave what it writes out of the state (`ignore: ["table.column"]`, or `tables`). Late work of an action is waited for with `target.settle`.';
