import type { SecureContext } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { Attempt, isConnectionLost, type Settle } from "../transport/attempt.ts";
import { Deadlines } from "../transport/deadlines.ts";
import type { WireAnswer } from "../transport/transport.ts";
import { atOffsets } from "./at-offsets.ts";
import { GatedConnection } from "./gated-connection.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/** The time that the target gets to read what is sent ahead. */
const READ_MS = 2;
/** The time that the target gets to accept a connection and to get ready for its first request. */
const ACCEPT_MS = 10;
/** A server may have closed a connection more than once while it was idle; a third time is no coincidence. */
const MAX_TRIES = 3;
/** Bytes that fit into one packet nearly everywhere, with room to spare. */
const PACKET = 1024;

/** The part of a request that is sent ahead of the release: nothing, or as much as no server can begin with. */
export type Ahead = "nothing" | "most";

/**
 * Uses one connection per side, kept from trial to trial. A connection is warm once the kernel has connected it (TLS included) and the target had
 * time to accept it. No request is sent to make it warmer: the target might count or log the request, and the state would be another one.
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

/** An attempt whose end is kept back. */
class SplitAttempt extends Attempt {
  readonly ready: Promise<void>;
  readonly #held: HeldRequest;
  readonly #connection: GatedConnection;
  readonly #ahead: Ahead;
  #isReady!: () => void;
  /** `true` once the whole head has gone out, so that the target may have begun with the request. */
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
    // Also for a request that was answered before; otherwise the connection would stay in the middle of a request.
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

  /** Repeats a request whose connection was lost. Until its end is released, the target cannot have executed it, unless it needs only the head. */
  protected override repeats(error: Error): boolean {
    const again = !this.#released && !this.#begun && !this.answered && this.#tries < MAX_TRIES && isConnectionLost(error);
    // Not dispatched from within this call: undici is about to empty its queue, and asserts that it has.
    if (again) queueMicrotask(() => this.dispatch());
    else this.#isReady();
    return again;
  }
}

/**
 * Returns how many bytes are sent ahead. Most servers call their handler once they have the head, and not all handlers read the body. So the last
 * byte of the head is kept back together with the body, which then goes out in the same packet. A body that does not fit into one packet goes ahead,
 * without its own last byte.
 */
function sentAhead(bytes: Buffer): { readonly length: number; readonly wholeHead: boolean } {
  const head = bytes.indexOf("\r\n\r\n") + 4;
  return bytes.length - head < PACKET ? { length: head - 1, wholeHead: false } : { length: bytes.length - 1, wholeHead: true };
}
