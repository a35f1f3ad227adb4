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
import { clientPartOf } from "../../model/http/client.ts";
import { contextPartOf } from "../../model/context/context.ts";
import type { Facts, Fingerprint } from "../../state/canonical/facts.ts";
import { Occurrences } from "../../state/index.ts";
import type { LaneBase } from "../bring-up/bring-up.ts";
import { briefExchanges, briefLines } from "./step-details.ts";
import type { Outcome } from "../step/outcome.ts";

const NOWHERE: Fingerprint = { lo: 0, hi: 0 };

/** A lookup of known states, which are left out. */
export interface Known {
  has(lo: number, hi: number): boolean;
}

/** Collects a lane's report on the chunk that it works on. */
export class ChunkReport {
  /** May be replaced while the lane works. An outdated one only costs bytes. */
  visited: Known | undefined;
  rows: RowWriter = new RowWriter(0);
  news: StepEvent[] = [];
  images: SnapshotEvent[] = [];
  divergences: Expansion["divergences"][number][] = [];
  /** Number of steps that were executed again to check. */
  checkedSteps = 0;
  readonly #base: LaneBase;
  readonly #captured: Set<number> = new Set();
  /** See {@link Chunk.details}. */
  #wants = 0;
  #details: DetailEvent[] = [];
  readonly #looker: Occurrences;
  /** See {@link Chunk.occurred}. */
  #occurred: ReadonlySet<string> | undefined;
  #occurrences: OccurrenceEvent[] = [];
  #calls: CallEvent[] = [];
  /** The lines of the state that the action in progress reached, if they are wanted. */
  #lines: readonly string[] | undefined;

  constructor(base: LaneBase) {
    this.#base = base;
    this.#looker = new Occurrences(base.ignored.paths);
  }

  begin(chunk: Chunk): void {
    let rows = 0;
    for (const { from, to } of chunk.units) rows += to - from;
    this.rows = new RowWriter(rows);
    this.news = [];
    this.images = [];
    this.divergences = [];
    this.checkedSteps = 0;
    this.#captured.clear();
    this.#wants = chunk.details ?? 0;
    this.#details = [];
    this.#occurred = chunk.occurred && new Set(chunk.occurred);
    this.#occurrences = [];
    this.#calls = [];
  }

  /** @param replayed Steps that were executed again for the chunk, also for checks. */
  answer(finished: number, failure: LaneFailure | undefined, begun: number, replayed: number): Expansion {
    return {
      finished,
      rows: this.rows.finish(),
      news: this.news,
      images: this.images,
      details: this.#wants === 0 ? undefined : this.#details,
      divergences: this.divergences,
      replayed: replayed - this.checkedSteps,
      checked: this.checkedSteps,
      busyMs: performance.now() - begun,
      failure,
      ...(this.#occurrences.length > 0 && { occurrences: this.#occurrences }),
      ...(this.#calls.length > 0 && { calls: this.#calls }),
      ...(this.#twoPackets() && { twoPackets: true }),
    };
  }

  /** Forgets the lines of the action before, as another action begins. */
  beginAction(): void {
    this.#lines = undefined;
  }

  /** `true` if details of rows are wanted. */
  get wantsDetails(): boolean {
    return this.#wants !== 0;
  }

  /** `true` if lines of states are wanted. */
  get wantsStates(): boolean {
    return (this.#wants & STATES) !== 0;
  }

  /** Returns `true` if a state's snapshot has to be sent: it is not known to be committed, and was not sent with this chunk. */
  wanted(lo: number, hi: number): boolean {
    if (!this.#base.state.portable || this.visited?.has(lo, hi) === true) return false;
    const key = (hi & 0x1fffff) * 0x1_0000_0000 + (lo >>> 0);
    if (this.#captured.has(key)) return false;
    this.#captured.add(key);
    return true;
  }

  /** `true` while {@link Chunk.occurred} asks which keys and paths the states have. */
  get wantsOccurrences(): boolean {
    return this.#occurred !== undefined;
  }

  /** Takes names from the state that a row reaches, also if it is known: other things may be ignored than when it was reached first. */
  noteOccurrences(unit: number, action: number, facts: Facts): void {
    const names = this.#looker.in(facts, contextPartOf(this.#base.world.context).entries, this.#occurred!);
    if (names.length > 0) this.#occurrences.push({ unit, action, names });
  }

  /** Keeps the lines of every state that is not known to be committed, since this lane does not decide which row commits it first. */
  describe(lo: number, hi: number, facts: Facts): void {
    if (this.visited?.has(lo, hi) !== true) this.#lines = briefLines(this.#base.canonicalizer.describe(facts));
  }

  /** Keeps the answers of described operations that the action in progress got. */
  noteCalls(unit: number, action: number): void {
    const codes = this.#base.operations?.codes(this.#base.stepper.exchanges) ?? [];
    if (codes.length > 0) this.#calls.push({ unit, action, codes });
  }

  /** Keeps the details that reports show of the row written last. */
  keepDetails(unit: number, action: number, outcome: Outcome): void {
    const exchanges = (this.#wants & EXCHANGES) === 0 ? [] : briefExchanges(this.#base.stepper.exchanges, outcome);
    this.#details.push({ unit, action, exchanges, state: this.#lines });
    this.#lines = undefined;
  }

  #twoPackets(): boolean {
    for (const client of this.#base.world.allClients().values()) if (clientPartOf(client)?.twoPackets === true) return true;
    return false;
  }
}

/** Collects the rows of a chunk. */
class RowWriter {
  #rows: Int32Array;
  #used = 0;

  constructor(rows: number) {
    this.#rows = new Int32Array(rows * ROW);
  }

  /** Adds a row. `reached`: the fingerprint of the state that the step led to. `response`, `shape`: their hashes; 0: none. */
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
