import { renameSync, writeFileSync } from "node:fs";
import { SeqqaError } from "../../model/errors.ts";
import type {
  Checkpoint,
  CheckpointChoice,
  NoGate,
  Observed,
  StoreAdapter,
  StoreScope,
  StoreTraits,
} from "../../model/stores/store-adapter.ts";
import { timeSpanMs } from "./time-span.ts";

export interface ClockAdapterOptions {
  /** The file from which libfaketime reads how far the target's clock is ahead. */
  readonly file: string;
  /** The most moves on one path; default 3. */
  readonly maxAdvances?: number;
}

/** How far the clock was moved. */
interface ClockState {
  readonly aheadMs: number;
  readonly advances: number;
}

/**
 * The target's clock as a store: actions move it, the time is part of the state, and it goes back with the other stores. The target runs under
 * libfaketime, which reads the offset of its clock from a file each time that it is asked for the time; the monotonic clock, and with it timers and
 * timeouts, goes on as it is.
 */
export class ClockAdapter implements StoreAdapter {
  readonly name = "clock";
  readonly checkpoint: CheckpointChoice = { mode: "offset", why: "the target reads its clock's offset from a file" };
  readonly traits: StoreTraits = { portable: true, commits: true };
  readonly uses: string;
  readonly #maxAdvances: number;
  #state: ClockState = { aheadMs: 0, advances: 0 };

  constructor({ file, maxAdvances = 3 }: ClockAdapterOptions) {
    this.uses = file;
    this.#maxAdvances = maxAdvances;
  }

  aheadMs(): number {
    return this.#state.aheadMs;
  }

  /** The number of moves on this path. */
  get advances(): number {
    return this.#state.advances;
  }

  /**
   * Moves the clock ahead: by milliseconds, or by a text such as `"30 days"`, `"90m"`, `"1 week"`. Returns `false`, and moves nothing, once the path has
   * as many moves as `max_advances` allows.
   * @throws SeqqaError `CLOCK_SPAN` for a text that is no time span, or one that is not ahead
   */
  advance(by: number | string): boolean {
    const ms = timeSpanMs(by);
    if (ms === undefined || !(ms > 0)) {
      throw new SeqqaError("CLOCK_SPAN", `The clock cannot be moved by ${JSON.stringify(by)}.`, {
        hint: 'Pass a duration to move the clock ahead by, such as "30 days", "90m" or milliseconds as a number.',
      });
    }
    if (this.#state.advances >= this.#maxAdvances) return false;
    this.#set({ aheadMs: this.#state.aheadMs + ms, advances: this.#state.advances + 1 });
    return true;
  }

  open(_scope: StoreScope): void {
    this.#set(this.#state);
  }

  root(): Observed {
    return this.observe();
  }

  mark(): Checkpoint {
    return this.#state;
  }

  changed(mark: Checkpoint): boolean {
    return mark !== this.#state;
  }

  restore(mark: Checkpoint): void {
    if (mark !== this.#state) this.#set(mark as ClockState);
  }

  observe(): Observed {
    return { kind: "value", value: this.#state };
  }

  capture(): unknown {
    return this.#state;
  }

  write(image: unknown): void {
    this.#set(image as ClockState);
  }

  gate(): NoGate {
    return { kind: "none", why: "it is a clock, which no request waits for" };
  }

  dump(): string {
    return JSON.stringify(this.#state);
  }

  close(): void {
    // The file is removed with the run.
  }

  #set(state: ClockState): void {
    this.#state = state;
    // A reader sees the old offset or the new one, and never an empty file.
    writeFileSync(`${this.uses}.new`, offsetText(state.aheadMs), { mode: 0o600 });
    renameSync(`${this.uses}.new`, this.uses);
  }
}

/** Returns an offset as libfaketime reads it: seconds with a sign. */
export function offsetText(aheadMs: number): string {
  return `+${aheadMs / 1000}\n`;
}
