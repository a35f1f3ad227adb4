import http2 from "node:http2";
import type { SecureContext } from "node:tls";
import { setTimeout as sleep } from "node:timers/promises";
import { decodeContent } from "../transport/content-encoding.ts";
import { bodyTooLarge, clientClosed, failure, undecodable } from "../transport/failures.ts";
import { decodeBody, MAX_BODY_BYTES, NO_COOKIES, type WireAnswer, type WireRequest } from "../transport/transport.ts";
import { withinLimits } from "../request/within-limits.ts";
import { atOffsets } from "./at-offsets.ts";
import type { HeldRequest } from "./held-request.ts";
import { openHttp2 } from "./http2-session.ts";
import type { DeliveryTransport } from "./delivery-transport.ts";

const CONNECT_MS = 10_000;
/** Milliseconds that the target gets to read the bytes that are sent early, before the bytes that were held back are sent. */
const READ_MS = 2;
/**
 * The maximum size of a short body, in bytes. At the release, a short body is sent together with its headers, in one write with the requests of the
 * other sides. A longer body is sent before the release. Only the frame that ends its stream is sent at the release.
 */
const TOGETHER = 4096;
/** Methods that usually have a body. For them, `content-length` is sent even if the body is empty (RFC 9110, section 8.6). */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** Sends each request on its own stream of one HTTP/2 session. The server receives all requests at once and can process them concurrently. */
export class Http2Delivery implements DeliveryTransport {
  readonly #origin: string;
  readonly #secure: SecureContext | undefined;
  #session: http2.ClientHttp2Session | undefined;
  #closed = false;

  constructor(origin: string, secure: SecureContext | undefined) {
    this.#origin = origin;
    this.#secure = secure;
  }

  launch(held: readonly HeldRequest[]): void {
    const session = this.#usable();
    const streams = held.map((one) => new Exchange(one, () => this.#closed));
    for (const [index, stream] of streams.entries()) held[index]!.answerWith(stream.answer);
    void session.then(
      (open) => release(open, streams),
      (error: unknown) => {
        for (const stream of streams) stream.fail(error);
      },
    );
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#session?.destroy();
    return Promise.resolve();
  }

  async #usable(): Promise<http2.ClientHttp2Session> {
    // Ping the server: it may have announced the end of the session (GOAWAY) since the last trial. The answer to a ping arrives after such an
    // announcement.
    if (this.#session === undefined || !(await answersPing(this.#session))) {
      this.#session?.destroy();
      const opened = this.#closed ? "refused" : await openHttp2(this.#origin, this.#secure, CONNECT_MS);
      this.#session = typeof opened === "string" ? undefined : opened;
    }
    if (this.#session === undefined) throw lost("no session of HTTP/2");
    if (this.#closed) this.#session.destroy();
    return this.#session;
  }
}

function answersPing(session: http2.ClientHttp2Session): Promise<boolean> {
  return new Promise((resolve) => {
    if (session.closed || session.destroyed) return resolve(false);
    const end = (alive: boolean): void => {
      session.off("close", ended);
      resolve(alive);
    };
    const ended = (): void => end(false);
    session.once("close", ended);
    session.ping((error) => end(error === null && !session.closed));
  });
}

async function release(session: http2.ClientHttp2Session, streams: readonly Exchange[]): Promise<void> {
  let ahead = false;
  for (const stream of streams) ahead = stream.begin(session) || ahead;
  if (ahead) await sleep(READ_MS);
  await atOffsets(streams, (together) => {
    // Release all streams in one loop, because Node sends all data that is written in one turn of the event loop in one write.
    for (const stream of together) stream.release(session);
  });
}

class Exchange {
  readonly answer: Promise<WireAnswer>;
  readonly #held: HeldRequest;
  readonly #isClosed: () => boolean;
  readonly #body: Buffer;
  readonly #abort = new AbortController();
  readonly #failed: { readonly method: string; readonly url: string; answered: boolean };
  #stream: http2.ClientHttp2Stream | undefined;
  #resolve!: (answer: WireAnswer) => void;
  #reject!: (error: unknown) => void;

  constructor(held: HeldRequest, isClosed: () => boolean) {
    const { request } = held;
    this.#held = held;
    this.#isClosed = isClosed;
    this.#body = typeof request.body === "string" ? Buffer.from(request.body) : Buffer.from(request.body ?? []);
    this.#failed = { method: request.method, url: request.url, answered: false };
    const work = new Promise<WireAnswer>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#abort.signal.addEventListener("abort", () => this.#stream?.close(http2.constants.NGHTTP2_CANCEL));
    this.answer = withinLimits(request, this.#failed, this.#abort, new Set(), () => work);
  }

  get offset(): number {
    return this.#held.offset;
  }

  fail(error: unknown): void {
    this.#reject(this.#isClosed() ? clientClosed(error) : failure(error, this.#failed));
  }

  /** Sends a long body before the release. Returns `false` for a short body, which is sent at the release. */
  begin(session: http2.ClientHttp2Session): boolean {
    if (this.#body.length <= TOGETHER) return false;
    this.#open(session)?.write(this.#body);
    return true;
  }

  release(session: http2.ClientHttp2Session): void {
    if (this.#abort.signal.aborted || this.#stream?.closed === true) return;
    this.#held.from = performance.now();
    if (this.#stream !== undefined) this.#stream.end();
    else if (this.#body.length === 0) this.#open(session);
    else this.#open(session)?.end(this.#body);
  }

  #open(session: http2.ClientHttp2Session): http2.ClientHttp2Stream | undefined {
    if (this.#abort.signal.aborted) return undefined;
    try {
      this.#stream = session.request(headersOf(this.#held.request, this.#body), { endStream: this.#body.length === 0 });
    } catch (error) {
      this.fail(lost("the session is over", error));
      return undefined;
    }
    this.#receive(this.#stream);
    return this.#stream;
  }

  #receive(stream: http2.ClientHttp2Stream): void {
    const chunks: Buffer[] = [];
    let length = 0;
    let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
    let ended = false;
    stream.on("response", (headers) => {
      head = headers;
      this.#failed.answered = true;
    });
    stream.on("data", (chunk: Buffer) => {
      length += chunk.length;
      chunks.push(chunk);
      if (length <= MAX_BODY_BYTES) return;
      this.#reject(bodyTooLarge(this.#failed));
      stream.close(http2.constants.NGHTTP2_CANCEL);
    });
    stream.on("end", () => (ended = true));
    stream.on("error", (error) => this.fail(lost("the stream was ended", error)));
    // Wait for `close`, which comes after `end` and shows if the stream was reset. A stream that was reset emits `end`, too.
    stream.on("close", () => {
      if (!ended || !this.#failed.answered || stream.rstCode !== http2.constants.NGHTTP2_NO_ERROR) {
        this.fail(lost("the stream was ended"));
        return;
      }
      try {
        this.#resolve({ ...answerHead(head), text: decodeBody(decodeContent(Buffer.concat(chunks), head["content-encoding"])) });
      } catch (cause) {
        this.#reject(undecodable(cause, this.#failed));
      }
    });
  }
}

function headersOf({ method, path, headers }: WireRequest, body: Buffer): http2.OutgoingHttpHeaders {
  const { host, ...others } = headers;
  return {
    ":method": method,
    ":path": path,
    ...(host !== undefined && { ":authority": host }),
    ...others,
    // Some frameworks treat a request without `content-length` as a request without a body.
    ...((body.length > 0 || WITH_BODY.has(method)) && { "content-length": body.length }),
  };
}

function answerHead(head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader): Omit<WireAnswer, "text"> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(head)) {
    if (value !== undefined && !name.startsWith(":")) headers[name] = Array.isArray(value) ? value.join(", ") : String(value);
  }
  return { status: head[":status"] ?? 0, headers, cookies: head["set-cookie"] ?? NO_COOKIES };
}

function lost(message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: "UND_ERR_SOCKET" });
}
