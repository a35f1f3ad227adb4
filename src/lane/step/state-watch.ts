import { lateWrite, type StepEvent, type UnitRequest } from "../../messages/lane-messages.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { LaneBase } from "../bring-up/bring-up.ts";
import type { ChunkReport } from "../report/chunk-report.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import type { LateWrites } from "../examine/late-writes.ts";
import type { Outcome } from "./outcome.ts";
import { errorEvent, impure as impureError } from "./stepper.ts";
import type { TakenStep } from "./taken-step.ts";
import type { SavedWorld } from "../state/world-state.ts";
import { OTHER_WRITER_HINT, otherWriterText, type Writer } from "../examine/foreign-writer.ts";
import { WriteInquiry } from "../examine/write-inquiry.ts";

const pendingWorkText = (action: string): string =>
  `The context or a client was changed after action "${action}" had ended: by a promise or a timer that it left behind. Await everything before it returns.`;

/**
 * Detects changes of the state that do not belong to a step, and restores the state. Such changes come from checks that write and from work that
 * continues after an answer.
 */
export class StateWatch {
  /** `true` if other processes may write to a store. */
  readonly watched: boolean;
  readonly #base: LaneBase;
  readonly #late: LateWrites;
  readonly #report: ChunkReport;
  readonly #inquiry: WriteInquiry;
  readonly #reached: Fingerprint = { lo: 0, hi: 0 };

  constructor(base: LaneBase, late: LateWrites, report: ChunkReport) {
    this.#base = base;
    this.#late = late;
    this.#report = report;
    this.#inquiry = new WriteInquiry(base, late);
    this.watched = base.state.systems.some(({ traits }) => traits.inMemory !== true);
  }

  /** Returns `true` if the world is in another state than `reached`. */
  async differs(reached: { readonly lo: number; readonly hi: number }): Promise<boolean> {
    await this.#base.state.fingerprint(this.#base.canonicalizer, this.#reached);
    return this.#reached.lo !== reached.lo || this.#reached.hi !== reached.hi;
  }

  /**
   * Returns `true` if a store was written to since the checkpoint, so that the state is another one. The target's own jobs may write data that does
   * not belong to the state (tables that are left out, ignored columns). A restore covers this data, too, but it is not a late write.
   */
  async otherState(after: SavedWorld, reached: { readonly lo: number; readonly hi: number }): Promise<boolean> {
    return (await this.#base.state.storesChanged(after)) && (await this.differs(reached));
  }

  /** Returns the error for a change of the context or of a client during the checks: a check wrote, or an action did not await all of its work. */
  async impure(action: number, after: SavedWorld, reached: Fingerprint): Promise<StepEvent["errors"][number]> {
    const { state, checker, actions } = this.#base;
    const isOther = async (): Promise<boolean> => (await state.storesChanged(after)) || this.differs(reached);
    const name = await checker.culprit(actions[action], () => state.restore(after), isOther);
    if (name !== undefined) return impureError(name, "the context or a client");
    const { name: last } = actions[action]!;
    return errorEvent("PENDING_WORK", pendingWorkText(last), last);
  }

  /** Handles a write to a store during the checks. The writer is a check that calls the API, the action after its answer, or something else. */
  async writtenDuringChecks(
    unit: UnitRequest,
    action: number,
    after: SavedWorld,
    reached: Fingerprint,
    errors: StepEvent["errors"][number][],
  ): Promise<void> {
    const writer = await this.#inquiry.duringChecks(action, { mark: after, isOther: () => this.otherState(after, reached) });
    if (writer.kind === "check") errors.push(impureError(writer.name, "a store"));
    else this.#reportWriter(unit, action, writer, "while a state was checked");
  }

  /** Watches the stores the first time that an action answers with 202, which announces later work. */
  async watchAccepted(unit: UnitRequest, action: number, outcome: Outcome, after: SavedWorld, reached: Fingerprint): Promise<void> {
    if (outcome.status !== 202) return;
    const isOther = (): Promise<boolean> => this.otherState(after, reached);
    if (!(await this.#late.watch(action, isOther))) return;
    this.#reportWriter(unit, action, await this.#inquiry.afterStep(action, { mark: after, isOther }), "after an action was answered");
  }

  #reportWriter(unit: UnitRequest, action: number, writer: Writer, when: string): void {
    if (writer.kind === "itself" || writer.kind === "unknown") {
      const message = otherWriterText(writer, when);
      const path = writer.kind === "itself" ? [] : [...unit.path, action];
      const calls = writer.kind === "itself" ? { calls: path } : {};
      this.#report.divergences.push({ kind: "late_write", path, message, differences: writer.lines, hint: OTHER_WRITER_HINT, ...calls });
    } else this.#reportLate(unit, action);
  }

  #reportLate(unit: UnitRequest, action: number): void {
    this.#late.remember(action);
    this.#report.divergences.push(lateWrite(this.#base.actions[action]!.name, [...unit.path, action]));
  }

  /** Undoes writes since the last restore, so that they do not affect the next action. Most of them come from the previous action. */
  async catchLate(unit: UnitRequest, action: number, mark: SavedWorld): Promise<void> {
    const { state, drawing } = this.#base;
    if (state.ownSet(mark) && (unit.uncertain || (await this.differs(unit)))) {
      const { name } = this.#base.actions[action]!;
      this.#report.divergences.push({ kind: "late_write", path: [...unit.path, action], message: pendingWorkText(name), differences: [] });
      await state.restore(mark);
      return;
    }
    // Every step ends with a read of the stores, so the last read is recent enough.
    const changed = state.seenElsewhere(mark);
    if (changed === false || !(await changed)) return;
    await this.#writtenAfterStep(unit, action, mark);
    // The search for the writer may have drawn data, but the next action must draw the same data as without the search.
    drawing.at(unit.path, unit.path.length, action + 1, unit.draws);
  }

  /** Handles stores that are in another state than the node after a restore. Afterwards they are in the node's state. */
  async #writtenAfterStep(unit: UnitRequest, action: number, mark: SavedWorld): Promise<void> {
    const { state, drawing } = this.#base;
    if (!unit.uncertain && !(await this.differs(unit))) return state.restore(mark);
    drawing.at(unit.path, unit.path.length, action, unit.draws);
    const isOther = async (): Promise<boolean> => (await state.storesChanged(mark)) && (unit.uncertain || (await this.differs(unit)));
    this.#reportWriter(unit, action, await this.#inquiry.afterStep(action, { mark, isOther }), "between two actions");
  }

  /**
   * Restores the world after an action. With `spot`, also compares the restored state with the node.
   * @throws LaneLost if the states differ
   */
  async putBack(unit: UnitRequest, action: number, mark: SavedWorld, spot = false): Promise<void> {
    const { state } = this.#base;
    if (this.#late.known(action)) await this.#late.drain(mark);
    await state.restore(mark);
    await this.#restored(unit, action, mark, spot);
  }

  /**
   * Detects writes since `after`, the checkpoint after the step, and restores the world like {@link putBack}, in one operation. Resolves to `false`
   * and restores nothing if there were writes, or if another check has to come first.
   */
  async putBackUntouched({ unit, action, outcome, mark }: TakenStep, after: SavedWorld, spot: boolean): Promise<boolean> {
    const { state } = this.#base;
    if (outcome.status === 202 || this.#late.known(action) || state.ownChanged(after)) return false;
    const restoring = state.restoreUntouched(mark);
    if (restoring === undefined || !(await restoring)) return false;
    await this.#restored(unit, action, mark, spot);
    return true;
  }

  async #restored(unit: UnitRequest, action: number, mark: SavedWorld, spot: boolean): Promise<void> {
    const { state, canonicalizer } = this.#base;
    if (this.watched && (await state.seenElsewhere(mark))) await this.#writtenAfterStep(unit, action, mark);
    // The stores are restored, but a time that passed meanwhile makes another state.
    if (!spot || unit.uncertain || state.hasPassed) return;
    await state.fingerprint(canonicalizer, this.#reached);
    if (this.#reached.lo === unit.lo && this.#reached.hi === unit.hi) return;
    throw new LaneLost(
      "dirty",
      `After action "${this.#base.actions[action]!.name}" the state could not be restored`,
      canonicalizer.describe(await state.facts()).slice(0, 20),
    );
  }
}
