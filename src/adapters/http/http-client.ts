import { setTimeout as sleep } from "node:timers/promises";
import {
  clientOfRole,
  offerClientPart,
  type ApiClient,
  type ClientPart,
  type Exchange,
  type PendingRequest,
  type RequestOptions,
} from "../../model/http/client.ts";
import { secondsOf, type Duration } from "../../model/text/duration.ts";
import { SeqqaError } from "../../model/errors.ts";
import { recordedAnswer } from "../../model/context/recorded.ts";
import { requestScope, type RequestScope, whileUnsettled } from "../../model/http/request-scope.ts";
import { ApiResponse, type ApiRequest } from "../../model/http/response.ts";
import { bodyText, encodeBody } from "./request/body.ts";
import { ClientState, type SavedClient } from "./client-state.ts";
import { connectionSettings, type ConnectionOptions } from "./transport/connection-options.ts";
import { httpDefaults } from "./defaults.ts";
import { cutAnswer, isOfReused, requestCancelled } from "./transport/failures.ts";
import { FetchTransport, IN_PROCESS_ORIGIN, type FetchHandler } from "./transport/fetch-transport.ts";
import { checkedHeaders, checkedMethod } from "./request/headers.ts";
import { Lease } from "./lease.ts";
import { encodeMultipart } from "./request/multipart.ts";
import { MAX_REDIRECTS, redirected, type Redirectable } from "./request/redirects.ts";
import { retryDelay, retryPolicy, type RetryOptions, type RetryPolicy } from "./request/retry.ts";
import { isShed, mayResend, Patience, shedDelay } from "./request/shed.ts";
import { belowBase, parseBaseUrl, resolveTarget, withoutSecrets, type BaseUrl } from "./request/target-url.ts";
import type { Transport, WireRequest } from "./transport/transport.ts";
import { Verbs } from "./request/verbs.ts";

/** Options of {@link HttpClient}. */
export interface HttpClientOptions extends ConnectionOptions {
  /** Seconds that one attempt may take, including connecting and reading the answer. Default: `timeout` in the configuration, else 30. */
  readonly timeout?: Duration;
  /**
   * Sends a request again if its answer has one of certain statuses. `false` disables retries. Default: `retry` in the configuration, else no
   * retries.
   */
  readonly retry?: RetryOptions | false;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * A prefix for every path, e.g. `/v1`. The option is meant for fetch handlers, which have no base URL. If a base URL has a path, the prefix is
   * appended to that path. Default: none.
   */
  readonly basePath?: string;
  /** `true` to follow up to 20 redirects within the origin. Default: `false`, a redirect is returned like any other answer. */
  readonly followRedirects?: boolean;
}

const NO_OPTIONS: RequestOptions = Object.freeze({});

const NO_FLIGHTS: readonly PendingRequest[] = Object.freeze([]);

/**
 * A client for JSON APIs. It sends requests over HTTP, or directly to a handler in this process. The client keeps cookies, a token and headers. This
 * state is part of the world and is restored with it.
 *
 * Answers of every status are returned, not thrown. If an overloaded server rejects a request with 503, the client waits and repeats the request up
 * to three times. The client does not repeat a request that the server may have executed: after a 503 that only has `Retry-After`, it repeats only
 * GET, HEAD and OPTIONS. For all other methods, an exploration restores the state and repeats the step.
 *
 * Requests reject with a `SeqqaError`: `TARGET_UNREACHABLE` if no answer came, `ANSWER_INVALID` for an answer that is not HTTP, `REQUEST_TIMEOUT`,
 * `BODY_TOO_LARGE` (over 64 MiB), and `OTHER_ORIGIN` for an absolute URL of another origin. `PATH_INVALID`, `HEADER_INVALID`, `METHOD_INVALID`,
 * `BODY_INVALID` and `REQUEST_INVALID` mean that the request could not be sent.
 */
export class HttpClient extends Verbs implements ApiClient {
  readonly #base: BaseUrl;
  readonly #transport: Transport;
  readonly #state: ClientState;
  readonly #timeoutMs: number | undefined;
  readonly #retry: RetryPolicy | false | undefined;
  readonly #followRedirects: boolean;
  #clients: Readonly<Record<string, unknown>> = {};
  readonly #flights: Set<PendingRequest> = new Set();
  readonly #patience: Patience = new Patience();
  /** The current waits for an overloaded server. Aborting one of the controllers ends its wait. */
  readonly #waits: Set<AbortController> = new Set();
  #sink: ((exchange: Exchange) => void) | null = null;
  /** `true` if a 503 is an expected answer, so that the client does not repeat the request. */
  #expectsShed = false;
  /** The last answer if it was a refusal, for the error about a missing token. */
  #refused: { readonly method: string; readonly path: string; readonly status: number } | undefined;

  /**
   * Creates a client. Connections are opened when the first request is sent.
   * @param target The base URL that paths are joined to, or a fetch handler in this process. A base URL `http://user:password@host` sets basic
   * authentication. A fetch handler receives URLs that begin with `http://localhost`.
   * @throws SeqqaError `BASE_URL_INVALID`, `BASE_PATH_INVALID`, `TIMEOUT_INVALID`, `RETRY_INVALID`, `HEADER_INVALID`, `CA_INVALID`, `PROXY_INVALID`
   */
  constructor(target: string | FetchHandler, options: HttpClientOptions = {}) {
    super();
    const base = parseBaseUrl(typeof target === "function" ? IN_PROCESS_ORIGIN : target);
    this.#base = options.basePath === undefined ? base : belowBase(base, options.basePath);
    this.#timeoutMs = options.timeout === undefined ? undefined : milliseconds(options.timeout);
    this.#retry = options.retry === undefined || options.retry === false ? options.retry : retryPolicy(options.retry);
    this.#followRedirects = options.followRedirects ?? false;
    this.#state = new ClientState(options.headers ?? {}, this.#base.credentials);
    const connection = connectionSettings(options);
    this.#transport = typeof target === "function" ? new FetchTransport(target) : new Lease(this.#base.origin, connection);
    offerClientPart(this, this.#part());
  }

  /** Sends a request with any method. */
  override async request(method: string, path: string, options: RequestOptions = NO_OPTIONS): Promise<ApiResponse> {
    return whileUnsettled({ method, url: path }, () => this.#send(method, path, options, false));
  }

  async #send(method: string, path: string, options: RequestOptions, isAnonymous: boolean): Promise<ApiResponse> {
    const target = resolveTarget(this.#base, path, options.query);
    const { multipart } = options;
    const body = multipart === undefined ? encodeBody(options) : await encodeMultipart(options, multipart);
    const own = options.headers === undefined ? undefined : checkedHeaders(options.headers);
    const request: Redirectable = {
      method: checkedMethod(method),
      ...target,
      body: body?.bytes,
      shown: body?.shown,
      // Pass the content type of a multipart body separately: it is different for each body, and would fill the cache of the client's headers.
      contentType: multipart === undefined ? body?.contentType : undefined,
      headers: multipart === undefined ? own : { ...own, "content-type": body!.contentType! },
      isAnonymous,
    };
    const timeoutMs = options.timeout === undefined ? (this.#timeoutMs ?? httpDefaults().timeoutMs) : milliseconds(options.timeout);
    const scope = requestScope();
    const response = await this.#attempts(request, timeoutMs, scope);
    return this.#followRedirects ? this.#follow(request, response, timeoutMs, scope) : response;
  }

  setAuthToken(token: string | null): void {
    const refused = this.#refused;
    const refusal = refused && `${refused.method} ${refused.path.split("?", 1)[0]!} was answered ${refused.status}`;
    ownState(this.#state, requestScope()).setToken(token, refusal);
  }

  setBasicAuth(username: string, password: string): void {
    ownState(this.#state, requestScope()).setBasicAuth(username, password);
  }

  /**
   * Sets a header for all later requests. `null` removes the header.
   * @throws SeqqaError `HEADER_INVALID` for a name or value that HTTP forbids, and for headers that frame the message, e.g. `content-length`
   */
  setHeader(name: string, value: string | null): void {
    ownState(this.#state, requestScope()).setHeader(name, value);
  }

  /** Returns the World's client for a role. @throws SeqqaError `UNKNOWN_ROLE` with the names of the existing roles */
  as(role: string): ApiClient {
    return clientOfRole(this.#clients, role) as ApiClient;
  }

  /** Closes the connections that no other client of the same origin uses. Later requests reject with `CLIENT_CLOSED`. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #attempts(request: Redirectable, timeoutMs: number, scope: RequestScope | undefined): Promise<ApiResponse> {
    const policy = this.#retry ?? httpDefaults().retry;
    let response = await this.#exchange(request, timeoutMs, scope);
    if (isShed(response) && this.#waitsFor(policy, scope) && mayResend(response)) {
      response = await this.#whileShed(response, request, timeoutMs, scope);
    }
    if (policy === undefined || policy === false) return response;
    for (let attempt = 1; attempt < policy.maxAttempts && policy.retryOnStatus.includes(response.statusCode); attempt++) {
      // Ignore an aborted wait: the next attempt rejects with the reason of the abort.
      await sleep(retryDelay(policy, attempt, response.headers["retry-after"]) * 1000, undefined, { signal: scope?.signal }).catch(
        () => undefined,
      );
      response = await this.#exchange(request, timeoutMs, scope);
    }
    return response;
  }

  /**
   * Returns `true` if the client waits and sends a request again that an overloaded server has rejected with 503. Returns `false` if `retry` is
   * `false` or handles 503, if the request belongs to a race, or if 503 is an expected answer.
   */
  #waitsFor(policy: RetryPolicy | false | undefined, scope: RequestScope | undefined): boolean {
    const isRetried = policy !== undefined && policy !== false && policy.retryOnStatus.includes(503);
    return policy !== false && !isRetried && !isRaced(scope) && !this.#expectsShed;
  }

  /** Repeats a request that an overloaded server refused without processing it. Returns the last refusal if the server refuses every attempt. */
  async #whileShed(refused: ApiResponse, request: Redirectable, timeoutMs: number, scope: RequestScope | undefined): Promise<ApiResponse> {
    let response = refused;
    for (let tries = 1; ; tries++) {
      const seconds = this.#patience.wait(tries, response);
      if (seconds === undefined || !(await this.#wait(seconds, scope?.signal))) {
        this.#patience.inVain();
        return response;
      }
      response = await this.#exchange(request, timeoutMs, scope);
      if (!isShed(response)) {
        this.#patience.rewarded();
        return response;
      }
    }
  }

  /** Waits for a time. Resolves to `false` if the wait ended early, because the time limit of the run was reached. */
  async #wait(seconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    const cut = new AbortController();
    this.#waits.add(cut);
    const ends = signal === undefined ? cut.signal : AbortSignal.any([cut.signal, signal]);
    // Ignore a wait that the step's signal ended: the next attempt rejects with the reason of the signal.
    await sleep(seconds * 1000, undefined, { signal: ends }).catch(() => undefined);
    this.#waits.delete(cut);
    return !cut.signal.aborted;
  }

  async #follow(request: Redirectable, response: ApiResponse, timeoutMs: number, scope: RequestScope | undefined): Promise<ApiResponse> {
    let last = response;
    let current = request;
    for (let hops = 0; ; hops++) {
      const next = redirected(this.#base, current, last);
      if (next === undefined) return last;
      if (hops === MAX_REDIRECTS) {
        throw new SeqqaError(
          "TOO_MANY_REDIRECTS",
          `${request.method} ${withoutSecrets(request.url)} was redirected more than ${MAX_REDIRECTS} times.`,
          { hint: "Type curl -v -L with this URL to see each redirect. The target probably redirects in a circle." },
        );
      }
      current = next;
      last = await this.#attempts(current, timeoutMs, scope);
    }
  }

  async #exchange(request: Redirectable, timeoutMs: number, scope: RequestScope | undefined): Promise<ApiResponse> {
    const { method, path, url, body } = request;
    const signal = scope?.signal;
    const { rateLimit } = httpDefaults();
    if (rateLimit !== undefined) await rateLimit.turn(signal);
    if (signal?.aborted === true) throw requestCancelled(request, signal, false);
    const state = request.isAnonymous ? new ClientState({}, undefined) : ownState(this.#state, scope);
    const headers = headersOf(request, state);
    const wire: WireRequest = { method, path, url, headers, body, timeoutMs, signal };
    const sentOf = (): ApiRequest => ({ method, url, headers, body: request.shown ?? bodyText(body) });
    const started = performance.now();
    const flight = { method, url };
    this.#flights.add(flight);
    try {
      const answer = await (scope?.deliver === undefined
        ? this.#transport.send(wire)
        : scope.deliver(wire, this.#transport.route(), (own) => this.#transport.send(own)));
      this.#refused = answer.status < 400 ? undefined : { method, path, status: answer.status };
      if (answer.cookies.length > 0) state.receiveCookies(answer.cookies, url);
      const response = new ApiResponse(answer.status, answer.text, answer.headers, sentOf(), performance.now() - started);
      this.#sink?.({ kind: "answer", response, ...this.#shed(response, scope) });
      scope?.record(recordedAnswer(response));
      return response;
    } catch (thrown) {
      const error = scope?.deliver === undefined ? await this.#explained(thrown) : thrown;
      // Replace the stack: a socket error's stack does not contain the user's code. The stack captured here contains the line of the user's code that
      // awaits the request.
      if (error instanceof Error) Error.captureStackTrace(error);
      const tried = { request: sentOf(), durationMs: performance.now() - started };
      scope?.record({ ...tried, error: error instanceof Error ? error.message : String(error) });
      if (this.#sink !== null) {
        const code = error instanceof SeqqaError ? error.code : "";
        if (code === "REQUEST_TIMEOUT") this.#sink({ kind: "failure", ...tried, reason: "timeout", error });
        else if (code === "TARGET_UNREACHABLE") {
          const mayRepeat = isOfReused(error) && (await this.#transport.isAlive?.()) === true;
          this.#sink?.({ kind: "failure", ...tried, reason: "unreachable", error, ...(mayRepeat && { mayRepeat }) });
        } else if (code === "ANSWER_INVALID") this.#sink({ kind: "failure", ...tried, reason: "invalid", error });
      }
      throw error;
    } finally {
      this.#flights.delete(flight);
    }
  }

  #shed(
    response: ApiResponse,
    scope: RequestScope | undefined,
  ): Pick<Extract<Exchange, { kind: "answer" }>, "shed" | "repeatAfterMs"> | undefined {
    if (!isShed(response) || isRaced(scope)) return undefined;
    const isRepeated = !mayResend(response) && this.#waitsFor(this.#retry ?? httpDefaults().retry, scope);
    return { shed: true, ...(isRepeated && { repeatAfterMs: shedDelay(1, response) * 1000 }) };
  }

  /**
   * Returns the error to report for a request that failed. An answer that ended early is reported as invalid HTTP only if the target is still alive.
   * Otherwise, the target may have crashed.
   */
  async #explained(error: unknown): Promise<unknown> {
    const invalid = cutAnswer(error);
    return invalid !== undefined && (await this.#transport.isAlive?.()) === true ? invalid : error;
  }

  #part(): ClientPart {
    const state = this.#state;
    const transport = this.#transport;
    const flights = this.#flights;
    const waits = this.#waits;
    return {
      get version(): number {
        return ownState(state, requestScope()).version;
      },
      uses: this.#base.origin === IN_PROCESS_ORIGIN ? undefined : this.#base.origin,
      base: this.#base.origin + this.#base.path,
      headers: () => ownState(state, requestScope()).headers(undefined),
      get twoPackets(): boolean {
        return transport.twoPackets === true;
      },
      sendAnonymously: (method, path, options) => this.#send(method, path, options, true),
      save: () => ownState(state, requestScope()).save(),
      restore: (saved) => ownState(state, requestScope()).restore(saved as SavedClient),
      restoreCookies: (saved) => ownState(state, requestScope()).restoreCookies(saved as SavedClient),
      acting: () => ownState(state, requestScope()).acting(),
      bearer: () => ownState(state, requestScope()).bearer(),
      listen: (sink) => {
        this.#sink = sink;
      },
      pending: () => (flights.size === 0 ? NO_FLIGHTS : [...flights]),
      cut: () => {
        transport.cut();
        for (const wait of waits) wait.abort();
      },
      expiries: () => ownState(state, requestScope()).cookies.expiries(),
      rejectedCookies: () => [...state.cookies.rejected.values()],
      keepTime: (now) => state.cookies.keepTime(now),
      adopt: () => state.cookies.adopt(),
      sendExpired: (isSent) => {
        state.cookies.sendsExpired = isSent;
      },
      expectShed: (isExpected) => {
        this.#expectsShed = isExpected;
      },
      join: (clients) => {
        this.#clients = clients;
      },
    };
  }
}

/** Returns `true` if the request belongs to a race. The race decides when its requests are sent. */
function isRaced(scope: RequestScope | undefined): boolean {
  return scope?.own !== undefined;
}

/** Returns the client state that the calling code uses. In a race, each side has its own copy of the state. */
function ownState(state: ClientState, scope: RequestScope | undefined): ClientState {
  return scope?.own === undefined ? state : scope.own(state, copyOf);
}

function copyOf(state: ClientState): ClientState {
  return state.copy();
}

function headersOf(request: Redirectable, state: ClientState): Readonly<Record<string, string>> {
  const always = state.headers(request.contentType);
  const cookie = state.cookies.empty ? undefined : state.cookies.header(request.url);
  if (cookie === undefined && request.headers === undefined) return always;
  return { ...always, ...(cookie !== undefined && { cookie }), ...request.headers };
}

function milliseconds(timeout: Duration): number {
  const seconds = secondsOf(timeout);
  if (typeof seconds === "number" && seconds > 0) return seconds * 1000;
  throw new SeqqaError("TIMEOUT_INVALID", `The option timeout of a request is ${String(timeout)}, which is not a duration above 0.`, {
    exitStatus: 2,
    hint: 'Write a number of seconds, such as 5, or a duration such as "250ms" or "1m".',
  });
}
