import { SeqqaError } from "../../../model/errors.ts";
import { LEASE_SECONDS, leaseOver, RENEWAL_MS } from "../../../stores/external-store.ts";
import { inUseError } from "../../../stores/store-errors.ts";
import type { Control } from "../connect/control.ts";
import { leaseLock } from "./journal-sql.ts";

/** Seconds that the lock of a session that has just ended may still be held. */
const WAIT_S = 3;
/** The server counts from the beginning of the answer that {@link Lease.alive} records, or from a little earlier. */
const SLACK_MS = 500;

/**
 * Keeps an external store's triggers logging while the run gives signs of life. The control session holds a lock that every trigger asks for. The
 * server ends that session once it was silent for too long, and the lock goes with it, however the run ended. User locks are the same in every
 * transaction, while a row could be read from an old snapshot. They also make no renewal wait for a target's transaction.
 */
export class Lease {
  readonly #control: Control;
  readonly #ms: number;
  readonly #timer: NodeJS.Timeout;
  #alive = Date.now();
  #pending = false;
  #over: SeqqaError | undefined;

  private constructor(control: Control, seconds: number) {
    this.#control = control;
    this.#ms = seconds * 1000;
    this.#timer = setInterval(() => void this.#renew(), RENEWAL_MS);
    this.#timer.unref();
  }

  /** Takes the lock, before the first logged change. `seconds`: the longest silence. @throws SeqqaError `STORE_IN_USE` */
  static async hold(control: Control, seconds: number = LEASE_SECONDS): Promise<Lease> {
    const [got] = await control.rows(`select get_lock('${leaseLock(control.store.database)}', ${WAIT_S})`);
    if (got?.[0] !== "1") throw inUseError(control.store);
    await control.rows(`set session wait_timeout = ${seconds}`);
    return new Lease(control, seconds);
  }

  /** Records that a statement of the control session was answered. */
  alive(): void {
    this.#alive = Date.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Explains why the control session failed if the server has ended it; other errors stay as they are. */
  explain(error: unknown): unknown {
    if (this.#over !== undefined) return this.#over;
    if (error instanceof SeqqaError && error.code === "STORE_LOST" && Date.now() - this.#alive >= this.#ms - SLACK_MS)
      this.#over = leaseOver(`the database ${this.#control.store.shown}`);
    return this.#over ?? error;
  }

  /** Waits for its turn: a renewal between two statements of a transaction would be harmless, but its error would be the transaction's. */
  async #renew(): Promise<void> {
    if (this.#pending) return;
    this.#pending = true;
    try {
      await this.#control.inTurn(() => this.#control.rows("do 0"));
      this.alive();
    } catch (error) {
      this.explain(error);
      this.stop();
    } finally {
      this.#pending = false;
    }
  }
}
