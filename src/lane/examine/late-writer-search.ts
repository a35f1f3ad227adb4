import { writtenFields } from "../../state/index.ts";
import type { LateWriter } from "../../messages/lane-messages.ts";
import type { Fingerprint } from "../../state/canonical/facts.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { storesFingerprint } from "../state/stores-view.ts";
import { isAt, readProbe } from "./at-state.ts";
import type { Stop } from "./executions.ts";
import { poll, type LateWrites } from "./late-writes.ts";

/**
 * Times in milliseconds for finding late writes: how long to watch the stores after the last step, how long after each step, and the interval between
 * two reads.
 */
const END_WATCH_MS = 100;
const LATE_MS = 200;
const LOOK_MS = 20;

/** Finds the actions of a path that write after they have answered. Executes the path for this purpose. Afterwards the lane may be in any state. */
export class LateWriterSearch {
  readonly #base: LaneBase;
  readonly #goHome: () => Promise<unknown>;
  readonly #late: LateWrites;

  /** @param goHome Brings the lane from any state to the root state. */
  constructor(base: LaneBase, goHome: () => Promise<unknown>, late: LateWrites) {
    this.#base = base;
    this.#goHome = goHome;
    this.#late = late;
  }

  /**
   * Returns the actions that write after they have answered. Searches for such actions only if the state changes after the last step, or if the state
   * differs from `known`. `stops`: the states after the steps of the path. `watchMs`: how long to watch the stores, if longer than usual.
   */
  async atEnd(stops: readonly Stop[], path: readonly number[], known?: Fingerprint, watchMs = 0): Promise<readonly LateWriter[]> {
    const last = stops.at(-1);
    if (last === undefined) return [];
    const isLate = await this.#isLate(last.stores, Math.max(END_WATCH_MS, watchMs));
    // On a slow machine a late write may happen before the first read, so that no change is seen. The late write then appears as a difference from
    // the recorded state.
    if (!isLate && (known === undefined || stops.length < path.length || (await isAt(this.#base, known)))) return [];
    const ms = isLate ? Math.max(LATE_MS, watchMs) : LATE_MS;
    const late = await this.onPath(path, ms);
    if (ms === LATE_MS) return late.length > 0 ? late : this.onPath(path, ms);
    // While the stores are watched for so long, a timer of the target or another client may write. Such a write rarely occurs after the same action
    // twice, so search again and return only the actions that were found twice.
    const again = await this.onPath(path, ms);
    const both = late.filter(isIn(again));
    if (both.length > 0 || late.length + again.length === 0) return both;
    const third = await this.onPath(path, ms);
    return third.filter(isIn([...late, ...again]));
  }

  /** Executes the path again. Returns the actions after which a store changes without a further request, within `watchMs` milliseconds. */
  async onPath(path: readonly number[], watchMs: number = LATE_MS): Promise<readonly LateWriter[]> {
    const { state, stepper, actions, drawing, canonicalizer } = this.#base;
    await this.#goHome();
    const late = new Map<string, ReadonlySet<string>>();
    const gone: number[] = [];
    for (const action of path) {
      drawing.at(gone, gone.length, action);
      const { kind } = await stepper.run(actions[action]!);
      if (kind !== "executed") break;
      gone.push(action);
      await this.#late.settle();
      const before = structuredClone(canonicalizer.withoutLeftOut(await state.observed()));
      if (await this.#isLate(storesFingerprint(await state.facts(), canonicalizer), watchMs)) {
        const { name } = actions[action]!;
        const fields = writtenFields(before, canonicalizer.withoutLeftOut(await state.observed()));
        late.set(name, new Set([...(late.get(name) ?? []), ...fields]));
      }
      if (late.size > 0 && watchMs > LATE_MS) break;
    }
    return [...late].map(([action, fields]) => ({ action, fields: [...fields] }));
  }

  /** Resolves to `true` if the stores change within `ms` milliseconds without a request. `before`: the fingerprint of the stores after the answer. */
  async #isLate(before: Fingerprint, ms: number): Promise<boolean> {
    const { state, canonicalizer, world } = this.#base;
    // Only this lane writes to stores in the memory of this process, so there are no late writes.
    if (world.probe === undefined && state.systems.every(({ traits }) => traits.inMemory === true)) return false;
    let known = before;
    const isOther = async (): Promise<boolean> => {
      await readProbe(state);
      const { nextToPassMs } = state;
      const now = storesFingerprint(await state.facts(), canonicalizer);
      if (nextToPassMs > state.now()) return now.lo !== known.lo || now.hi !== known.hi;
      // The state changed only because time went by (e.g. something expired), not because of a write.
      known = now;
      return false;
    };
    return poll(isOther, ms, LOOK_MS);
  }
}

/** Returns a function that returns `true` if `late` contains a late write by the same action. */
function isIn(late: readonly LateWriter[]): (one: LateWriter) => boolean {
  return ({ action }) => late.some((other) => other.action === action);
}
