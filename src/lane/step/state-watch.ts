import { lateWrite, type StepEvent, type UnitRequest } from "../../messages/lane-messages.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import type { ChunkReport } from "../report/chunk-report.ts";
import { LaneLost } from "../bring-up/lane-lost.ts";
import type { LateWrites } from "../examine/late-writes.ts";
import type { Outcome } from "./outcome.ts";
import { errorEvent, impure as impureError } from "./error-events.ts";
import type { TakenStep } from "./taken-step.ts";
import type { SavedWorld } from "../state/saved-world.ts";
import { otherWriterHint, otherWriterText, type Writer } from "../examine/foreign-writer.ts";
import { WriteInquiry } from "../examine/write-inquiry.ts";

const pendingWorkText = (action: string): string =>
  `A promise or timer of action "${action}" changed the context or a client after the action had ended. Await all work before the action returns.`;

/**
 * Detects changes of the state that no step made, and undoes these changes. The causes are checks that write, and work of the target that continues
 * after its answer.
 */
export class StateWatch {
  /** `true` if a store is outside of this process, so that other processes may write to it. */
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

  /** Returns `true` if the fingerprint of the lane's state differs from `reached`. */
  async differs(reached: { readonly lo: number; readonly hi: number }): Promise<boolean> {
    await this.#base.state.fingerprint(this.#base.canonicalizer, this.#reached);
    return this.#reached.lo !== reached.lo || this.#reached.hi !== reached.hi;
  }

  /**
   * Returns `true` if some code has written to a store since the checkpoint and the state has changed. Jobs of the target may write data that is not
   * part of the state (excluded tables, ignored columns); such writes do not count.
   */
  async otherState(after: SavedWorld, reached: { readonly lo: number; readonly hi: number }): Promise<boolean> {
    return (await this.#base.state.storesChanged(after)) && (await this.differs(reached));
  }

  /**
   * Returns the error for a change of the context or of a client during the checks after a step. Either a check made the change, or the action did
   * not await all of its work.
   */
  async impure(action: number, after: SavedWorld, reached: Fingerprint): Promise<StepEvent["errors"][number]> {
    const { state, checker, actions } = this.#base;
    const isOther = async (): Promise<boolean> => (await state.storesChanged(after)) || this.differs(reached);
    const name = await checker.culprit(actions[action], () => state.restore(after), isOther);
    if (name !== undefined) return impureError(name, "the context or a client");
    const { name: last } = actions[action]!;
    return errorEvent("PENDING_WORK", pendingWorkText(last), last);
  }

  /** Handles a write to a store during the checks after a step. The cause may be a check, the action after its answer, or other code. */
  async writtenDuringChecks(
    unit: UnitRequest,
    action: number,
    after: SavedWorld,
    reached: Fingerprint,
    errors: StepEvent["errors"][number][],
  ): Promise<void> {
    const writer = await this.#inquiry.duringChecks(action, { mark: after, isOther: () => this.otherState(after, reached) });
    if (writer.kind === "check") errors.push(impureError(writer.name, "a store"));
    else this.#reportWriter(unit, action, writer, "while seqqa checked a state");
  }

  /** Watches the stores after the first 202 answer of an action, since the status 202 announces that work continues. */
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
      const { lines: differences, fields } = writer;
      this.#report.divergences.push({ kind: "late_write", path, message, differences, fields, hint: otherWriterHint(fields), ...calls });
    } else if (writer.kind === "late") {
      this.#late.remember(action, writer.fields);
      this.#report.divergences.push(lateWrite({ action: this.#base.actions[action]!.name, fields: writer.fields }, [...unit.path, action]));
    }
  }

  /**
   * Undoes writes that happened after the last restore, so that they do not affect the next action. Usually the previous action made these writes.
   */
  async catchLate(unit: UnitRequest, action: number, mark: SavedWorld): Promise<void> {
    const { state, drawing } = this.#base;
    if (state.ownSet(mark) && (unit.uncertain || (await this.differs(unit)))) {
      const { name } = this.#base.actions[action]!;
      this.#report.divergences.push({ kind: "late_write", path: [...unit.path, action], message: pendingWorkText(name), differences: [] });
      await state.restore(mark);
      return;
    }
    // Every step ends with a read of the stores, so no further read is needed here.
    const changed = state.seenElsewhere(mark);
    if (changed === false || !(await changed)) return;
    await this.#writtenAfterStep(unit, action, mark);
    // The search for the cause may have drawn test data. Select the next action's data again, so that the data is the same as without the search.
    drawing.at(unit.path, unit.path.length, action + 1, unit.draws);
  }

  /** Handles stores that differ from the node although they were restored. Afterwards the stores are in the state of the node. */
  async #writtenAfterStep(unit: UnitRequest, action: number, mark: SavedWorld): Promise<void> {
    const { state, drawing } = this.#base;
    if (!unit.uncertain && !(await this.differs(unit))) return state.restore(mark);
    drawing.at(unit.path, unit.path.length, action, unit.draws);
    const isOther = async (): Promise<boolean> => (await state.storesChanged(mark)) && (unit.uncertain || (await this.differs(unit)));
    this.#reportWriter(unit, action, await this.#inquiry.afterStep(action, { mark, isOther }), "between two actions");
  }

  /**
   * Restores the world after an action. `spot`: `true` also compares the restored state with the node.
   * @throws LaneLost if the states differ
   */
  async putBack(unit: UnitRequest, action: number, mark: SavedWorld, spot = false): Promise<void> {
    const { state } = this.#base;
    if (this.#late.known(action)) await this.#late.drain();
    await state.restore(mark);
    await this.#restored(unit, action, mark, spot);
  }

  /**
   * Restores the world after an action like {@link putBack}, if nothing was written since `after`, the checkpoint after the step. Searching for
   * writes and restoring are one operation. Resolves to `false` and restores nothing if something was written, or if only {@link putBack} can restore
   * the world.
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
    // If a time in the state has passed, the restored state differs from the node although the stores are equal. Do not compare the two states in
    // this case.
    if (!spot || unit.uncertain || state.hasPassed) return;
    await state.fingerprint(canonicalizer, this.#reached);
    if (this.#reached.lo === unit.lo && this.#reached.hi === unit.hi) return;
    throw new LaneLost(
      "dirty",
      `seqqa could not restore the state after action "${this.#base.actions[action]!.name}"`,
      canonicalizer.describe(await state.facts()).slice(0, 20),
    );
  }
}
