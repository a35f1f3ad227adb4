import type { Dispatcher } from "undici";
import type { EnvironmentProxies } from "../../../network/environment-proxies.ts";
import { proxyAgent } from "../../../network/proxy-agent.ts";
import { decodeContent } from "./content-encoding.ts";
import { partsWithin, streamLimits, type StreamLimits } from "./event-stream.ts";
import { bodyTooLarge, failure, refusedByProxy, undecodable } from "./failures.ts";
import { decodeBody, MAX_BODY_BYTES, NO_COOKIES, type Connections, type WireAnswer, type WireRequest } from "./transport.ts";
import { withinLimits } from "../request/within-limits.ts";

/** Sends requests through the proxies that environment variables name. Speed does not matter here: races and measurements do not use proxies. */
export class ProxyTransport implements Connections {
  readonly #origin: string;
  readonly #agent: Dispatcher;
  readonly #live: Set<() => void> = new Set();

  constructor(origin: string, proxies: EnvironmentProxies, ca: readonly string[]) {
    this.#origin = origin;
    this.#agent = proxyAgent(proxies, ca, MAX_BODY_BYTES);
  }

  async send(request: WireRequest): Promise<WireAnswer> {
    const failed = { method: request.method, url: request.url, answered: false, proxied: true };
    // End requests here, at the timeout or the signal: undici checks a request's signal only after it has connected.
    const abort = new AbortController();
    return withinLimits(request, failed, abort, this.#live, () => this.#exchange(request, abort, failed));
  }

  cut(): void {
    for (const expire of this.#live) expire();
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #exchange(
    wire: WireRequest,
    abort: AbortController,
    failed: { method: string; url: string; answered: boolean; proxied: boolean },
  ): Promise<WireAnswer> {
    const { method, path, headers: sent, body } = wire;
    let status: number;
    let received: Record<string, string | string[] | undefined>;
    let bytes: Buffer;
    let limits: StreamLimits | undefined;
    try {
      // Pass a copy of the headers, because undici modifies them, and the client uses the original for other requests.
      const options = { origin: this.#origin, path, method, headers: { ...sent }, signal: abort.signal };
      const answer = await this.#agent.request({ ...options, body: body ?? null });
      failed.answered = true;
      [status, received] = [answer.statusCode, answer.headers];
      limits = streamLimits(wire, String(received["content-type"]));
      bytes = await collected(answer.body, limits);
    } catch (error) {
      if (error instanceof TooLarge) throw bodyTooLarge(failed);
      throw failure(error, failed);
    } finally {
      // Closes an event stream that is still open, and an answer that is too large. Does nothing after a whole answer.
      abort.abort();
    }
    // A 407 comes from the proxy. For `https:` targets, undici opens a tunnel and reports the proxy's 407 as an error instead.
    if (status === 407 && this.#origin.startsWith("http:")) throw refusedByProxy(failed, status);
    const cookies = received["set-cookie"];
    const joined = Object.entries(received).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : value.join(", ")] as const],
    );
    const headers = Object.fromEntries(joined);
    let text: string;
    try {
      text = decodeBody(decodeContent(bytes, headers["content-encoding"], limits !== undefined));
    } catch (cause) {
      throw undecodable(cause, failed);
    }
    return {
      status,
      headers,
      cookies: cookies === undefined ? NO_COOKIES : typeof cookies === "string" ? [cookies] : cookies,
      text,
    };
  }
}

class TooLarge extends Error {}

/** Reads a body up to the size limit. undici enforces its own limit on connections to targets, but not on connections to proxies. */
async function collected(body: AsyncIterable<Buffer>, limits: StreamLimits | undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  const within = partsWithin(limits);
  const parts = body[Symbol.asyncIterator]();
  for (;;) {
    const part = await within(parts.next());
    if (part === undefined || part.done === true) break;
    length += part.value.byteLength;
    if (length > MAX_BODY_BYTES) throw new TooLarge();
    chunks.push(part.value);
  }
  return Buffer.concat(chunks);
}
