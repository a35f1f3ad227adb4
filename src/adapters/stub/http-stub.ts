import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { reply, type Reply, type ReplyOptions } from "../../mocking/reply.ts";
import { matches, routeOf } from "../../mocking/route.ts";
import { SeqqaError } from "../../model/errors.ts";
import type { Observed } from "../../model/stores/store-adapter.ts";
import type { DescribedReplies } from "./described-replies.ts";
import { portTaken, StubAdapter, stubUrl } from "./stub-adapter.ts";
import {
  NEW_STATE,
  type StubAnswer,
  type StubCall,
  type StubData,
  type StubDefinition,
  type StubFault,
  type StubState,
  type Webhook,
} from "./stub-state.ts";

/** The replies of a stub to requests with one method and path. */
export interface StubReplies {
  /**
   * Adds the next reply. The first request gets the first reply, and so on; the last reply is repeated. A string is sent as text, `undefined` as an
   * empty body, and any other value as JSON. A function receives the call, the stub's own data and the target's time (milliseconds since 1970), and
   * returns `{ body, status }`.
   * @throws SeqqaError `REPLY_INVALID`
   */
  respond(answer: StubAnswer): StubReplies;
  respond(body?: unknown, options?: ReplyOptions): StubReplies;
  /** Queues a webhook for each request that the stub carries out. The actions of `webhookActions` send the queued webhooks. */
  thenSend(
    webhook: { readonly path: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } | WebhookMaker,
  ): StubReplies;
}

type WebhookMaker = (call: StubCall, data: StubData, nowMs: number) => Webhook;

/** Options of {@link HttpStub}. */
export interface HttpStubOptions {
  /** The URL that the target calls, `http://127.0.0.1:<port>`. In a lane, this is the value of the placeholder `{url:<name>}`. */
  readonly url: string;
  /**
   * Milliseconds that a `slow` answer takes. Must differ clearly from the target's timeout, because otherwise the target may answer differently each
   * time. Default: 1,250, which is no usual timeout.
   */
  readonly slowMs?: number;
  /** `true` if the state includes the received calls; `false` if the state includes only what affects later answers. Default: `true`. */
  readonly callsAreState?: boolean;
  /**
   * The path of an OpenAPI description. A request that no defined reply matches gets the first 2xx response of its operation: the example, or a body
   * made from the schema. Equal requests get equal answers. Default: such a request gets 404.
   */
  readonly openapi?: string | undefined;
}

const MOST_BYTES = 16 * 2 ** 20;
/**
 * The default of `slowMs`. The usual timeouts of 1 s and 1.5 s are clearly below and above this value, so a target with such a timeout always behaves
 * in the same way.
 */
const SLOW_MS = 1_250;

/**
 * A server that takes the place of a third party that the target calls over HTTP, such as a payment, mail or identity provider. Replies are defined
 * as with `MockClient`. The received calls, the next answers, the stub's own data and the queued webhooks are part of the state and are restored.
 *
 * ```ts
 * world: (lane) => {
 *   const payments = lane.systems.payments as HttpStub;
 *   payments.whenPost("/charges").respond((call, data) => ({ status: 201, body: { id: `ch_${(data.n = Number(data.n ?? 0) + 1)}` } }));
 *   return new World();
 * }
 * ```
 */
export class HttpStub extends StubAdapter<StubState> {
  readonly name = "http-stub";
  readonly #slowMs: number;
  readonly #callsAreState: boolean;
  readonly #openapi: string | undefined;
  #described: DescribedReplies | undefined;
  readonly #definitions: StubDefinition[] = [];
  #server: Server | undefined;
  #thrown: Error | undefined;
  #now: () => number = Date.now;

  /** Creates a stub that does not listen yet. @throws SeqqaError `STUB_URL_INVALID` */
  constructor({ url, slowMs = SLOW_MS, callsAreState = true, openapi }: HttpStubOptions) {
    super(stubUrl(url, "http"), NEW_STATE);
    this.#slowMs = slowMs;
    this.#callsAreState = callsAreState;
    this.#openapi = openapi;
  }

  /** All requests received so far on this path, in order. */
  get calls(): readonly StubCall[] {
    return this.state.calls;
  }

  /** Sets the clock for functions that create replies and webhooks. Default: the clock of this process. */
  keepTime(now: () => number): void {
    this.#now = now;
  }

  /** The queued webhooks, oldest first. */
  get waiting(): readonly Webhook[] {
    return this.state.waiting;
  }

  /** The number of times that {@link failNext} was called on this path. */
  get faults(): number {
    return this.state.faults;
  }

  /** The fault that the next request will get, as set by {@link failNext}; `undefined` for none. */
  get nextFault(): StubFault | undefined {
    return this.state.next;
  }

  /**
   * Defines the replies to requests with a method and path, like `MockClient.when`. If several definitions match a request, the last definition is
   * used.
   */
  when(method: string, path: string | RegExp): StubReplies {
    this.#requireUndecided();
    const route = routeOf(path, (one) => (one.startsWith("/") ? one : `/${one}`));
    const at = this.#definitions.push({ method: method.toUpperCase(), route, replies: [], webhooks: [] }) - 1;
    const change = (how: (one: StubDefinition) => StubDefinition): void => {
      this.#requireUndecided();
      this.#definitions[at] = how(this.#definitions[at]!);
    };
    const replies: StubReplies = {
      respond: (body?: unknown, options: ReplyOptions = {}) => {
        const added = typeof body === "function" ? (body as StubAnswer) : reply(body, options);
        change((one) => ({ ...one, replies: [...one.replies, added] }));
        return replies;
      },
      thenSend: (webhook) => {
        const maker: WebhookMaker =
          typeof webhook === "function" ? webhook : () => ({ path: webhook.path, body: webhook.body, headers: webhook.headers ?? {} });
        change((one) => ({ ...one, webhooks: [...one.webhooks, maker] }));
        return replies;
      },
    };
    return replies;
  }

  whenGet(path: string | RegExp): StubReplies {
    return this.when("GET", path);
  }

  whenPost(path: string | RegExp): StubReplies {
    return this.when("POST", path);
  }

  whenPut(path: string | RegExp): StubReplies {
    return this.when("PUT", path);
  }

  whenPatch(path: string | RegExp): StubReplies {
    return this.when("PATCH", path);
  }

  whenDelete(path: string | RegExp): StubReplies {
    return this.when("DELETE", path);
  }

  /** Makes the next request to the stub fail with a fault. {@link StubFault} lists the faults. */
  failNext(fault: StubFault): void {
    this.set({ next: fault, faults: this.state.faults + 1 });
  }

  /** Removes a webhook from the queue and records it as sent. Returns `undefined` if the queue is empty. */
  takeWebhook(which: "first" | "last"): Webhook | undefined {
    const { waiting } = this.state;
    const taken = which === "first" ? waiting[0] : waiting.at(-1);
    if (taken === undefined) return undefined;
    this.set({ waiting: which === "first" ? waiting.slice(1) : waiting.slice(0, -1), sent: taken });
    return taken;
  }

  /** The webhook that was sent last; `undefined` if none was sent. */
  get lastSent(): Webhook | undefined {
    return this.state.sent;
  }

  takeThrown(): Error | undefined {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    return thrown;
  }

  /**
   * Reads the description, if there is one, and starts to listen. Must be called before the target gets its first request.
   * @throws SeqqaError `STUB_PORT` if the port is taken, `DESCRIPTION_*` if the description cannot be read
   */
  async listen(): Promise<void> {
    if (this.#server !== undefined) return;
    if (this.#openapi !== undefined)
      this.#described ??= await (await import("./described-replies.ts")).DescribedReplies.read(this.#openapi);
    const server = createServer((request, response) => void this.#handle(request, response));
    // Leave it to the client to close idle connections: no client keeps an idle connection open for 10 minutes.
    server.keepAliveTimeout = 600_000;
    const { hostname, port } = new URL(this.uses);
    await new Promise<void>((resolve, reject) => {
      server.once("error", (cause) => reject(portTaken(this.uses, cause)));
      server.listen(Number(port), hostname, resolve);
    });
    server.unref();
    this.#server = server;
  }

  observe(): Observed {
    const { calls, steps, given, next, faults, data, waiting, sent } = this.state;
    const shown = this.#callsAreState
      ? this.byStep(calls).map(({ method, path, headers, json, body, status, done, fault }) => ({
          method,
          path,
          ...(headers["idempotency-key"] !== undefined && { key: headers["idempotency-key"] }),
          body: json ?? body,
          status,
          done,
          ...(fault !== undefined && { fault }),
        }))
      : undefined;
    const value = {
      calls: shown,
      given: given.some((count) => count > 0) ? given : undefined,
      next,
      faults: faults || undefined,
      data,
      waiting,
      sent,
    };
    const known = Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
    return { kind: "value", value: known, received: "calls", steps };
  }

  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.isOpen = false;
    server?.closeAllConnections();
    if (server !== undefined) await new Promise<void>((resolve) => server.close(() => resolve()));
  }

  #requireUndecided(): void {
    if (!this.isOpen) return;
    throw new SeqqaError("STUB_DECIDED", "The replies of an HttpStub were changed while an exploration was running.", {
      hint: "Define all replies in the `world` function. For a reply that varies, pass a function that reads the call and the stub's data.",
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await bodyOf(request);
      if (body === undefined) return void response.writeHead(413).end();
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
      );
      const asked = { method: request.method ?? "", path: request.url ?? "/", headers, body, json: parsed(body, headers["content-type"]) };
      const fault = this.state.next;
      const { answer, call } = this.#answer(asked, fault);
      this.called(call.matched ? undefined : `${asked.method} ${asked.path.split("?", 1)[0]!}`);
      this.set({ calls: [...this.state.calls, call], steps: this.stepsWithOneMore(), next: undefined });
      if (fault === "refused" || fault === "no_answer") return void request.socket.destroy();
      if (fault === "slow") await sleep(this.#slowMs);
      response.writeHead(answer.status, { ...answer.headers, ...(answer.cookies.length > 0 && { "set-cookie": [...answer.cookies] }) });
      response.end(answer.text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.called();
      this.#thrown ??= new Error(`${this.label} could not answer ${request.method ?? ""} ${request.url ?? ""}: ${message}`, {
        cause: error,
      });
      response.writeHead(500, { "content-type": "text/plain" }).end(`The function that builds the stub's reply threw an error: ${message}`);
    }
  }

  #answer(
    asked: Pick<StubCall, "method" | "path" | "headers" | "body" | "json">,
    fault: StubFault | undefined,
  ): { readonly answer: Reply; readonly call: StubCall } {
    if (fault === "error" || fault === "refused") {
      const answer = reply({ error: "The stub was asked to fail." }, { status: 500 });
      return { answer, call: { ...asked, status: fault === "error" ? 500 : 0, done: false, matched: true, fault } };
    }
    const index = this.#definitions.findLastIndex(
      (one) => one.replies.length > 0 && one.method === asked.method && matches(one.route, asked.path),
    );
    const definition = this.#definitions[index];
    const described = definition === undefined ? this.#described?.replyTo(asked.method, asked.path) : undefined;
    if (definition === undefined && described === undefined) {
      const answer = reply({ error: `No reply is defined for ${asked.method} ${asked.path}.` }, { status: 404 });
      return { answer, call: { ...asked, status: 404, done: false, matched: false, fault } };
    }
    const given = this.#definitions.map((_, at) => this.state.given[at] ?? 0);
    const data = structuredClone(this.state.data);
    const nowMs = this.#now();
    const answer = described ?? replyAt(definition!, given[index]!, asked, data, nowMs);
    if (definition !== undefined && given[index]! < definition.replies.length - 1) given[index]!++;
    const done = answer.status < 400;
    const call = {
      ...asked,
      status: fault === "no_answer" ? 0 : answer.status,
      done,
      matched: true,
      ...(fault !== undefined && { fault }),
    };
    const added = done ? (definition?.webhooks ?? []).map((make) => make(call, data, nowMs)) : [];
    this.set({ given, data, waiting: [...this.state.waiting, ...added] });
    return {
      answer:
        fault === "wrong_body" ? reply("<html><body>Bad gateway</body></html>", { headers: { "content-type": "text/html" } }) : answer,
      call,
    };
  }
}

/** Returns the reply with the index `given` (from 0) of a definition; the last reply if there is no reply with this index. */
function replyAt({ replies }: StubDefinition, given: number, ...asked: Parameters<StubAnswer>): Reply {
  const chosen = replies[Math.min(given, replies.length - 1)]!;
  if (typeof chosen !== "function") return chosen;
  const { body, status = 200, headers = {} } = chosen(...asked);
  return reply(body, { status, headers });
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns the fields of a form. The value of a repeated field is the list of its values. */
function fieldsOf(form: URLSearchParams): Readonly<Record<string, string | readonly string[]>> {
  const fields = new Map<string, string[]>();
  for (const [name, value] of form) {
    const values = fields.get(name);
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return Object.fromEntries([...fields].map(([name, values]) => [name, values.length === 1 ? values[0]! : values]));
}

function parsed(body: string, contentType = ""): unknown {
  if (body === "") return undefined;
  if (contentType.startsWith("application/x-www-form-urlencoded")) return fieldsOf(new URLSearchParams(body));
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
