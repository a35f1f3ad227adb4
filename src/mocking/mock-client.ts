import { bodyText, encodeBody } from "../adapters/http/request/body.ts";
import { ClientState, type SavedClient } from "../adapters/http/client-state.ts";
import { requestCancelled } from "../adapters/http/transport/failures.ts";
import { checkedHeaders, checkedMethod } from "../adapters/http/request/headers.ts";
import { encodeMultipart } from "../adapters/http/request/multipart.ts";
import { parseBaseUrl, resolveTarget, type BaseUrl } from "../adapters/http/request/target-url.ts";
import {
  clientOfRole,
  offerClientPart,
  type ApiClient,
  type ClientPart,
  type Exchange,
  type RequestOptions,
} from "../model/http/client.ts";
import { recordedAnswer } from "../model/context/recorded.ts";
import { requestScope } from "../model/http/request-scope.ts";
import { ApiResponse } from "../model/http/response.ts";
import { MockState, type MockCall, type SavedMock } from "./mock-state.ts";
import { reply, type Reply, type ReplyOptions } from "./reply.ts";
import { routeOf } from "./route.ts";
import { Verbs } from "../adapters/http/request/verbs.ts";

/** The replies to the requests that one call of `when` describes. */
export interface MockReplies {
  /**
   * Adds a reply to the sequence. The first request gets the first reply, the second request gets the second reply, and so on. The last reply is
   * repeated. A string is sent as text, `undefined` as an empty body, and every other value as JSON.
   * @throws SeqqaError `REPLY_INVALID`
   */
  respond(body?: unknown, options?: ReplyOptions): MockReplies;
}

const BASE: BaseUrl = parseBaseUrl("http://localhost");
const NO_OPTIONS: RequestOptions = Object.freeze({});

/**
 * A client with predefined replies, for testing actions, invariants and journeys without a server. The client sends nothing over the network.
 * Requests are encoded and checked as by `HttpClient`, and cookies, token and headers work in the same way.
 *
 * The defined replies, the positions in their sequences, and the received calls belong to the state of the world, so a restore also restores them.
 * States that differ only in their calls count as equal. To check calls, store a value in the context, or check `calls` at the end of a journey.
 */
export class MockClient extends Verbs implements ApiClient {
  readonly #mock = new MockState();
  readonly #client = new ClientState({}, undefined);
  #clients: Readonly<Record<string, unknown>> = {};
  #sink: ((exchange: Exchange) => void) | null = null;

  constructor() {
    super();
    offerClientPart(this, this.#part());
  }

  /** All requests that this client has received, in order. Restoring a checkpoint removes the calls that were received after it was taken. */
  get calls(): readonly MockCall[] {
    return this.#mock.calls;
  }

  /** The requests that were answered with 404 because no reply was defined for them. */
  get unmatched(): readonly MockCall[] {
    return this.calls.filter(({ matched }) => !matched);
  }

  /**
   * Defines the replies to requests with this method and path. If several definitions match a request, the last definition is used.
   * @param path A string must equal the path with its query; a segment such as `:id` matches any segment. A regular expression must match a part of
   * the path with its query. Functions are not allowed, because definitions are copied between lanes.
   */
  when(method: string, path: string | RegExp): MockReplies {
    const route = routeOf(path, (one) => resolveTarget(BASE, one, undefined).path);
    const index = this.#mock.define(checkedMethod(method), route);
    const replies: MockReplies = {
      respond: (body, options = {}) => {
        this.#mock.add(index, reply(body, options));
        return replies;
      },
    };
    return replies;
  }

  whenGet(path: string | RegExp): MockReplies {
    return this.when("GET", path);
  }

  whenPost(path: string | RegExp): MockReplies {
    return this.when("POST", path);
  }

  whenPut(path: string | RegExp): MockReplies {
    return this.when("PUT", path);
  }

  whenPatch(path: string | RegExp): MockReplies {
    return this.when("PATCH", path);
  }

  whenDelete(path: string | RegExp): MockReplies {
    return this.when("DELETE", path);
  }

  whenHead(path: string | RegExp): MockReplies {
    return this.when("HEAD", path);
  }

  whenOptions(path: string | RegExp): MockReplies {
    return this.when("OPTIONS", path);
  }

  /** Answers a request with any HTTP method. @throws SeqqaError like `HttpClient` if the request is invalid or cancelled */
  override async request(method: string, path: string, options: RequestOptions = NO_OPTIONS): Promise<ApiResponse> {
    const target = resolveTarget(BASE, path, options.query);
    const scope = requestScope();
    if (scope?.signal.aborted === true) throw requestCancelled({ method, url: target.url }, scope.signal, false);
    const { multipart } = options;
    const body = multipart === undefined ? encodeBody(options) : await encodeMultipart(options, multipart);
    const verb = checkedMethod(method);
    const cookie = this.#client.cookies.header(target.url);
    const headers = {
      ...this.#client.headers(multipart === undefined ? body?.contentType : undefined),
      ...(multipart !== undefined && { "content-type": body!.contentType! }),
      ...(cookie !== undefined && { cookie }),
      ...(options.headers !== undefined && checkedHeaders(options.headers)),
    };
    const text = body?.shown ?? bodyText(body?.bytes);
    const given = this.#mock.take(verb, target.path);
    const answer = given ?? notDefined(verb, target.path);
    this.#mock.record({
      method: verb,
      path: target.path,
      headers,
      query: Object.fromEntries(new URL(target.url).searchParams),
      ...(text !== undefined && { body: text }),
      ...(options.json !== undefined && { json: JSON.parse(text ?? "null") as unknown }),
      ...(options.form !== undefined && { form: Object.fromEntries(new URLSearchParams(text)) }),
      status: answer.status,
      matched: given !== undefined,
    });
    if (answer.cookies.length > 0) this.#client.receiveCookies(answer.cookies, target.url);
    const sent = { method: verb, url: target.url, headers, body: text };
    const response = new ApiResponse(answer.status, verb === "HEAD" ? "" : answer.text, answer.headers, sent);
    this.#sink?.({ kind: "answer", response });
    scope?.record(recordedAnswer(response));
    return response;
  }

  setAuthToken(token: string | null): void {
    this.#client.setToken(token);
  }

  setBasicAuth(username: string, password: string): void {
    this.#client.setBasicAuth(username, password);
  }

  setHeader(name: string, value: string | null): void {
    this.#client.setHeader(name, value);
  }

  /** Returns the client of another role of the same world. @throws SeqqaError `UNKNOWN_ROLE` naming the roles that exist. */
  as(role: string): ApiClient {
    return clientOfRole(this.#clients, role) as ApiClient;
  }

  close(): void {
    // Nothing to do: this client has no connections to close.
  }

  #part(): ClientPart {
    const mock = this.#mock;
    const client = this.#client;
    return {
      selfContained: true,
      base: BASE.origin,
      get version(): number {
        return mock.version + client.version;
      },
      save: () => ({ mock: mock.save(), client: client.save() }),
      restore: (saved) => {
        const one = saved as { readonly mock: SavedMock; readonly client: SavedClient };
        mock.restore(one.mock);
        client.restore(one.client);
      },
      acting: () => {
        const replies = mock.acting();
        const bearer = client.acting();
        return replies === undefined ? bearer : { ...bearer, replies };
      },
      bearer: () => client.bearer(),
      listen: (sink) => {
        this.#sink = sink;
      },
      join: (clients) => {
        this.#clients = clients;
        mock.begin();
      },
    };
  }
}

function notDefined(method: string, path: string): Reply {
  return reply({ error: `The mock client got the request ${method} ${path}, for which no reply is defined.` }, { status: 404 });
}
