import type { SecureContext } from "node:tls";
import { Attempt, type Settle } from "../transport/attempt.ts";
import { Deadlines } from "../transport/deadlines.ts";
import type { WireAnswer } from "../transport/transport.ts";
import { atOffsets } from "./at-offsets.ts";
import { GatedConnection } from "./gated-connection.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/** The largest number of requests that undici sends on the connection without waiting for answers. */
const MAX_SIDES = 1024;
/** Options for undici, which pipelines only requests that are marked as idempotent. Races need pipelining for every method. */
const PIPELINED = { idempotent: true, blocking: false, reset: false } as const;

/**
 * Sends all requests on one HTTP/1.1 connection, in one write. A server processes them concurrently if it begins with a request before it has
 * answered the previous one.
 */
export class PipelinedDelivery implements DeliveryTransport {
  readonly #connection: GatedConnection;
  readonly #deadlines = new Deadlines();
  readonly #live = new Set<PipelinedAttempt>();

  constructor(origin: string, secure: SecureContext | undefined) {
    this.#connection = new GatedConnection(origin, secure, MAX_SIDES);
    this.#connection.onDisconnect(() => this.#disconnected());
  }

  launch(held: readonly HeldRequest[]): void {
    void atOffsets(held, (together) => this.#send(together));
  }

  async close(): Promise<void> {
    this.#deadlines.stop();
    await this.#connection.close();
  }

  async #send(together: readonly HeldRequest[]): Promise<void> {
    let written!: () => void;
    const end = new Promise<void>((resolve) => (written = resolve));
    let taken = false;
    const take = (): void => {
      if (taken) return;
      taken = true;
      this.#connection.take((bytes, write) => {
        const from = performance.now();
        for (const one of together) one.from = from;
        write(bytes);
        written();
      });
    };
    const attempts = together.map((held) => {
      let attempt!: PipelinedAttempt;
      held.answerWith(
        new Promise<WireAnswer>((resolve, reject) => {
          attempt = new PipelinedAttempt(held, { way: this, take, connection: this.#connection }, this.#deadlines, { resolve, reject });
        }),
      );
      this.#live.add(attempt);
      return attempt;
    });
    for (const attempt of attempts) this.#connection.dispatch(attempt.options, attempt);
    await Promise.race([end, Promise.allSettled(together.map(({ answer }) => answer))]);
  }

  /**
   * Closes the connection when none of its requests waits for an answer. Closing the connection for one cancelled request would lose the answers to
   * all other requests.
   */
  over(attempt: PipelinedAttempt): void {
    if (attempt.isLeft) this.#live.delete(attempt);
    const live = [...this.#live];
    if (live.every(({ settled }) => settled)) for (const one of live) one.end("given up");
  }

  /**
   * Fails all requests that have no answer yet. undici would send them again on a new connection, although the target may already have executed them.
   */
  #disconnected(): void {
    for (const attempt of this.#live) attempt.lost();
  }
}

interface Batch {
  readonly way: PipelinedDelivery;
  readonly take: () => void;
  readonly connection: GatedConnection;
}

class PipelinedAttempt extends Attempt {
  isLeft = false;
  readonly #batch: Batch;
  #begun = false;

  constructor(held: HeldRequest, batch: Batch, deadlines: Deadlines, settle: Settle) {
    super(deadlines, held.request, settle, PIPELINED);
    this.#batch = batch;
  }

  lost(): void {
    if (this.#begun) this.abort(Object.assign(new Error("the connection was closed"), { code: "UND_ERR_SOCKET" }));
  }

  end(why: string): void {
    super.givenUp(why);
  }

  protected override started(): void {
    this.#begun = true;
    this.#batch.take();
  }

  protected override left(): void {
    this.isLeft = true;
    this.#batch.way.over(this);
  }

  protected override givenUp(): void {
    this.#batch.way.over(this);
  }

  protected override connecting(): boolean {
    return !this.#batch.connection.connected;
  }

  protected override repeats(): boolean {
    return false;
  }
}
