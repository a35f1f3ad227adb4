import { setTimeout as pause } from "node:timers/promises";
import type { Gate, HeldWrite, WriteFault, WriteFaults } from "../../model/stores/store-adapter.ts";

const END_PAUSE_MS = 2;

/** A gate that can make a write fail while it holds the write. */
export interface FailingGate extends Gate {
  readonly faults: Pick<WriteFaults, "kinds" | "missing">;
  /** Starts counting the write statements of the target. The gate does not hold the counted statements. */
  watch(): Promise<void>;
  /** Waits until `done` has settled, and returns the number of write statements that the target has made since {@link watch} was called. */
  watched(done: Promise<unknown>): Promise<number>;
  /**
   * Makes the held write fail, then lets all further writes pass. Returns `false` if seqqa cannot make the write fail on this server; the held write
   * then succeeds. For the fault `kill`, the target's process must have ended before the call.
   */
  fail(fault: WriteFault): Promise<boolean>;
}

/**
 * Waits until a database session has ended, but not longer than `limitMs` (default: no limit). The limit is needed if a proxy between the target and
 * the server keeps the session of a killed target open.
 */
export async function untilGone(isThere: () => Promise<boolean>, limitMs: number = Infinity): Promise<void> {
  const until = performance.now() + limitMs;
  while ((await isThere()) && performance.now() < until) await pause(END_PAUSE_MS);
}

/** Makes single writes of the target fail. The gate first holds the write, so that exactly the chosen write fails. */
export class GateFaults implements WriteFaults {
  readonly kind = "faults";
  readonly kinds: readonly WriteFault[];
  readonly missing: WriteFaults["missing"];
  readonly #gate: FailingGate;
  #fault: WriteFault = "error";

  constructor(gate: FailingGate) {
    this.#gate = gate;
    this.kinds = gate.faults.kinds;
    this.missing = gate.faults.missing;
  }

  watch(): Promise<void> {
    return this.#gate.watch();
  }

  watched(done: Promise<unknown>): Promise<number> {
    return this.#gate.watched(done);
  }

  arm(write: number, fault: WriteFault): Promise<void> {
    this.#fault = fault;
    return this.#gate.arm(write);
  }

  async failed(done: Promise<unknown>, kill?: () => Promise<void>): Promise<HeldWrite | undefined> {
    const held = await this.#gate.held(done);
    if (held === undefined) return undefined;
    if (this.#fault === "kill") await kill?.();
    return (await this.#gate.fail(this.#fault)) ? held : undefined;
  }

  disarm(): Promise<void> {
    return this.#gate.release();
  }
}
