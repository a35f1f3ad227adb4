import type { SecureContext } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { Attempt, isConnectionLost, type Settle } from "../transport/attempt.ts";
import { Deadlines } from "../transport/deadlines.ts";
import type { WireAnswer } from "../transport/transport.ts";
import { atOffsets } from "./at-offsets.ts";
import { GatedConnection } from "./gated-connection.ts";
import type { HeldRequest } from "./held-request.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

/** The target gets so long to read what is sent ahead. */
const READ_MS = 2;
/** And so long to accept a connection and to get ready for its first request. */
const ACCEPT_MS = 10;
/** A server may have closed a connection more than once while it was idle; a third time it is no chance. */
const MAX_TRIES = 3;
/** What fits into one packet nearly everywhere, with room to spare. */
const PACKET = 1024;

/** What is sent ahead of the release: nothing, or as much as no server can begin with. */
export type Ahead = "nothing" | "most";

/**
 * A connection per side, kept from trial to trial. Warm is one that the kernel has connected (TLS included) and that the target had time to accept. No
 * request is sent to make it warmer: whatever it asked for, the target might count or log it, and the state would be another one.
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

/** One whose end is kept back. */
class SplitAttempt extends Attempt {
  readonly ready: Promise<void>;
  readonly #held: HeldRequest;
  readonly #connection: GatedConnection;
  readonly #ahead: Ahead;
  #isReady!: () => void;
  /** The head has gone out whole, so that the target may have begun with it. */
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
    // Also of one that was answered before, or the connection would stay in the middle of a request.
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

  /** Until its end is released the target cannot have executed it, unless it needs but the head. */
  protected override repeats(error: Error): boolean {
    const again = !this.#released && !this.#begun && !this.answered && this.#tries < MAX_TRIES && isConnectionLost(error);
    // Not from within: undici is about to empty its queue, and asserts that it has.
    if (again) queueMicrotask(() => this.dispatch());
    else this.#isReady();
    return again;
  }
}

/**
 * Most servers call their handler once they have the head, and not all handlers read the body. So the last byte of the head is kept back, and with it the
 * body, which then goes out in the same packet; a body that fits into none goes ahead but for its own last byte.
 */
function sentAhead(bytes: Buffer): { readonly length: number; readonly wholeHead: boolean } {
  const head = bytes.indexOf("\r\n\r\n") + 4;
  return bytes.length - head < PACKET ? { length: head - 1, wholeHead: false } : { length: bytes.length - 1, wholeHead: true };
}
