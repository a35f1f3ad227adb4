import { renameSync, writeFileSync } from "node:fs";
import { SeqqaError } from "../../model/errors.ts";
import type { CheckpointChoice, Observed, StoreScope } from "../../model/stores/store-adapter.ts";
import { ValueAdapter } from "../../stores/value-adapter.ts";
import { timeSpanMs } from "./time-span.ts";

/** Options of {@link ClockAdapter}. */
export interface ClockAdapterOptions {
  /** The file from which libfaketime reads how far the target's clock is ahead. */
  readonly file: string;
  /** The maximum number of moves on one path. Default: 3. */
  readonly maxAdvances?: number;
}

interface ClockState {
  readonly aheadMs: number;
  readonly advances: number;
}

/**
 * The target's clock as a store: actions move the clock ahead, the offset is part of the state, and a restore sets it back. The target runs under
 * libfaketime, which reads the offset from a file each time the target asks for the time. The monotonic clock is not changed, so timers and timeouts
 * run as usual.
 */
export class ClockAdapter extends ValueAdapter<ClockState> {
  readonly name = "clock";
  readonly checkpoint: CheckpointChoice = { mode: "offset", why: "the target reads its clock's offset from a file" };
  readonly #maxAdvances: number;

  constructor({ file, maxAdvances = 3 }: ClockAdapterOptions) {
    super(file, "a clock, which never makes a request wait", { aheadMs: 0, advances: 0 });
    this.#maxAdvances = maxAdvances;
  }

  aheadMs(): number {
    return this.state.aheadMs;
  }

  /** The number of times that the clock was moved ahead on this path. */
  get advances(): number {
    return this.state.advances;
  }

  /**
   * Moves the clock ahead by milliseconds, or by a text such as `"30 days"`, `"90m"` or `"1 week"`. Returns `false` without moving the clock if the
   * path already has `max_advances` moves.
   * @throws SeqqaError `CLOCK_SPAN` for a text that is not a time span, and for a time span that is not positive
   */
  advance(by: number | string): boolean {
    const ms = timeSpanMs(by);
    if (ms === undefined || !(ms > 0)) {
      throw new SeqqaError("CLOCK_SPAN", `The clock cannot be moved by ${JSON.stringify(by)}.`, {
        hint: 'Pass a duration to move the clock ahead by, such as "30 days", "90m" or milliseconds as a number.',
      });
    }
    if (this.state.advances >= this.#maxAdvances) return false;
    this.replace({ aheadMs: this.state.aheadMs + ms, advances: this.state.advances + 1 });
    return true;
  }

  open(_scope: StoreScope): void {
    this.replace(this.state);
  }

  observe(): Observed {
    return { kind: "value", value: this.state };
  }

  close(): void {
    // The file is deleted together with the run's directory.
  }

  protected override replace(state: ClockState): void {
    super.replace(state);
    // Write another file and rename it, which is atomic: libfaketime reads the old offset or the new one, never an empty file.
    writeFileSync(`${this.uses}.new`, offsetText(state.aheadMs), { mode: 0o600 });
    renameSync(`${this.uses}.new`, this.uses);
  }
}

/** Returns an offset in the format of libfaketime: seconds with a sign. */
export function offsetText(aheadMs: number): string {
  return `+${aheadMs / 1000}\n`;
}
