import type { SeqqaError } from "../../../model/errors.ts";
import { leaseOver, RENEWAL_MS } from "../../../stores/external-store.ts";
import type { Control } from "../connect/control.ts";
import { codeOf } from "../connect/failures.ts";
import { LEASE_HOLDS, LEASE_STATE, RENEW_LEASE } from "./lease-sql.ts";

/** The sign of life of a run in a user's own database. */
export class Lease {
  readonly #control: Control;
  readonly #timer: NodeJS.Timeout;
  #waits = false;

  /** Renews the lease until {@link stop}, between the operations of the connection. */
  constructor(control: Control) {
    this.#control = control;
    this.#timer = setInterval(() => this.#renewInTurn(), RENEWAL_MS);
    this.#timer.unref();
  }

  /** Renews the lease during an operation that takes long. A lease that is over stays over. */
  async renew(): Promise<void> {
    await this.#control.rows(RENEW_LEASE);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #renewInTurn(): void {
    if (this.#waits) return;
    this.#waits = true;
    const renewed = this.#control.inTurn(() => this.renew());
    // The next operation finds out what is wrong.
    void renewed.catch(() => undefined).finally(() => (this.#waits = false));
  }
}

/** Fails if the lease is over; for a transaction that writes afterwards. @throws SeqqaError `LEASE_OVER` */
export async function requireLease(control: Control): Promise<void> {
  try {
    const [row] = await control.rows(`select ${LEASE_HOLDS}`);
    if (row?.[0] === "t") return;
  } catch (error) {
    if (!isLeaseOver(error)) throw error;
  }
  throw leaseOverOn(control);
}

/** Returns `true` for the error of a statement that found the lease over, or the whole installation gone. */
export function isLeaseOver(error: unknown): boolean {
  return [LEASE_STATE, "3F000", "42P01", "42883"].includes(codeOf(error));
}

export function leaseOverOn({ store }: Control): SeqqaError {
  return leaseOver(`the database ${store.shown}`);
}
