import type { CheckpointChoice, StoreScope } from "../../model/stores/store-adapter.ts";
import { beginOffset, endOffset, withOffset } from "./moved-date.ts";
import { TargetClock, type TargetClockOptions } from "./target-clock.ts";

/** Options of {@link InProcessClock}. */
export interface InProcessClockOptions extends TargetClockOptions {
  /** A name that no other clock of the thread has. */
  readonly id: string;
}

/**
 * The clock of a target in this process (`target.module`): `Date` is moved in code that {@link callTarget} calls, and in everything that this code
 * starts. Timers and `performance.now()` are not moved.
 */
export class InProcessClock extends TargetClock {
  readonly checkpoint: CheckpointChoice = { mode: "offset", why: "seqqa sets and resets the time that the target's Date returns" };

  constructor({ id, ...options }: InProcessClockOptions) {
    super(id, options);
    beginOffset(this);
  }

  /** Calls code of the target. This code, and everything that it starts, sees the time of this clock. */
  callTarget<T>(call: () => T): T {
    return withOffset(this, call);
  }

  override open(scope: StoreScope): void {
    super.open(scope);
    // Begin the offset here and not in the constructor, because a clock may be opened again after it was closed.
    beginOffset(this);
  }

  override close(): void {
    endOffset(this);
  }
}
