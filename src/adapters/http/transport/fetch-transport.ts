import { SeqqaError } from "../../../model/errors.ts";
import type { WireRoute } from "../../../model/http/wire.ts";
import { decodeContent } from "./content-encoding.ts";
import { partsWithin, streamLimits, type StreamLimits } from "./event-stream.ts";
import { bodyTooLarge, clientClosed, failure, undecodable, type FailedRequest } from "./failures.ts";
import { withoutSecrets } from "../request/target-url.ts";
import { decodeBody, MAX_BODY_BYTES, NO_COOKIES, type Transport, type WireAnswer, type WireRequest } from "./transport.ts";
import { withinLimits } from "../request/within-limits.ts";

/** A fetch handler, as web frameworks export it: a target that runs in this process. */
export type FetchHandler = (request: Request) => Response | Promise<Response>;

/** The origin of the URLs in the requests that a target in this process gets. */
export const IN_PROCESS_ORIGIN = "http://localhost";

const ROUTE: WireRoute = Object.freeze({ key: "in process", origin: undefined, ca: Object.freeze([]), proxied: false });

export class FetchTransport implements Transport {
  readonly #handler: FetchHandler;
  readonly #live: Set<() => void> = new Set();
  #closed = false;

  constructor(handler: FetchHandler) {
    this.#handler = handler;
  }

  async send(wire: WireRequest): Promise<WireAnswer> {
    if (this.#closed) throw clientClosed();
    const failed = { method: wire.method, url: wire.url, answered: false };
    const abort = new AbortController();
    const request = toRequest(wire, abort.signal, failed);
    return withinLimits(wire, failed, abort, this.#live, () => this.#answer(request, wire, failed));
  }

  cut(): void {
    for (const expire of this.#live) expire();
  }

  route(): WireRoute {
    return ROUTE;
  }

  close(): Promise<void> {
    this.#closed = true;
    return Promise.resolve();
  }

  async #answer(request: Request, wire: WireRequest, failed: FailedRequest): Promise<WireAnswer> {
    let response: Response;
    let body: Buffer;
    try {
      response = await this.#handler(request);
      if (!isResponse(response)) throw new TypeError("the fetch handler returned no Response");
      body =
        request.method === "HEAD"
          ? Buffer.alloc(0)
          : await read(response, failed, streamLimits(wire, response.headers.get("content-type")));
    } catch (cause) {
      throw cause instanceof SeqqaError && cause.code === "BODY_TOO_LARGE" ? cause : handlerFailed(cause, failed);
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of response.headers) headers[name] = name in headers ? `${headers[name] ?? ""}, ${value}` : value;
    const cookies = "set-cookie" in headers ? response.headers.getSetCookie() : NO_COOKIES;
    try {
      return { status: response.status, headers, cookies, text: decodeBody(decodeContent(body, headers["content-encoding"])) };
    } catch (cause) {
      throw undecodable(cause, failed);
    }
  }
}

function toRequest(wire: WireRequest, signal: AbortSignal, failed: FailedRequest): Request {
  try {
    return new Request(wire.url, { method: wire.method, headers: wire.headers, body: wire.body ?? null, signal, redirect: "manual" });
  } catch (cause) {
    throw failure(Object.assign(new Error(messageOf(cause), { cause }), { code: "UND_ERR_INVALID_ARG" }), failed);
  }
}

/** Returns `true` if a value has the members of a `Response`. `instanceof` would be `false` for frameworks with a `Response` class of their own. */
function isResponse(value: unknown): value is Response {
  return typeof value === "object" && value !== null && typeof (value as Response).status === "number" && "headers" in value;
}

async function read(response: Response, failed: FailedRequest, limits: StreamLimits | undefined): Promise<Buffer> {
  if (response.body === null) return Buffer.alloc(0);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const within = partsWithin(limits);
  for (;;) {
    const part = await within(reader.read());
    if (part === undefined) reader.cancel().catch(() => undefined);
    if (part === undefined || part.done) break;
    const { value } = part;
    length += value.byteLength;
    if (length > MAX_BODY_BYTES) {
      // Do not await `cancel`: for some streams it never settles, which would block the answer.
      reader.cancel().catch(() => undefined);
      throw bodyTooLarge(failed);
    }
    chunks.push(value);
  }
  const only = chunks.length === 1 ? chunks[0] : undefined;
  return only === undefined ? Buffer.concat(chunks) : Buffer.from(only.buffer, only.byteOffset, only.byteLength);
}

function handlerFailed(cause: unknown, failed: FailedRequest): SeqqaError {
  return new SeqqaError(
    "TARGET_UNREACHABLE",
    `The handler of the in-process target threw an error and did not answer ${failed.method} ${withoutSecrets(failed.url)}: ${messageOf(cause)}`,
    {
      hint: "The stack trace of the error shows where the handler threw it. Make the handler answer with status 500 instead of throwing an error.",
      cause,
    },
  );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
