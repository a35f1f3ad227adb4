import { setTimeout as pause } from "node:timers/promises";
import type { Gate, HeldWrite, WriteFault, WriteFaults } from "../model/stores/store-adapter.ts";

const END_PAUSE_MS = 2;

/** A gate that can make a held write fail. */
export interface FailingGate extends Gate {
  readonly faults: Pick<WriteFaults, "kinds" | "missing">;
  /** Starts counting the target's write statements without holding any. */
  watch(): Promise<void>;
  /** Resolves to the number of write statements since {@link watch}, once `done` has settled. */
  watched(done: Promise<unknown>): Promise<number>;
  /**
   * Makes the held write fail and disarms the gate. Returns `false` if the server does not allow it; the write is then executed. For `kill`, the
   * target's process must have ended already.
   */
  fail(fault: WriteFault): Promise<boolean>;
}

/** Waits for the end of a session, by default without a limit. A proxy before the server may keep a killed target's session open. */
export async function untilGone(isThere: () => Promise<boolean>, limitMs: number = Infinity): Promise<void> {
  const until = performance.now() + limitMs;
  while ((await isThere()) && performance.now() < until) await pause(END_PAUSE_MS);
}

/** Makes writes fail at a gate. Each write is held first, so that exactly the chosen write fails. */
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
