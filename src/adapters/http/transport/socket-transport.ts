import type { SecureContext } from "node:tls";
import type * as undici from "undici";
import { buildConnector, Client, Pool } from "../../../network/undici.ts";
import { MAX_HEADER_BYTES } from "../../../network/header-limit.ts";
import { isListening } from "../../../network/is-listening.ts";
import { AnswerTap } from "./answer-tap.ts";
import { Attempt, isConnectionLost, type Settle } from "./attempt.ts";
import { ConnectionChoice } from "./connection-choice.ts";
import { Deadlines } from "./deadlines.ts";
import { FreshConnections } from "./fresh-connections.ts";
import { MAX_BODY_BYTES, type Connections, type WireAnswer, type WireRequest } from "./transport.ts";

/** The undici options of connections over sockets. */
export const OPTIONS: undici.Client.Options & { readonly connectTimeout: number } = {
  pipelining: 1,
  // Timeouts are ours: a deadline per attempt, over connecting, sending and reading.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxResponseSize: MAX_BODY_BYTES,
  maxHeaderSize: MAX_HEADER_BYTES,
  connectTimeout: 10_000,
  // Without a Keep-Alive hint a server may close an idle connection whenever it likes; many do after 2 to 5 s.
  keepAliveTimeout: 1000,
};

/** Requests that may be in progress to one origin; further ones wait. */
const MAX_CONNECTIONS = 256;

/** Methods that only read (RFC 9110, 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** The connection that an attempt is sent on: the kept one, one of the pool beside it, or one of its own. */
type Place = "kept" | "pool" | "own";

/**
 * One connection for requests that follow each other, and a pool for those that are made while it is busy. (A pool alone would
 * alternate between two connections: undici takes a finished one for busy until the next turn of the event loop.) Where a kept
 * connection makes answers slow, each request has a connection of its own: see {@link ConnectionChoice}.
 */
export class SocketTransport implements Connections {
  readonly #origin: string;
  readonly #options: undici.Client.Options;
  readonly #deadlines = new Deadlines();
  readonly #choice = new ConnectionChoice();
  readonly #own: FreshConnections;
  readonly #connect: undici.buildConnector.connector;
  /** The tap of the kept connection. */
  readonly tap: AnswerTap = new AnswerTap();
  #first: Client;
  #others: Pool | undefined;
  #firstBusy = false;
  #connects = 0;

  constructor(origin: string, secure: SecureContext | undefined) {
    this.#origin = origin;
    const tls = secure === undefined ? undefined : { secureContext: secure };
    this.#options = tls === undefined ? OPTIONS : { ...OPTIONS, connect: tls };
    this.#own = new FreshConnections(origin, OPTIONS, tls);
    this.#connect = buildConnector({ ...tls, timeout: OPTIONS.connectTimeout });
    this.#first = this.#openFirst();
  }

  async close(): Promise<void> {
    this.#deadlines.stop();
    await Promise.all([this.#first.destroy(), this.#others?.destroy(), this.#own.close()]);
  }

  cut(): void {
    this.#deadlines.expireAll();
  }

  isAlive(): Promise<boolean> {
    return isListening(this.#origin);
  }

  get twoPackets(): boolean {
    return this.#choice.switched;
  }

  send(request: WireRequest): Promise<WireAnswer> {
    return new Promise((resolve, reject) => {
      this.dispatch(new SocketAttempt(this, this.#deadlines, this.#choice, request, { resolve, reject }));
    });
  }

  dispatch(attempt: SocketAttempt): void {
    attempt.connectsBefore = this.#connects;
    attempt.place = this.#placeFor(attempt);
    switch (attempt.place) {
      case "kept":
        this.#firstBusy = true;
        attempt.client = this.#first;
        break;
      case "own":
        this.#closeIdle();
        attempt.client = this.#own.take();
        break;
      case "pool":
        attempt.client = this.#others ??= new Pool(this.#origin, { ...this.#options, connections: MAX_CONNECTIONS });
    }
    attempt.client.dispatch(attempt.options, attempt);
  }

  /** The number of times the kept connection was made. If it did not change, an attempt was sent on a connection that had been used before. */
  get connects(): number {
    return this.#connects;
  }

  /** Takes back the connection of an attempt that is over. */
  free(attempt: SocketAttempt): void {
    if (attempt.place === "kept") this.#firstBusy = false;
    else if (attempt.place === "own") this.#own.free(attempt.client as Client);
  }

  /** Returns `true` if an attempt that has not been sent waits for a connection, and not for other attempts. */
  connecting({ place, client }: SocketAttempt): boolean {
    return place === "pool" ? (this.#others?.stats.connected ?? 0) < MAX_CONNECTIONS : !(client as Client).stats.connected;
  }

  #placeFor({ asked }: SocketAttempt): Place {
    const crowded = this.#own.busy >= MAX_CONNECTIONS;
    if (this.#firstBusy) return this.#choice.switched && !crowded ? "own" : "pool";
    return !crowded && this.#choice.wantsNew(asked) ? "own" : "kept";
  }

  #openFirst(): Client {
    const connect: undici.buildConnector.connector = (options, callback) =>
      this.#connect(options, (...result) => {
        if (result[0] === null) this.tap.watch(result[1]);
        callback(...result);
      });
    const client = new Client(this.#origin, { ...this.#options, connect });
    client.on("connect", () => this.#connects++);
    return client;
  }

  /** Closes the kept connection if no request is in progress on it: a server may serve one connection at a time. */
  #closeIdle(): void {
    if (this.#firstBusy || !this.#first.stats.connected) return;
    void this.#first.destroy();
    this.#first = this.#openFirst();
  }
}

class SocketAttempt extends Attempt {
  place: Place = "kept";
  client: Client | Pool | undefined;
  connectsBefore = 0;
  readonly #transport: SocketTransport;
  readonly #choice: ConnectionChoice;
  readonly #begun = performance.now();
  #repeated = false;
  #reused = false;
  #head: Buffer | undefined;

  constructor(transport: SocketTransport, deadlines: Deadlines, choice: ConnectionChoice, request: WireRequest, settle: Settle) {
    super(deadlines, request, settle);
    this.#transport = transport;
    this.#choice = choice;
  }

  get asked(): WireRequest {
    return this.request;
  }

  override onResponseEnd(): void {
    if (this.place !== "pool" && !this.#repeated && !this.settled) {
      this.#choice.observe(this.request, !this.#reused, performance.now() - this.#begun);
    }
    super.onResponseEnd();
  }

  protected override started(): void {
    if (this.place === "kept") this.#transport.tap.begin();
    this.#reused = this.place === "kept" && this.#transport.connects === this.connectsBefore;
  }

  protected override get head(): Buffer | undefined {
    return this.place === "kept" ? this.#transport.tap.head : this.#head;
  }

  protected override left(): void {
    // The next request on the connection clears the tap.
    if (this.place === "kept") this.#head = this.#transport.tap.head;
    this.#transport.free(this);
    this.place = "pool";
  }

  protected override connecting(): boolean {
    return this.#transport.connecting(this);
  }

  protected override isReused(error: Error): boolean {
    return this.#reused && !this.answered && isConnectionLost(error);
  }

  /**
   * Repeats a request where that is safe. A server may close an idle connection in the very moment in which a request goes out on it. undici reads
   * what has arrived before it reuses a connection, which leaves a window of one network round trip. Within it nobody can tell whether the request
   * was executed. So only a request that reads is sent once more, on a new connection, and only when the connection had been used before and not a
   * byte of an answer had come (RFC 9112, 9.3.1). A POST is never sent twice: executing it twice would lead to a state that the path does not lead
   * to. The error is reported, and the lane decides.
   *
   * A request for which the machine had no port left for a new connection was not sent at all. Connections are kept from then on.
   */
  protected override repeats(error: Error): boolean {
    if (this.#repeated || this.answered) return false;
    const noPort = (error as { readonly code?: unknown }).code === "EADDRNOTAVAIL" && this.#choice.switched;
    if (noPort) this.#choice.keep();
    else if (!this.#reused || !SAFE.has(this.request.method) || !isConnectionLost(error)) return false;
    this.#repeated = true;
    this.#transport.dispatch(this);
    return true;
  }
}
