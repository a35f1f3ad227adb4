import { SeqqaError } from "../../../model/errors.ts";
import { LEASE_SECONDS, leaseOver, RENEWAL_MS } from "../../../stores/external/external-store.ts";
import { inUseError } from "../../../stores/connect/store-errors.ts";
import type { Control } from "../connect/control.ts";
import { leaseLock } from "./journal-sql.ts";

/** The longest wait for the lock of the lease, in seconds. A session that has just ended may still hold the lock for a moment. */
const WAIT_S = 3;
/** A tolerance in milliseconds, because the server starts to measure the silence slightly before {@link Lease.alive} is called. */
const SLACK_MS = 500;

/**
 * Shows the triggers of an external store that the run is alive. The control session holds a lock, and the triggers log only while a session holds
 * this lock. The server ends a session that is silent too long, and thereby releases the lock, however the run ended. A row could not replace the
 * lock. Sessions might read the row from an old snapshot, and renewing it would wait for transactions of the target.
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

  /**
   * Takes the lock of the lease. Must be called before the triggers are installed. `seconds`: the time without a statement after which the server
   * ends the session.
   *
   * @throws SeqqaError `STORE_IN_USE`
   */
  static async hold(control: Control, seconds: number = LEASE_SECONDS): Promise<Lease> {
    const [got] = await control.rows(`select get_lock('${leaseLock(control.store.database)}', ${WAIT_S})`);
    if (got?.[0] !== "1") throw inUseError(control.store);
    await control.rows(`set session wait_timeout = ${seconds}`);
    return new Lease(control, seconds);
  }

  /** Records that the control session is not silent. Must be called when the server has answered a statement of the control session. */
  alive(): void {
    this.#alive = Date.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns the error `LEASE_OVER` if the control session was silent for so long that the server has ended it. Otherwise returns `error`. */
  explain(error: unknown): unknown {
    if (this.#over !== undefined) return this.#over;
    if (error instanceof SeqqaError && error.code === "STORE_LOST" && Date.now() - this.#alive >= this.#ms - SLACK_MS)
      this.#over = leaseOver(`the database ${this.#control.store.shown}`);
    return this.#over ?? error;
  }

  /** Renews the lease between two operations. Inside a transaction, a failed renewal would look like a failure of the transaction. */
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
