import {
  EXCHANGES,
  STATES,
  type CallEvent,
  type Chunk,
  type DetailEvent,
  type Expansion,
  type SnapshotEvent,
  type LaneFailure,
  type StepEvent,
  type OccurrenceEvent,
  ROW,
} from "../../messages/lane-messages.ts";
import { clientPartOf, rejectedCookiesOf } from "../../model/http/client.ts";
import { contextPartOf } from "../../model/context/context.ts";
import type { Facts, Fingerprint } from "../../state/canonical/facts.ts";
import { Occurrences } from "../../state/index.ts";
import type { LaneBase } from "../bring-up/lane-base.ts";
import { briefExchanges, briefLines } from "./step-details.ts";
import type { Outcome } from "../step/outcome.ts";

const NOWHERE: Fingerprint = { lo: 0, hi: 0 };

/** A set of states that the lane knows to be committed. */
export interface Known {
  has(lo: number, hi: number): boolean;
}

export class ChunkReport {
  /** The committed states, as far as the lane knows them. For a committed state that is missing here, the lane sends an unnecessary snapshot. */
  visited: Known | undefined;
  rows: RowWriter = new RowWriter(0);
  stepEvents: StepEvent[] = [];
  snapshots: SnapshotEvent[] = [];
  divergences: Expansion["divergences"][number][] = [];
  checkedSteps = 0;
  readonly #base: LaneBase;
  readonly #captured: Set<number> = new Set();
  /** The details for reports that the chunk requests, as bits of {@link Chunk.details}. */
  #wants = 0;
  #details: DetailEvent[] = [];
  readonly #looker: Occurrences;
  /**
   * The context keys and `ignore` patterns that the engine knows already; see {@link Chunk.occurred}. `undefined` if the engine does not ask for keys
   * and patterns.
   */
  #occurred: ReadonlySet<string> | undefined;
  #occurrences: OccurrenceEvent[] = [];
  #calls: CallEvent[] = [];
  /** The text lines of the state that the action in progress reached. `undefined` if this state is not described. */
  #lines: readonly string[] | undefined;

  constructor(base: LaneBase) {
    this.#base = base;
    this.#looker = new Occurrences(base.ignored.paths);
  }

  begin(chunk: Chunk): void {
    let rows = 0;
    for (const { from, to } of chunk.units) rows += to - from;
    this.rows = new RowWriter(rows);
    this.stepEvents = [];
    this.snapshots = [];
    this.divergences = [];
    this.checkedSteps = 0;
    this.#captured.clear();
    this.#wants = chunk.details ?? 0;
    this.#details = [];
    this.#occurred = chunk.occurred && new Set(chunk.occurred);
    this.#occurrences = [];
    this.#calls = [];
  }

  /** Returns the answer to the chunk. @param replayed Number of steps that were executed again for the chunk, including those of cross-checks. */
  answer(finished: number, failure: LaneFailure | undefined, begun: number, replayed: number): Expansion {
    return {
      finished,
      rows: this.rows.finish(),
      stepEvents: this.stepEvents,
      snapshots: this.snapshots,
      details: this.#wants === 0 ? undefined : this.#details,
      divergences: this.divergences,
      replayed: replayed - this.checkedSteps,
      checked: this.checkedSteps,
      busyMs: performance.now() - begun,
      failure,
      ...(this.#occurrences.length > 0 && { occurrences: this.#occurrences }),
      ...(this.#calls.length > 0 && { calls: this.#calls }),
      ...(this.#twoPackets() && { twoPackets: true }),
      ...this.#waited(),
      ...this.#rejectedCookies(),
      ...this.#stubs(),
    };
  }

  beginAction(): void {
    this.#lines = undefined;
  }

  get wantsDetails(): boolean {
    return this.#wants !== 0;
  }

  get wantsStates(): boolean {
    return (this.#wants & STATES) !== 0;
  }

  /**
   * Returns `true` if the snapshot of a state must be sent: the state is not known to be committed, and the answer does not contain its snapshot yet.
   */
  wanted(lo: number, hi: number): boolean {
    if (!this.#base.state.portable || this.visited?.has(lo, hi) === true) return false;
    const key = (hi & 0x1fffff) * 0x1_0000_0000 + (lo >>> 0);
    if (this.#captured.has(key)) return false;
    this.#captured.add(key);
    return true;
  }

  get wantsOccurrences(): boolean {
    return this.#occurred !== undefined;
  }

  /**
   * Searches the reached state for context keys, and for matches of `ignore` patterns, whose occurrence the engine does not know yet. Adds them to the
   * lane's answer. Also searches known states, because the ignored parts of a state may be different each time.
   */
  noteOccurrences(unit: number, action: number, facts: Facts): void {
    const names = this.#looker.in(facts, contextPartOf(this.#base.world.context).entries, this.#occurred!);
    if (names.length > 0) this.#occurrences.push({ unit, action, names });
  }

  /** Saves the text lines of a reached state for reports, unless the state is known to be committed. */
  describe(lo: number, hi: number, facts: Facts): void {
    if (this.visited?.has(lo, hi) !== true) this.#lines = briefLines(this.#base.canonicalizer.describe(facts));
  }

  /** Records the answers of described operations to the action in progress. */
  noteCalls(unit: number, action: number): void {
    const codes = this.#base.operations?.codes(this.#base.stepper.exchanges) ?? [];
    if (codes.length > 0) this.#calls.push({ unit, action, codes });
  }

  /** Adds the requests of a step and the text lines of the reached state to the answer, for reports. */
  keepDetails(unit: number, action: number, outcome: Outcome): void {
    const exchanges = (this.#wants & EXCHANGES) === 0 ? [] : briefExchanges(this.#base.stepper.exchanges, outcome);
    this.#details.push({ unit, action, exchanges, state: this.#lines });
    this.#lines = undefined;
  }

  /** Returns the target's calls to each stub since the lane was built. */
  #stubs(): Pick<Expansion, "stubs"> | undefined {
    const stubs = Object.entries(this.#base.world.systems).flatMap(([name, system]) => {
      const use = system?.asked?.();
      return use === undefined ? [] : [{ name, ...use }];
    });
    return stubs.length === 0 ? undefined : { stubs };
  }

  /** Returns how long the lane has waited because of each action since the last answer, in milliseconds. Returns `undefined` if it has not waited. */
  #waited(): Pick<Expansion, "waited"> | undefined {
    const { waited } = this.#base.stepper;
    if (waited.size === 0) return undefined;
    const all = Array.from(waited, ([action, ms]) => ({ action, ms }));
    waited.clear();
    return { waited: all };
  }

  #rejectedCookies(): Pick<Expansion, "rejectedCookies"> | undefined {
    const rejectedCookies = rejectedCookiesOf(this.#base.world.allClients().values());
    return rejectedCookies.length === 0 ? undefined : { rejectedCookies };
  }

  #twoPackets(): boolean {
    for (const client of this.#base.world.allClients().values()) if (clientPartOf(client)?.twoPackets === true) return true;
    return false;
  }
}

class RowWriter {
  #rows: Int32Array;
  #used = 0;

  constructor(rows: number) {
    this.#rows = new Int32Array(rows * ROW);
  }

  /**
   * Adds the outcome of a step. `lo` and `hi`: the fingerprint of the state after the step. `response` and `shape`: hashes of the response and of the
   * state's structure, or 0 without a hash.
   */
  push(kind: number, status: number = 0, { lo, hi }: Fingerprint = NOWHERE, response: number = 0, shape: number = 0): void {
    if (this.#used + ROW > this.#rows.length) {
      const grown = new Int32Array(this.#rows.length * 2 + ROW);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    const rows = this.#rows;
    const at = this.#used;
    rows[at] = kind;
    rows[at + 1] = status;
    rows[at + 2] = lo;
    rows[at + 3] = hi;
    rows[at + 4] = response;
    rows[at + 5] = shape;
    this.#used = at + ROW;
  }

  finish(): Int32Array {
    return this.#used === this.#rows.length ? this.#rows : this.#rows.slice(0, this.#used);
  }
}
