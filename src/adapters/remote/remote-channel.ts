import type { Dispatcher } from "undici";
import { Client } from "../../network/undici.ts";
import { SeqqaError } from "../../model/errors.ts";
import { connectionDefaults } from "../../network/connection-settings.ts";
import { environmentProxies } from "../../network/environment-proxies.ts";
import { proxyAgent } from "../../network/proxy-agent.ts";
import { secureContext } from "../../network/secure-context.ts";
import { failed, notOpen, refused } from "./failures.ts";

interface RemoteUrl {
  readonly origin: string;
  /** The path without a slash at its end. */
  readonly path: string;
  /** The `Authorization` header for `http://user:password@host`. The credentials are stored nowhere else. */
  readonly authorization: string | undefined;
}

const MOST_BYTES = 64 * 2 ** 20;
const TIMEOUT_MS = 30_000;

export interface ChannelLimits {
  readonly timeoutMs: number;
  readonly mostBytes: number;
}

/** A connection to the checkpoint routes of a target. Requests are sent one after another. */
export class RemoteChannel {
  /** The URL without credentials, for messages and for comparing lanes. */
  readonly url: string;
  readonly #target: RemoteUrl;
  readonly #limits: ChannelLimits;
  #client: Dispatcher | undefined;

  constructor(url: string, limits: Partial<ChannelLimits> = {}) {
    this.#target = parseRemoteUrl(url);
    this.url = this.#target.origin + this.#target.path;
    this.#limits = { timeoutMs: TIMEOUT_MS, mostBytes: MOST_BYTES, ...limits };
  }

  open(): void {
    if (this.#client !== undefined) return;
    const { ca, proxy } = connectionDefaults();
    const proxies = proxy === "environment" ? environmentProxies() : undefined;
    const trusted = secureContext(ca);
    if (proxies !== undefined) {
      this.#client = proxyAgent(proxies, ca, this.#limits.mostBytes);
      return;
    }
    this.#client = new Client(this.#target.origin, {
      ...(trusted !== undefined && { connect: { secureContext: trusted } }),
      // Disable undici's own timeouts, because `send` sets one deadline for the whole request.
      headersTimeout: 0,
      bodyTimeout: 0,
      connectTimeout: Math.min(10_000, this.#limits.timeoutMs),
      maxResponseSize: this.#limits.mostBytes,
      // Close idle connections early: many servers close them after 2 to 5 s without announcing it.
      keepAliveTimeout: 1000,
    });
  }

  async close(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    await client?.destroy();
  }

  call(method: "GET" | "POST", name: string): string {
    return `${method} ${this.url}/${name}`;
  }

  /** Sends a request and returns the body of the 2xx answer. @throws SeqqaError `REMOTE_*` */
  async send(method: "GET" | "POST", name: string, body?: string): Promise<string> {
    const call = this.call(method, name);
    if (this.#client === undefined) throw notOpen(call);
    for (let repeated = false; ; repeated = true) {
      try {
        const { status, text } = await this.#exchange(this.#client, method, name, body);
        if (status < 200 || status > 299) throw refused(call, status);
        return text;
      } catch (error) {
        if (!repeated && this.#client !== undefined && wasClosed(error)) continue;
        throw error instanceof SeqqaError ? error : failed(call, error, this.#limits);
      }
    }
  }

  async #exchange(
    client: Dispatcher,
    method: "GET" | "POST",
    name: string,
    body: string | undefined,
  ): Promise<{ readonly status: number; readonly text: string }> {
    const { origin, path, authorization } = this.#target;
    const answer = await client.request({
      origin,
      method,
      path: `${path}/${name}`,
      headers: {
        accept: "application/json",
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(authorization === undefined ? {} : { authorization }),
      },
      body: body ?? null,
      signal: AbortSignal.timeout(this.#limits.timeoutMs),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }
}

/**
 * Returns `true` if a request failed because the server closed the connection, as servers do with idle connections. Every request of the protocol can
 * then be sent again: an additional checkpoint does no harm, and a second rollback changes nothing.
 */
function wasClosed(error: unknown): boolean {
  const { code } = error as { readonly code?: string };
  return code === "UND_ERR_SOCKET" || code === "ECONNRESET" || code === "EPIPE";
}

/** Parses the URL under which a target serves its checkpoint routes. @throws SeqqaError `REMOTE_URL_INVALID` */
function parseRemoteUrl(text: unknown): RemoteUrl {
  if (typeof text !== "string" || text === "")
    throw invalid("A RemoteAdapter was created without the URL under which the target serves its checkpoints: its option url is missing.");
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    // Do not set a cause, because the message of the original error quotes the URL with its password.
    const shown = JSON.stringify(text.replace(/\/\/[^/?#]*@/, "//"));
    if (text.startsWith("/")) throw invalid(`The URL ${shown} of a RemoteAdapter has no host, because the lane's target has no HTTP URL.`);
    throw invalid(`The option url of a RemoteAdapter is ${shown}, which is not a valid URL.`);
  }
  const shown = JSON.stringify(url.origin + url.pathname);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw invalid(`The URL of a RemoteAdapter begins with ${url.protocol}, but must begin with http: or https:.`);
  if (url.search !== "" || url.hash !== "")
    throw invalid(`The URL ${shown} of a RemoteAdapter has a query (?...) or a fragment (#...), which is not allowed.`);
  const { username, password } = url;
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return {
    origin: url.origin,
    path: url.pathname.replace(/\/+$/, ""),
    authorization: username === "" && password === "" ? undefined : `Basic ${Buffer.from(credentials).toString("base64")}`,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function invalid(message: string): SeqqaError {
  return new SeqqaError("REMOTE_URL_INVALID", message, {
    exitStatus: 2,
    hint: 'Pass `url: lane.baseUrl + "/__seqqa"`. lane.baseUrl needs `target.command`, `base_url` or `lanes` in seqqa.yaml.',
  });
}
