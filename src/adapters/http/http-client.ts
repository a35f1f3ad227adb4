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
import { requestScope, type RequestScope } from "../../model/http/request-scope.ts";
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
import { isShed, Patience } from "./request/shed.ts";
import { belowBase, parseBaseUrl, resolveTarget, withoutSecrets, type BaseUrl } from "./request/target-url.ts";
import type { Transport, WireRequest } from "./transport/transport.ts";
import { Verbs } from "./request/verbs.ts";

/** Options of {@link HttpClient}. */
export interface HttpClientOptions extends ConnectionOptions {
  /** Seconds that one attempt may take, connecting and reading included; default: `timeout` of the configuration, else 30. */
  readonly timeout?: Duration;
  /** Sends a request again on some statuses; default: `retry` of the configuration, else no retries. `false`: no retries, whatever is configured. */
  readonly retry?: RetryOptions | false;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Put before every path, e.g. `/v1`; below the path of the base URL, where it has one. Meant for a fetch handler, which has no URL. Default:
   * nothing.
   */
  readonly basePath?: string;
  /** Follows redirects within the origin, at most 20; default `false`: a redirect is an answer like any other. */
  readonly followRedirects?: boolean;
}

const NO_OPTIONS: RequestOptions = Object.freeze({});

const NO_FLIGHTS: readonly PendingRequest[] = Object.freeze([]);

/**
 * The client of a JSON API: over HTTP, or straight into a handler of this process. It keeps cookies, a token and headers; all of them are part of the
 * world, so that they are restored with it.
 *
 * Every answer is returned, whatever its status. After a 503 by which a server sheds load, the client first waits and sends the request again, at
 * most three times. Requests reject with a `SeqqaError`: `TARGET_UNREACHABLE` for every way of getting no answer, `ANSWER_INVALID` for an answer that
 * is not HTTP, `REQUEST_TIMEOUT`, `BODY_TOO_LARGE` (over 64 MiB), `OTHER_ORIGIN` for an absolute URL elsewhere, and `PATH_INVALID`, `HEADER_INVALID`,
 * `METHOD_INVALID`, `BODY_INVALID`, `REQUEST_INVALID` for what cannot be sent.
 */
export class HttpClient extends Verbs implements ApiClient {
  readonly #base: BaseUrl;
  readonly #transport: Transport;
  readonly #state: ClientState;
  readonly #timeoutMs: number | undefined;
  readonly #retry: RetryPolicy | false | undefined;
  readonly #followRedirects: boolean;
  #clients: Readonly<Record<string, unknown>> = {};
  /** Requests that are not answered yet. */
  readonly #flights: Set<PendingRequest> = new Set();
  readonly #patience: Patience = new Patience();
  /** Each of these ends a wait for a server that sheds load. */
  readonly #waits: Set<AbortController> = new Set();
  #sink: ((exchange: Exchange) => void) | null = null;

  /**
   * @param target The base URL, which paths are joined to; `http://user:password@host` sends basic authentication. Or a fetch handler
   *   of this process, which sees URLs under `http://localhost`.
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
    const target = resolveTarget(this.#base, path, options.query);
    const { multipart } = options;
    const body = multipart === undefined ? encodeBody(options) : await encodeMultipart(options, multipart);
    const own = options.headers === undefined ? undefined : checkedHeaders(options.headers);
    const request: Redirectable = {
      method: checkedMethod(method),
      ...target,
      body: body?.bytes,
      shown: body?.shown,
      // Each multipart body has a content type of its own. It goes with the request's headers, which are not kept.
      contentType: multipart === undefined ? body?.contentType : undefined,
      headers: multipart === undefined ? own : { ...own, "content-type": body!.contentType! },
    };
    const timeoutMs = options.timeout === undefined ? (this.#timeoutMs ?? httpDefaults().timeoutMs) : milliseconds(options.timeout);
    const scope = requestScope();
    const response = await this.#attempts(request, timeoutMs, scope);
    return this.#followRedirects ? this.#follow(request, response, timeoutMs, scope) : response;
  }

  setAuthToken(token: string | null): void {
    ownState(this.#state, requestScope()).setToken(token);
  }

  setBasicAuth(username: string, password: string): void {
    ownState(this.#state, requestScope()).setBasicAuth(username, password);
  }

  /** @throws SeqqaError `HEADER_INVALID` for a name or value that HTTP does not allow, and for headers that frame the message. */
  setHeader(name: string, value: string | null): void {
    ownState(this.#state, requestScope()).setHeader(name, value);
  }

  /** @throws SeqqaError `UNKNOWN_ROLE` naming the roles that exist. */
  as(role: string): ApiClient {
    return clientOfRole(this.#clients, role) as ApiClient;
  }

  /** Closes the connections, unless other clients of the same origin use them. Later requests reject with `CLIENT_CLOSED`. */
  close(): Promise<void> {
    return this.#transport.close();
  }

  async #attempts(request: Redirectable, timeoutMs: number, scope: RequestScope | undefined): Promise<ApiResponse> {
    const policy = this.#retry ?? httpDefaults().retry;
    let response = await this.#exchange(request, timeoutMs, scope);
    const isRetried = policy !== undefined && policy !== false && policy.retryOnStatus.includes(503);
    if (isShed(response) && policy !== false && !isRetried && !isRaced(scope)) {
      response = await this.#whileShed(response, request, timeoutMs, scope);
    }
    if (policy === undefined || policy === false) return response;
    for (let attempt = 1; attempt < policy.maxAttempts && policy.retryOnStatus.includes(response.statusCode); attempt++) {
      // After a wait that is cut short, the next attempt is refused, and says why.
      await sleep(retryDelay(policy, attempt, response.headers["retry-after"]) * 1000, undefined, { signal: scope?.signal }).catch(
        () => undefined,
      );
      response = await this.#exchange(request, timeoutMs, scope);
    }
    return response;
  }

  /** Sends a request again that the server refused before it worked on it, as long as the server's load may last only seconds. */
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

  /** Returns `false` if the wait was ended because the run has no time left. */
  async #wait(seconds: number, signal: AbortSignal | undefined): Promise<boolean> {
    const cut = new AbortController();
    this.#waits.add(cut);
    const ends = signal === undefined ? cut.signal : AbortSignal.any([cut.signal, signal]);
    // If its step ends the wait, the next attempt is refused, and says why.
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
        );
      }
      current = next;
      last = await this.#attempts(current, timeoutMs, scope);
    }
  }

  /** Makes one attempt: sends the request, takes in the cookies and reports the exchange. */
  async #exchange(request: Redirectable, timeoutMs: number, scope: RequestScope | undefined): Promise<ApiResponse> {
    const { method, path, url, body } = request;
    const signal = scope?.signal;
    const { rateLimit } = httpDefaults();
    if (rateLimit !== undefined) await rateLimit.turn(signal);
    if (signal?.aborted === true) throw requestCancelled(request, signal, false);
    const state = ownState(this.#state, scope);
    const headers = headersOf(request, state);
    const wire: WireRequest = { method, path, url, headers, body, timeoutMs, signal };
    const started = performance.now();
    const flight = { method, url };
    this.#flights.add(flight);
    try {
      const answer = await (scope?.deliver === undefined
        ? this.#transport.send(wire)
        : scope.deliver(wire, this.#transport.route(), (own) => this.#transport.send(own)));
      if (answer.cookies.length > 0) state.receiveCookies(answer.cookies, url);
      const sent: ApiRequest = { method, url, headers, body: request.shown ?? bodyText(body) };
      const response = new ApiResponse(answer.status, answer.text, answer.headers, sent, performance.now() - started);
      const shed = isShed(response) && !isRaced(scope);
      this.#sink?.(shed ? { kind: "answer", response, shed } : { kind: "answer", response });
      scope?.record(recordedAnswer(response));
      return response;
    } catch (thrown) {
      const error = scope?.deliver === undefined ? await this.#explained(thrown) : thrown;
      // A socket raises its errors outside of any call of the user's. Captured here, the stack leads through the awaits to the user's own line.
      if (error instanceof Error) Error.captureStackTrace(error);
      scope?.record({
        request: { method, url, headers, body: request.shown ?? bodyText(body) },
        error: error instanceof Error ? error.message : String(error),
        durationMs: performance.now() - started,
      });
      if (this.#sink !== null) {
        const code = error instanceof SeqqaError ? error.code : "";
        if (code === "REQUEST_TIMEOUT") this.#sink({ kind: "failure", method, url, reason: "timeout", error });
        else if (code === "TARGET_UNREACHABLE") {
          const mayRepeat = isOfReused(error) && (await this.#transport.isAlive?.()) === true;
          this.#sink?.({ kind: "failure", method, url, reason: "unreachable", error, ...(mayRepeat && { mayRepeat }) });
        } else if (code === "ANSWER_INVALID") this.#sink({ kind: "failure", method, url, reason: "invalid", error });
      }
      throw error;
    } finally {
      this.#flights.delete(flight);
    }
  }

  /** Finds the error to report. An answer that ended too early is not HTTP, unless the target crashed over it: then the crash is the error. */
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
      get twoPackets(): boolean {
        return transport.twoPackets === true;
      },
      save: () => ownState(state, requestScope()).save(),
      restore: (saved) => ownState(state, requestScope()).restore(saved as SavedClient),
      acting: () => ownState(state, requestScope()).acting(),
      listen: (sink) => {
        this.#sink = sink;
      },
      pending: () => (flights.size === 0 ? NO_FLIGHTS : [...flights]),
      cut: () => {
        transport.cut();
        for (const wait of waits) wait.abort();
      },
      keepTime: (now) => state.cookies.keepTime(now),
      join: (clients) => {
        this.#clients = clients;
      },
    };
  }
}

/** Returns `true` if a side of a race makes the request. The race decides when its requests are sent. */
function isRaced(scope: RequestScope | undefined): boolean {
  return scope?.own !== undefined;
}

/** Returns the state of the caller: a side of a race has a copy of its own. */
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
  throw new SeqqaError("TIMEOUT_INVALID", `The timeout of a request is ${String(timeout)}; it must be a number of seconds above 0.`, {
    exitStatus: 2,
    hint: 'Write seconds, as 5, or a duration such as "250ms" or "1m".',
  });
}
