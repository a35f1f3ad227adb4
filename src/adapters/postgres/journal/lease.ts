import type { SeqqaError } from "../../../model/errors.ts";
import { leaseOver, RENEWAL_MS } from "../../../stores/external-store.ts";
import type { Control } from "../connect/control.ts";
import { codeOf } from "../connect/failures.ts";
import { LEASE_HOLDS, LEASE_STATE, RENEW_LEASE } from "./lease-sql.ts";

/** The lease of a run on an external store, which keeps the triggers logging. */
export class Lease {
  readonly #control: Control;
  readonly #timer: NodeJS.Timeout;
  #waits = false;

  /** Renews the lease between the connection's operations, until {@link stop}. */
  constructor(control: Control) {
    this.#control = control;
    this.#timer = setInterval(() => this.#renewInTurn(), RENEWAL_MS);
    this.#timer.unref();
  }

  /** Renews the lease during a long operation, unless the lease has expired. */
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
    // Errors are ignored, since the next operation reports them.
    void renewed.catch(() => undefined).finally(() => (this.#waits = false));
  }
}

/** Checks the lease before a transaction writes. @throws SeqqaError `LEASE_OVER` */
export async function requireLease(control: Control): Promise<void> {
  try {
    const [row] = await control.rows(`select ${LEASE_HOLDS}`);
    if (row?.[0] === "t") return;
  } catch (error) {
    if (!isLeaseOver(error)) throw error;
  }
  throw leaseOverOn(control);
}

/** Returns `true` for errors that mean that the lease has expired, or that the whole installation was removed. */
export function isLeaseOver(error: unknown): boolean {
  return [LEASE_STATE, "3F000", "42P01", "42883"].includes(codeOf(error));
}

export function leaseOverOn({ store }: Control): SeqqaError {
  return leaseOver(`the database ${store.shown}`);
}
