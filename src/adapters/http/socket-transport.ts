import type { SecureContext } from "node:tls";
import { Client, Pool } from "undici";
import { Attempt, isConnectionLost, type Settle } from "./attempt.ts";
import { Deadlines } from "./deadlines.ts";
import { MAX_BODY_BYTES, type Connections, type WireAnswer, type WireRequest } from "./transport.ts";

/** Of connections over sockets. */
export const OPTIONS: Client.Options & { readonly connectTimeout: number } = {
  pipelining: 1,
  // Times are ours: a deadline per attempt, over connecting, sending and reading.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxResponseSize: MAX_BODY_BYTES,
  connectTimeout: 10_000,
  // Without a Keep-Alive hint a server may close an idle connection whenever it likes; many do after 2 to 5 s.
  keepAliveTimeout: 1000,
};

/** So many requests may be under way to one origin; further ones wait. */
const MAX_CONNECTIONS = 256;

/** Methods that only read (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * One connection for requests that follow each other, and a pool for those that are made while it is busy. (A pool alone would
 * alternate between two connections: undici takes a finished one for busy until the next turn of the event loop.)
 */
export class SocketTransport implements Connections {
  readonly #origin: string;
  readonly #options: Client.Options;
  readonly #first: Client;
  readonly #deadlines = new Deadlines();
  #others: Pool | undefined;
  #firstBusy = false;
  #connects = 0;

  constructor(origin: string, secure: SecureContext | undefined) {
    this.#origin = origin;
    this.#options = secure === undefined ? OPTIONS : { ...OPTIONS, connect: { secureContext: secure } };
    this.#first = new Client(origin, this.#options);
    this.#first.on("connect", () => this.#connects++);
  }

  async close(): Promise<void> {
    this.#deadlines.stop();
    await Promise.all([this.#first.destroy(), this.#others?.destroy()]);
  }

  send(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      this.dispatch(new SocketAttempt(this, this.#deadlines, request, { resolve, reject }));
    });
  }

  dispatch(attempt: SocketAttempt): void {
    const first = !this.#firstBusy;
    if (first) this.#firstBusy = true;
    attempt.onFirst = first;
    attempt.connectsBefore = this.#connects;
    (first ? this.#first : this.#pool()).dispatch(attempt.options, attempt);
  }

  /** How often the first connection was made; an attempt that sees no change was sent on a connection that had been used before. */
  get connects(): number {
    return this.#connects;
  }

  freeFirst(): void {
    this.#firstBusy = false;
  }

  /** Whether an attempt that has not been sent waits for a connection, and not for other attempts. */
  connecting(onFirst: boolean): boolean {
    return onFirst ? !this.#first.stats.connected : (this.#others?.stats.connected ?? 0) < MAX_CONNECTIONS;
  }

  #pool(): Pool {
    return (this.#others ??= new Pool(this.#origin, { ...this.#options, connections: MAX_CONNECTIONS }));
  }
}

class SocketAttempt extends Attempt {
  onFirst = false;
  connectsBefore = 0;
  readonly #transport: SocketTransport;
  #repeated = false;
  #reused = false;

  constructor(transport: SocketTransport, deadlines: Deadlines, request: WireRequest, settle: Settle) {
    super(deadlines, request, settle);
    this.#transport = transport;
  }

  protected override started(): void {
    this.#reused = this.onFirst && this.#transport.connects === this.connectsBefore;
  }

  protected override left(): void {
    if (this.onFirst) this.#transport.freeFirst();
    this.onFirst = false;
  }

  protected override connecting(): boolean {
    return this.#transport.connecting(this.onFirst);
  }

  /**
   * A server may close an idle connection in the very moment in which a request goes out on it. undici reads what has arrived
   * before it reuses a connection, which leaves a window of one network round trip. Within it nobody can tell whether the request was
   * executed. So only a request that reads is sent once more, on a new connection, and only when the connection had been used
   * before and not a byte of an answer had come (RFC 9112, 9.3.1). A POST is never sent twice: executing it twice would be a state that
   * the path does not lead to; the error is reported, and the lane decides.
   */
  protected override repeats(error: Error): boolean {
    if (this.#repeated || !this.#reused || this.answered || !SAFE.has(this.request.method) || !isConnectionLost(error)) return false;
    this.#repeated = true;
    this.#transport.dispatch(this);
    return true;
  }
}
