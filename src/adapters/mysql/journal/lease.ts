import { SeqqaError } from "../../../model/errors.ts";
import { LEASE_SECONDS, leaseOver, RENEWAL_MS } from "../../../stores/external-store.ts";
import { inUseError } from "../../../stores/store-errors.ts";
import type { Control } from "../connect/control.ts";
import { leaseLock } from "./journal-sql.ts";

/** Seconds to wait for the lock. A session that has just ended may hold the lock for a moment. */
const WAIT_S = 3;
/** The server starts counting slightly before {@link Lease.alive} is called. This tolerance covers the difference. */
const SLACK_MS = 500;

/**
 * Keeps an external store's triggers logging while the run is alive. The control session holds a lock that every trigger checks. The server ends a
 * silent session, and its lock with it, however the run ended. A lock, unlike a row, is never read from an old snapshot, and renewing it waits for no
 * transaction of the target.
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

  /** Takes the lock. Must be called before the triggers are installed. `seconds`: the longest silence. @throws SeqqaError `STORE_IN_USE` */
  static async hold(control: Control, seconds: number = LEASE_SECONDS): Promise<Lease> {
    const [got] = await control.rows(`select get_lock('${leaseLock(control.store.database)}', ${WAIT_S})`);
    if (got?.[0] !== "1") throw inUseError(control.store);
    await control.rows(`set session wait_timeout = ${seconds}`);
    return new Lease(control, seconds);
  }

  /** Records that the server has just answered a statement of the control session. */
  alive(): void {
    this.#alive = Date.now();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Returns the error `LEASE_OVER` if the server has ended the silent control session, and the given error otherwise. */
  explain(error: unknown): unknown {
    if (this.#over !== undefined) return this.#over;
    if (error instanceof SeqqaError && error.code === "STORE_LOST" && Date.now() - this.#alive >= this.#ms - SLACK_MS)
      this.#over = leaseOver(`the database ${this.#control.store.shown}`);
    return this.#over ?? error;
  }

  /** Renews the lease between operations. Within a transaction, a failed renewal would look like a failure of that transaction. */
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
