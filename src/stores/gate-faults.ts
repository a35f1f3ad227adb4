import { setTimeout as pause } from "node:timers/promises";
import type { Gate, HeldWrite, WriteFault, WriteFaults } from "../model/stores/store-adapter.ts";

/** Milliseconds between two looks at a session that was ended. */
const END_PAUSE_MS = 2;

/** A gate that can make the write fail before which it holds a connection. */
export interface FailingGate extends Gate {
  /** How a held write can fail. */
  readonly faults: Pick<WriteFaults, "kinds" | "missing">;
  /** Counts the target's write statements from here on; none is held. */
  watch(): Promise<void>;
  /** Resolves with the number of write statements since {@link watch}, once `done` has settled. */
  watched(done: Promise<unknown>): Promise<number>;
  /**
   * Makes the held write fail and disarms. Returns `false` if the server does not allow it: then the write is made. For `kill` the process behind the
   * connection has ended.
   */
  fail(fault: WriteFault): Promise<boolean>;
}

/** Waits for the end of a session, without a limit by default. A proxy before the server may keep the session of a target that was killed. */
export async function untilGone(isThere: () => Promise<boolean>, limitMs: number = Infinity): Promise<void> {
  const until = performance.now() + limitMs;
  while ((await isThere()) && performance.now() < until) await pause(END_PAUSE_MS);
}

/** Makes writes fail at a gate: the write is held first, so that it is known which one fails, and that no other does. */
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
