import { renameSync, writeFileSync } from "node:fs";
import type { CheckpointChoice } from "../../model/stores/store-adapter.ts";
import { TargetClock, type TargetClockOptions } from "./target-clock.ts";

/** Options of {@link ClockAdapter}. */
export interface ClockAdapterOptions extends TargetClockOptions {
  /** The file from which libfaketime reads how far the target's clock is ahead. */
  readonly file: string;
}

/**
 * The clock of a target that runs under libfaketime, which reads the offset from a file each time the target asks for the time. The monotonic clock is
 * not changed, so timers and timeouts run as usual. The file is deleted together with the run's directory.
 */
export class ClockAdapter extends TargetClock {
  readonly checkpoint: CheckpointChoice = {
    mode: "offset",
    why: "libfaketime gives the target a time that seqqa sets and resets through a file",
  };

  constructor({ file, ...options }: ClockAdapterOptions) {
    super(file, options);
  }

  protected override replace(state: TargetClock["state"]): void {
    super.replace(state);
    // Write another file and rename it, which is atomic: libfaketime reads the old offset or the new one, never an empty file.
    writeFileSync(`${this.uses}.new`, offsetText(state.aheadMs), { mode: 0o600 });
    renameSync(`${this.uses}.new`, this.uses);
  }
}

/** Converts an offset to the format of libfaketime: seconds with a sign. */
export function offsetText(aheadMs: number): string {
  return `+${aheadMs / 1000}\n`;
}
