import type { SecureContext } from "node:tls";
import { Client, Pool, type Dispatcher } from "undici";
import { Deadlines, type Expiring } from "./deadlines.ts";
import { bodyTooLarge, connectTimeout, failure, requestCancelled, requestTimeout } from "./failures.ts";
import { decodeBody, MAX_BODY_BYTES, NO_COOKIES, type Connections, type WireAnswer, type WireRequest } from "./transport.ts";

const OPTIONS = {
  pipelining: 1,
  // Times are ours: a deadline per attempt, over connecting, sending and reading.
  headersTimeout: 0,
  bodyTimeout: 0,
  maxResponseSize: MAX_BODY_BYTES,
  connectTimeout: 10_000,
  // Without a Keep-Alive hint a server may close an idle connection whenever it likes; many do after 2 to 5 s.
  keepAliveTimeout: 1000,
} as const satisfies Client.Options;

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
      const attempt = new Attempt(this, request, resolve, reject);
      this.#deadlines.add(attempt);
      this.dispatch(attempt);
    });
  }

  dispatch(attempt: Attempt): void {
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

  /** An attempt is over. */
  settled(attempt: Attempt): void {
    this.#deadlines.remove(attempt);
    attempt.unfollow();
  }

  /** Whether an attempt that has not been sent waits for a connection, and not for other attempts. */
  connecting(onFirst: boolean): boolean {
    return onFirst ? !this.#first.stats.connected : (this.#others?.stats.connected ?? 0) < MAX_CONNECTIONS;
  }

  #pool(): Pool {
    return (this.#others ??= new Pool(this.#origin, { ...this.#options, connections: MAX_CONNECTIONS }));
  }
}

/** One attempt: undici's handler, the deadline and the promise in one object, since it is made for every request. */
class Attempt implements Dispatcher.DispatchHandler, Expiring {
  readonly options: Dispatcher.DispatchOptions;
  readonly deadline: number;
  onFirst = false;
  connectsBefore = 0;
  readonly #transport: SocketTransport;
  readonly #request: WireRequest;
  readonly #resolve: (answer: WireAnswer) => void;
  readonly #reject: (error: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #onCancel: (() => void) | undefined;
  #settled = false;
  #repeated = false;
  #reused = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #cookies = NO_COOKIES;
  #chunk: Buffer | undefined;
  #chunks: Buffer[] | undefined;

  constructor(transport: SocketTransport, request: WireRequest, resolve: (answer: WireAnswer) => void, reject: (error: unknown) => void) {
    this.#transport = transport;
    this.#request = request;
    this.#resolve = resolve;
    this.#reject = reject;
    this.options = { path: request.path, method: request.method, headers: request.headers, body: request.body ?? null };
    this.deadline = performance.now() + request.timeoutMs;
    if (request.signal === undefined) return;
    this.#onCancel = () => this.#cancel();
    request.signal.addEventListener("abort", this.#onCancel);
  }

  unfollow(): void {
    if (this.#onCancel !== undefined) this.#request.signal?.removeEventListener("abort", this.#onCancel);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#reused = this.onFirst && this.#transport.connects === this.connectsBefore;
    if (this.#settled) controller.abort(new Error("given up before it was sent"));
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // 1xx are announcements; the answer follows.
    if (status < 200) return;
    this.#status = status;
    for (const name in headers) {
      const value = headers[name];
      if (typeof value === "string") {
        if (name === "set-cookie") this.#cookies = [value];
      } else if (value !== undefined) {
        if (name === "set-cookie") this.#cookies = value;
        headers[name] = value.join(", ");
      }
    }
    this.#headers = headers as Record<string, string>;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#chunk === undefined) this.#chunk = chunk;
    else if (this.#chunks === undefined) this.#chunks = [this.#chunk, chunk];
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#leave();
    if (this.#settled) return;
    this.#settled = true;
    this.#transport.settled(this);
    let text = "";
    try {
      if (this.#chunks !== undefined) text = decodeBody(Buffer.concat(this.#chunks));
      else if (this.#chunk !== undefined) text = decodeBody(this.#chunk);
    } catch (cause) {
      // A body that becomes longer than a string can be.
      this.#reject(bodyTooLarge(this.#failed(), cause));
      return;
    }
    this.#resolve({ status: this.#status, headers: this.#headers, cookies: this.#cookies, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#leave();
    if (this.#settled) return;
    if (this.#mayRepeat(error)) {
      this.#repeated = true;
      this.#transport.dispatch(this);
      return;
    }
    this.#settled = true;
    this.#transport.settled(this);
    this.#reject(failure(error, this.#failed()));
  }

  expire(): void {
    if (this.#settled) return;
    const timeoutMs = this.#request.timeoutMs;
    const unsent = this.#controller === undefined && this.#transport.connecting(this.onFirst);
    this.#settled = true;
    this.unfollow();
    this.#reject(unsent ? connectTimeout(this.#failed(), timeoutMs) : requestTimeout(this.#failed(), timeoutMs));
    this.#controller?.abort(new Error("timed out"));
  }

  /** Closes the connection, which is what tells the target. */
  #cancel(): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#transport.settled(this);
    this.#reject(requestCancelled(this.#request, this.#request.signal!, true));
    this.#controller?.abort(new Error("cancelled"));
  }

  /**
   * A server may close an idle connection in the very moment in which a request goes out on it. undici reads what has arrived
   * before it reuses a connection, which leaves a window of one network round trip. Within it nobody can tell whether the request was
   * executed. So only a request that reads is sent once more, on a new connection, and only when the connection had been used
   * before and not a byte of an answer had come (RFC 9112, 9.3.1). A POST is never sent twice: executing it twice would be a state that
   * the path does not lead to; the error is reported, and the lane decides.
   */
  #mayRepeat(error: Error): boolean {
    if (this.#repeated || !this.#reused || this.#status !== 0 || !SAFE.has(this.#request.method)) return false;
    const code = (error as { readonly code?: unknown }).code;
    return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
  }

  #leave(): void {
    if (this.onFirst) this.#transport.freeFirst();
    this.onFirst = false;
  }

  #failed(): { method: string; url: string; answered: boolean } {
    return { method: this.#request.method, url: this.#request.url, answered: this.#status !== 0 };
  }
}
