import type { Dispatcher } from "undici";
import type { Deadlines, Expiring } from "./deadlines.ts";
import { decodeContent } from "./content-encoding.ts";
import { streamLimits, type StreamLimits } from "./event-stream.ts";
import { connectTimeout, failure, requestCancelled, requestTimeout, undecodable, type FailedRequest } from "./failures.ts";
import { isVersion1, WrongVersion } from "./wrong-answer.ts";
import { decodeBody, NO_COOKIES, type WireAnswer, type WireRequest } from "./transport.ts";

export interface Settle {
  readonly resolve: (answer: WireAnswer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * One attempt to send a request over a socket. One object serves as undici's handler, as the deadline and as the promise, which saves allocations for
 * each request.
 */
export abstract class Attempt implements Dispatcher.DispatchHandler, Expiring {
  readonly options: Dispatcher.DispatchOptions;
  deadline: number;
  readonly #timesOutAt: number;
  protected readonly request: WireRequest;
  readonly #deadlines: Deadlines;
  readonly #settle: Settle;
  #controller: Dispatcher.DispatchController | undefined;
  #onCancel: (() => void) | undefined;
  #settled = false;
  #status = 0;
  #interim = 0;
  #headers: Record<string, string> = {};
  #cookies = NO_COOKIES;
  /** The limits of the answer if it is an event stream, which may never end. */
  #stream: StreamLimits | undefined;
  #streamEndsAt = 0;
  #chunk: Buffer | undefined;
  #chunks: Buffer[] | undefined;

  constructor(deadlines: Deadlines, request: WireRequest, settle: Settle, options?: Partial<Dispatcher.DispatchOptions>) {
    this.request = request;
    this.#deadlines = deadlines;
    this.#settle = settle;
    this.options = { path: request.path, method: request.method, headers: request.headers, body: request.body ?? null, ...options };
    this.#timesOutAt = performance.now() + request.timeoutMs;
    this.deadline = this.#timesOutAt;
    deadlines.add(this);
    if (request.signal === undefined) return;
    this.#onCancel = () => this.#cancel();
    request.signal.addEventListener("abort", this.#onCancel);
  }

  /** Called when undici is about to write the request. */
  protected abstract started(): void;

  /** Called when undici no longer works on the request, after success or failure. */
  protected abstract left(): void;

  /** Returns `true` if the attempt was not sent yet because its connection is being opened, not because other attempts are in progress. */
  protected abstract connecting(): boolean;

  /** Sends the request again if that is safe after this error. Returns `true` if it was sent again. */
  protected abstract repeats(error: Error): boolean;

  /** Called when the client no longer waits for the answer. Closes the connection, so that the target can stop its work. */
  protected givenUp(why: string): void {
    this.abort(new Error(why));
  }

  protected abort(error: Error): void {
    this.#controller?.abort(error);
  }

  /** Returns `true` if the connection had been used for earlier requests and ended before the first byte of this answer. */
  protected isReused(_error: Error): boolean {
    return false;
  }

  protected get head(): Buffer | undefined {
    return undefined;
  }

  protected get answered(): boolean {
    return this.#status !== 0;
  }

  get settled(): boolean {
    return this.#settled;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) controller.abort(new Error("the time limit of the request ended before the request was sent"));
    else this.started();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // A 1xx status belongs to an interim answer, which the final answer follows.
    if (status < 200) {
      this.#interim = status;
      return;
    }
    const { head } = this;
    // Check the HTTP version only if enough bytes were recorded to contain it.
    if (head !== undefined && head.length >= 8 && !isVersion1(head)) {
      this.abort(new WrongVersion());
      return;
    }
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
    this.#stream = streamLimits(this.request, this.#headers["content-type"]);
    if (this.#stream === undefined) return;
    this.#streamEndsAt = Math.min(this.#timesOutAt, performance.now() + this.#stream.longestMs);
    this.deadline = this.#silentAt(this.#stream);
    this.#deadlines.add(this);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream !== undefined) this.deadline = this.#silentAt(this.#stream);
    if (this.#chunk === undefined) this.#chunk = chunk;
    else if (this.#chunks === undefined) this.#chunks = [this.#chunk, chunk];
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.left();
    if (!this.#settled) this.#resolve();
  }

  #resolve(): void {
    this.#over();
    let text = "";
    try {
      const bytes = this.#chunks === undefined ? this.#chunk : Buffer.concat(this.#chunks);
      if (bytes !== undefined) text = decodeBody(decodeContent(bytes, this.#headers["content-encoding"], this.#stream !== undefined));
    } catch (cause) {
      // Decoding failed: the body is not in the encoding that the headers name, or is too long after decoding.
      this.#settle.reject(undecodable(cause, this.#failed()));
      return;
    }
    this.#settle.resolve({ status: this.#status, headers: this.#headers, cookies: this.#cookies, text });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    // A 304 may contain the `content-length` of a body that it does not send (RFC 9110, section 8.6). undici reports that as an error.
    if (this.#status === 304 && (error as { readonly code?: unknown }).code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") {
      this.onResponseEnd();
      return;
    }
    this.left();
    if (this.#settled || this.repeats(error)) return;
    this.#over();
    this.#settle.reject(failure(error, { ...this.#failed(), isReused: this.isReused(error) }));
  }

  expire(): void {
    if (this.#settled) return;
    if (this.#stream !== undefined && performance.now() >= this.deadline) {
      this.#resolve();
      this.givenUp("the event stream stays open");
      return;
    }
    // Report how long the client waited. This time is shorter than the timeout if the time limit of the run ended the request.
    const timeoutMs = waitedMs(this.request.timeoutMs, this.#timesOutAt - this.request.timeoutMs);
    const unsent = this.#controller === undefined && this.connecting();
    this.#over();
    this.#settle.reject(unsent ? connectTimeout(this.#failed(), timeoutMs) : requestTimeout(this.#failed(), timeoutMs));
    this.givenUp("timed out");
  }

  /** Returns the time at which the event stream counts as answered, unless more of it arrives. */
  #silentAt({ silenceMs }: StreamLimits): number {
    return Math.min(this.#streamEndsAt, performance.now() + silenceMs);
  }

  #cancel(): void {
    if (this.#settled) return;
    this.#over();
    this.#settle.reject(requestCancelled(this.request, this.request.signal!, true));
    this.givenUp("cancelled");
  }

  #over(): void {
    this.#settled = true;
    this.#deadlines.remove(this);
    if (this.#onCancel !== undefined) this.request.signal?.removeEventListener("abort", this.#onCancel);
  }

  #failed(): FailedRequest {
    const received = { status: this.#status, interim: this.#interim, headers: this.#headers, head: this.head };
    return { method: this.request.method, url: this.request.url, answered: this.answered, received };
  }
}

/**
 * Returns the number of milliseconds that the client waited for a request: its timeout, or less if it was ended early. `begun` is a time of
 * `performance.now()`.
 */
export function waitedMs(timeoutMs: number, begun: number): number {
  const waited = performance.now() - begun;
  return waited + 1 < timeoutMs ? Math.round(waited / 100) * 100 : timeoutMs;
}

/** Returns `true` if the connection ended without a more specific error. */
export function isConnectionLost(error: Error): boolean {
  const code = (error as { readonly code?: unknown }).code;
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
}
