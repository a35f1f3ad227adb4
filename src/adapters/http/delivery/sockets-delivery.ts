import type { SecureContext } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { Attempt, isConnectionLost, type Settle } from "../transport/attempt.ts";
import { Deadlines } from "../transport/deadlines.ts";
import type { WireAnswer } from "../transport/transport.ts";
import { atOffsets } from "./at-offsets.ts";
import { GatedConnection } from "./gated-connection.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/** Milliseconds that the target gets to read the bytes that are sent before the release. */
const READ_MS = 2;
/** Milliseconds that the target gets to accept a new connection and prepare for its first request. */
const ACCEPT_MS = 10;
/** The maximum number of attempts per request. A server may close the idle connection twice; the third time, the failure is reported. */
const MAX_TRIES = 3;
/** A number of bytes that fits into one packet in nearly all networks, with room to spare. */
const PACKET = 1024;

/**
 * The part of a request that is sent before the release of all sides: nothing, or the largest part with which no server can begin to process the
 * request.
 */
export type Ahead = "nothing" | "most";

/**
 * Sends the request of each side on its own connection, which is kept for later trials. A new connection is opened before the requests are released,
 * and the target gets time to accept it. No warm-up request is sent, because the target might count or log it, which would change the state.
 */
export class SocketsDelivery implements DeliveryTransport {
  readonly #connections: GatedConnection[] = [];
  readonly #deadlines = new Deadlines();
  readonly #connect: () => GatedConnection;
  readonly #ahead: Ahead;

  constructor(origin: string, secure: SecureContext | undefined, ahead: Ahead) {
    this.#connect = () => new GatedConnection(origin, secure);
    this.#ahead = ahead;
  }

  launch(held: readonly HeldRequest[]): void {
    const attempts = held.map((one) => {
      const connection = (this.#connections[one.side] ??= this.#connect());
      let attempt!: SplitAttempt;
      one.answerWith(
        new Promise<WireAnswer>((resolve, reject) => {
          attempt = new SplitAttempt(one, connection, this.#deadlines, { resolve, reject }, this.#ahead);
        }),
      );
      attempt.dispatch();
      return attempt;
    });
    void this.#release(attempts);
  }

  async close(): Promise<void> {
    this.#deadlines.stop();
    await Promise.all(this.#connections.map((connection) => connection.close()));
  }

  async #release(attempts: readonly SplitAttempt[]): Promise<void> {
    await Promise.all(attempts.map(({ ready }) => ready));
    if (attempts.some(({ fresh }) => fresh)) await sleep(ACCEPT_MS);
    else if (this.#ahead === "most") await sleep(READ_MS);
    await atOffsets(attempts, (together) => {
      for (const attempt of together) attempt.release();
    });
  }
}

class SplitAttempt extends Attempt {
  readonly ready: Promise<void>;
  readonly #held: HeldRequest;
  readonly #connection: GatedConnection;
  readonly #ahead: Ahead;
  #isReady!: () => void;
  /** `true` once all headers of the request were sent. From then on, the target may have begun to process the request. */
  #begun = false;
  #tries = 0;
  #released = false;
  #rest: (() => void) | undefined;

  constructor(held: HeldRequest, connection: GatedConnection, deadlines: Deadlines, settle: Settle, ahead: Ahead) {
    super(deadlines, held.request, settle);
    this.#held = held;
    this.#connection = connection;
    this.#ahead = ahead;
    this.ready = new Promise((resolve) => (this.#isReady = resolve));
  }

  get offset(): number {
    return this.#held.offset;
  }

  get fresh(): boolean {
    return this.#connection.fresh;
  }

  dispatch(): void {
    this.#tries++;
    this.#connection.dispatch(this.options, this);
  }

  release(): void {
    if (!this.settled) this.#held.from = performance.now();
    this.#released = true;
    // Also send the rest of a request that was already answered. Otherwise the connection could not be used for another request.
    this.#rest?.();
  }

  protected override started(): void {
    this.#connection.take((bytes, write) => {
      const { length, wholeHead } = this.#ahead === "nothing" ? { length: 0, wholeHead: false } : sentAhead(bytes);
      this.#begun = wholeHead;
      this.#rest = () => write(bytes.subarray(length));
      if (length === 0) this.#isReady();
      else write(bytes.subarray(0, length), this.#isReady);
    });
  }

  protected override left(): void {
    if (this.answered) this.#connection.used();
  }

  protected override connecting(): boolean {
    return !this.#connection.connected;
  }

  protected override givenUp(why: string): void {
    super.givenUp(why);
    this.#isReady();
  }

  /**
   * Repeats a request whose connection was lost, but only while the target cannot have begun to process the request: before the release, and before
   * all headers were sent.
   */
  protected override repeats(error: Error): boolean {
    const again = !this.#released && !this.#begun && !this.answered && this.#tries < MAX_TRIES && isConnectionLost(error);
    // Dispatch in a microtask, not at once: undici calls this method while it empties its queue, and fails if the queue is not empty afterwards.
    if (again) queueMicrotask(() => this.dispatch());
    else this.#isReady();
    return again;
  }
}

/**
 * Returns how many bytes of a request are sent before the release of all requests. Most servers call their handler once they have all headers. A
 * short body is therefore held back together with the last byte of the headers, and leaves in the same packet. A body that does not fit into one
 * packet is sent before the release, without its last byte.
 */
function sentAhead(bytes: Buffer): { readonly length: number; readonly wholeHead: boolean } {
  const head = bytes.indexOf("\r\n\r\n") + 4;
  return bytes.length - head < PACKET ? { length: head - 1, wholeHead: false } : { length: bytes.length - 1, wholeHead: true };
}
