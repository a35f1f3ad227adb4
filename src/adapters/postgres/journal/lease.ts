import type { SeqqaError } from "../../../model/errors.ts";
import { leaseOver, RENEWAL_MS } from "../../../stores/external/external-store.ts";
import type { Control } from "../connect/control.ts";
import { codeOf } from "../connect/failures.ts";
import { OURS } from "../schema/catalog.ts";
import { LEASE_HOLDS, LEASE_STATE, RENEW_LEASE } from "./lease-sql.ts";

/** Renews the lease of a run on an external store. The triggers log only while the lease is valid. */
export class Lease {
  readonly #control: Control;
  readonly #timer: NodeJS.Timeout;
  #waits = false;

  /** Starts to renew the lease between the operations of the control connection, until {@link stop} is called. */
  constructor(control: Control) {
    this.#control = control;
    control.renewed();
    this.#timer = setInterval(() => this.#renewInTurn(), RENEWAL_MS);
    this.#timer.unref();
  }

  /** Renews the lease during a long operation, unless the lease has expired. */
  async renew(): Promise<void> {
    if ((await this.#control.rows(RENEW_LEASE)).length > 0) this.#control.renewed();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #renewInTurn(): void {
    if (this.#waits) return;
    this.#waits = true;
    const renewed = this.#control.inTurn(() => this.renew());
    // Ignore the error here: the next operation on this connection reports it.
    void renewed.catch(() => undefined).finally(() => (this.#waits = false));
  }
}

/** Checks that the lease is valid before a transaction writes. @throws SeqqaError `LEASE_OVER` */
export async function requireLease(control: Control): Promise<void> {
  try {
    const [row] = await control.rows(`select ${LEASE_HOLDS}`);
    if (row?.[0] === "t") return;
  } catch (error) {
    if (!isLeaseOver(error)) throw error;
  }
  throw leaseOverOn(control);
}

/**
 * Returns `true` for errors that mean that the lease has expired, or that another run has removed this journal. In the second case, the message must
 * name an object of seqqa's schema, because a function of the user can also fail because an object is missing.
 */
export function isLeaseOver(error: unknown): boolean {
  const code = codeOf(error);
  return code === LEASE_STATE || (["3F000", "42P01", "42883"].includes(code) && String((error as Error).message).includes(OURS));
}

export function leaseOverOn({ store }: Control): SeqqaError {
  return leaseOver(`the database ${store.shown}`);
}
