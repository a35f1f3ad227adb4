import type { WireRoute } from "../../model/http/wire.ts";
import { connectionDefaults, type ConnectionSettings } from "../../network/connection-settings.ts";
import { environmentProxies } from "../../network/environment-proxies.ts";
import { secureContext } from "../../network/secure-context.ts";
import { clientClosed } from "./transport/failures.ts";
import { ProxyTransport } from "./transport/proxy-transport.ts";
import { SocketTransport } from "./transport/socket-transport.ts";
import type { Connections, Transport, WireAnswer, WireRequest } from "./transport/transport.ts";

interface Shared {
  readonly key: string;
  readonly transport: Connections;
  readonly route: WireRoute;
  users: number;
}

const shared = new Map<string, Shared>();

/**
 * Gives a client access to the connections to its target, from its first request until it is closed. All clients of a thread share the connections to
 * one target, so that the clients of all roles use the same connection one after another. With separate connections, a server that serves one
 * connection at a time would never answer the second client.
 */
export class Lease implements Transport {
  readonly #origin: string;
  readonly #own: Partial<ConnectionSettings>;
  #held: Shared | undefined;
  #under: ConnectionSettings | undefined;
  #closed = false;

  constructor(origin: string, own: Partial<ConnectionSettings>) {
    this.#origin = origin;
    this.#own = own;
  }

  /** Sends a request over the shared connections. @throws SeqqaError `PROXY_INVALID` if the environment names an invalid proxy */
  send(request: WireRequest): Promise<WireAnswer> {
    if (this.#held === undefined || this.#under !== connectionDefaults()) {
      if (this.#closed) return Promise.reject(clientClosed());
      this.#take();
    }
    return this.#held!.transport.send(request);
  }

  route(): WireRoute {
    if (this.#held === undefined || this.#under !== connectionDefaults()) {
      if (this.#closed) throw clientClosed();
      this.#take();
    }
    return this.#held!.route;
  }

  cut(): void {
    this.#held?.transport.cut();
  }

  async isAlive(): Promise<boolean> {
    return (await this.#held?.transport.isAlive?.()) === true;
  }

  get twoPackets(): boolean {
    return this.#held?.transport.twoPackets === true;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#leave();
  }

  #take(): void {
    const defaults = connectionDefaults();
    const next = acquire(this.#origin, { ...defaults, ...this.#own });
    void this.#leave();
    this.#held = next;
    this.#under = defaults;
  }

  async #leave(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held === undefined || --held.users > 0) return;
    shared.delete(held.key);
    await held.transport.close();
  }
}

function acquire(origin: string, { ca, proxy }: ConnectionSettings): Shared {
  const proxies = proxy === "environment" ? environmentProxies() : undefined;
  // For plain HTTP without a proxy, leave out the certificate authorities. Clients that differ only in their authorities then share connections.
  const trusted = proxies !== undefined || origin.startsWith("https:") ? ca : [];
  const key = JSON.stringify([origin, proxies, trusted]);
  let found = shared.get(key);
  if (found === undefined) {
    const transport =
      proxies === undefined ? new SocketTransport(origin, secureContext(trusted)) : new ProxyTransport(origin, proxies, trusted);
    const route = { key, origin, ca: trusted, proxied: proxies !== undefined };
    shared.set(key, (found = { key, transport, route, users: 0 }));
  }
  found.users++;
  return found;
}
