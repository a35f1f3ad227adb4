import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type * as undici from "undici";
import { buildConnector, Client, Pool } from "../../../network/undici.ts";
import { MAX_HEADER_BYTES } from "../../../network/header-limit.ts";
import { isListening } from "../../../network/is-listening.ts";
import { Attempt, isConnectionLost, type Settle } from "./attempt.ts";
import { ConnectionChoice } from "./connection-choice.ts";
import { Deadlines } from "./deadlines.ts";
import { FreshConnections } from "./fresh-connections.ts";
import { MAX_BODY_BYTES, type Connections, type WireAnswer, type WireRequest } from "./transport.ts";

/** Matches the beginning of an interim answer, `HTTP/1.1 100`. */
const INTERIM = /^HTTP\/1\.[01] 100[ \r]/;
const END = "\r\n\r\n";

export const OPTIONS: undici.Client.Options & { readonly connectTimeout: number } = {
  pipelining: 1,
  // Disable undici's own timeouts, because each attempt has one deadline for connecting, sending and reading.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxResponseSize: MAX_BODY_BYTES,
  maxHeaderSize: MAX_HEADER_BYTES,
  connectTimeout: 10_000,
  // Close idle connections early: without a `Keep-Alive` header, a server may close one at any time, and many do after 2 to 5 s.
  keepAliveTimeout: 1000,
};

/** The maximum number of requests in progress to one origin. Further requests wait. */
const MAX_CONNECTIONS = 256;

/** Methods that only read (RFC 9110, section 9.2.1). */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * The connection for an attempt: the keep-alive connection for consecutive requests (`kept`), a connection from the pool, or a new connection for
 * this request alone (`own`).
 */
type Place = "kept" | "pool" | "own";

/**
 * Keeps one keep-alive connection open for consecutive requests, and a pool for requests that start while that connection is busy. With a pool alone,
 * requests would alternate between two connections, because undici treats a connection as busy until the next turn of the event loop. If answers on
 * the keep-alive connection are slow, each request gets a new connection; see {@link ConnectionChoice}.
 */
export class SocketTransport implements Connections {
  readonly #origin: string;
  readonly #options: undici.Client.Options;
  readonly #deadlines = new Deadlines();
  readonly #choice = new ConnectionChoice();
  readonly #own: FreshConnections;
  readonly #connect: undici.buildConnector.connector;
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

  /**
   * The number of times that the keep-alive connection was opened. If the number is the same before and after an attempt, the attempt used a
   * connection that had served earlier requests.
   */
  get connects(): number {
    return this.#connects;
  }

  free(attempt: SocketAttempt): void {
    if (attempt.place === "kept") this.#firstBusy = false;
    else if (attempt.place === "own") this.#own.free(attempt.client as Client);
  }

  /** Returns `true` if an attempt was not sent yet because its connection is being opened, not because other attempts are in progress. */
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

  /** Closes the keep-alive connection if no request uses it. A server that serves one connection at a time could otherwise not serve a new one. */
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
    // Copy the recorded bytes, because the next request on the connection clears them.
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
   * Sends a request again if that is safe. A server may close an idle connection just when a request is sent on it. The client then cannot know if
   * the server executed the request. Only a method that reads is therefore sent again, on a new connection, and only if the connection had served
   * earlier requests and no byte of an answer had arrived (RFC 9112, section 9.3.1). A POST is never sent twice, because a double execution would
   * reach a state that does not belong to the path. The error of a POST is reported to the lane.
   *
   * If no local port was free for a new connection, the request was not sent and is repeated. From then on, all requests use the keep-alive
   * connection or the pool.
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

/**
 * Records the first bytes of each answer on one connection, because some error messages need them and undici does not expose them. Also removes `100
 * Continue` from the bytes. A server may send it without being asked (RFC 9110, section 15.2.1), but undici treats it as an error.
 */
class AnswerTap {
  #head: Buffer | undefined;

  get head(): Buffer | undefined {
    return this.#head;
  }

  /** Clears the recorded bytes of the previous answer. Called before the next request is sent. */
  begin(): void {
    this.#head = undefined;
  }

  watch(socket: Socket): void {
    const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
    socket.read = (size?: number): Buffer | null => {
      const chunk = read(size);
      if (chunk === null || this.#head !== undefined) return chunk;
      const rest = withoutContinue(chunk);
      if (rest.length === 0) return null;
      this.#head = rest;
      return rest;
    };
  }
}

function withoutContinue(chunk: Buffer): Buffer {
  let rest = chunk;
  while (INTERIM.test(rest.toString("latin1", 0, 13))) {
    const end = rest.indexOf(END);
    if (end < 0) break;
    rest = rest.subarray(end + END.length);
  }
  return rest;
}
