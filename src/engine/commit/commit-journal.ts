import { LONGEST, writeCommit } from "./commit-rows.ts";
import type { ErrorEvent, FindingEvent, StepEvent, InconclusiveEvent } from "../../messages/lane-messages.ts";

/** What a step brought to light, as far as it has to be known for committing it again. */
export interface JournalEvent {
  readonly findings: readonly FindingEvent[];
  readonly errors: readonly ErrorEvent[];
  readonly unjudged?: readonly InconclusiveEvent[] | undefined;
}

/** Records since the last {@link CommitJournal.take}; whoever takes them puts in the place of each news where it is found. */
export interface JournalBatch {
  /** As in commit-rows.ts. */
  readonly rows: Int32Array;
  readonly news: readonly { readonly place: number; readonly news: JournalEvent }[];
  readonly checks: readonly DoneCheck[];
}

/** A sampled node that was expanded once more and compared, or need not be. */
export interface DoneCheck {
  readonly node: number;
  /** Along a second path; else by replay, where it was written directly. */
  readonly merge: boolean;
}

/** What is committed, row by row, for whoever writes it down: everything that committing it once more needs. */
export class CommitJournal {
  /** `false` while rows are committed that were written down before. */
  recording = true;
  #rows: Int32Array = new Int32Array(1 << 12);
  #size = 0;
  /** The node that the last record leaves. */
  #before = -1;
  #news: { place: number; news: JournalEvent }[] = [];
  #checks: DoneCheck[] = [];

  add(from: number, action: number, rows: Int32Array, at: number, to: number, news: StepEvent | undefined): void {
    if (!this.recording) return;
    if (this.#size + LONGEST > this.#rows.length) {
      const grown = new Int32Array(this.#rows.length * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    this.#size = writeCommit(this.#rows, this.#size, from, action, rows, at, to, news === undefined ? -1 : 0, this.#before);
    this.#before = from;
    if (news === undefined) return;
    const { findings, errors, unjudged } = news;
    this.#news.push({ place: this.#size - 1, news: { findings, errors, ...(unjudged !== undefined && { unjudged }) } });
  }

  checked(check: DoneCheck): void {
    this.#checks.push(check);
  }

  /** The rows are valid until the next {@link add}. */
  take(): JournalBatch {
    const batch = { rows: this.#rows.subarray(0, this.#size), news: this.#news, checks: this.#checks };
    this.#size = 0;
    this.#before = -1;
    this.#news = [];
    this.#checks = [];
    return batch;
  }
}
