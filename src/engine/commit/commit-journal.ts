import { LONGEST, writeCommit, type CommitEdge } from "./commit-rows.ts";
import type { ErrorEvent, FindingEvent, StepEvent, InconclusiveEvent } from "../../messages/lane-messages.ts";

/** The step events that are needed to recommit a step when a run is resumed. */
export interface JournalEvent {
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly unjudged?: readonly InconclusiveEvent[] | undefined;
}

/**
 * The committed outcomes and finished cross-checks since the last {@link CommitJournal.take}. The caller stores the step events in `stepEvents`, and
 * writes the id of each stored step event into `rows` at its `place`.
 */
export interface JournalBatch {
  /** The committed outcomes, in the format of commit-rows.ts. */
  readonly rows: Int32Array;
  readonly stepEvents: readonly { readonly place: number; readonly stepEvents: JournalEvent }[];
  readonly checks: readonly DoneCheck[];
}

/** A node whose cross-check is finished or unnecessary. */
export interface DoneCheck {
  readonly node: number;
  /** The kind of cross-check. `true`: along a second path to the node. `false`: by replay, for a node that was reached by snapshot. */
  readonly merge: boolean;
  /** The last edge of the second path of an audit, as a number. Absent if the check is not an audit. */
  readonly edge?: number | undefined;
}

/** Collects committed outcomes for the run log, with all data that is needed to recommit them. */
export class CommitJournal {
  /** `false` while stored outcomes are recommitted, since the run log already contains these outcomes. */
  recording = true;
  #rows: Int32Array = new Int32Array(1 << 12);
  #size = 0;
  /** The node in which the action of the last collected outcome was executed. -1 before the first outcome. */
  #before = -1;
  #stepEvents: { place: number; stepEvents: JournalEvent }[] = [];
  #checks: DoneCheck[] = [];

  add(edge: CommitEdge, stepEvents: StepEvent | undefined): void {
    if (!this.recording) return;
    if (this.#size + LONGEST > this.#rows.length) {
      const grown = new Int32Array(this.#rows.length * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    // Events that only name counters are not stored, because a resumed search finds these counters again.
    const isStored =
      stepEvents !== undefined && (stepEvents.findings.length + stepEvents.errors.length > 0 || stepEvents.unjudged !== undefined);
    this.#size = writeCommit(this.#rows, this.#size, edge, isStored ? 0 : -1, this.#before);
    this.#before = edge.from;
    if (!isStored) return;
    const { findings, errors, unjudged } = stepEvents;
    this.#stepEvents.push({ place: this.#size - 1, stepEvents: { findings, errors, ...(unjudged !== undefined && { unjudged }) } });
  }

  checked(check: DoneCheck): void {
    this.#checks.push(check);
  }

  /** Returns everything that was collected since the last call, and starts a new batch. The rows are valid until the next {@link add}. */
  take(): JournalBatch {
    const batch = { rows: this.#rows.subarray(0, this.#size), stepEvents: this.#stepEvents, checks: this.#checks };
    this.#size = 0;
    this.#before = -1;
    this.#stepEvents = [];
    this.#checks = [];
    return batch;
  }
}
