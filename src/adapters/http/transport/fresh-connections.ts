import type { Socket } from "node:net";
import type * as undici from "undici";
import { buildConnector, Client, errors } from "../../../network/undici.ts";

/** The reason for closing a connection. Without one undici makes an error for each, with a stack and both addresses. */
const ANSWERED = new errors.InformationalError("answered");

interface Place {
  state: "carrying" | "closing" | "idle";
  /** The client's latest connection. */
  socket: Socket | undefined;
}

/**
 * Connections that carry one request each. Their clients are used again once the connection is closed: making a client takes longer than making a
 * connection. The request does not announce the close: with `Connection: close` it would be another request, and get another answer.
 */
export class FreshConnections {
  readonly #origin: string;
  readonly #options: undici.Client.Options;
  readonly #connect: undici.buildConnector.connector;
  readonly #places: Map<Client, Place> = new Map();
  readonly #idle: Client[] = [];

  constructor(
    origin: string,
    options: undici.Client.Options & { readonly connectTimeout: number },
    tls: undici.buildConnector.BuildOptions | undefined,
  ) {
    this.#origin = origin;
    this.#options = options;
    // One connector for all clients, so that TLS sessions are resumed.
    this.#connect = buildConnector({ ...tls, timeout: options.connectTimeout });
  }

  /** The number of clients that carry a request, or are being closed. */
  get busy(): number {
    return this.#places.size - this.#idle.length;
  }

  /** Returns a client without a connection, for one request. */
  take(): Client {
    const client = this.#idle.pop() ?? this.#open();
    this.#places.get(client)!.state = "carrying";
    return client;
  }

  /** Closes the connection of a client whose request is over. */
  free(client: Client): void {
    const place = this.#places.get(client);
    if (place === undefined) return;
    place.state = "closing";
    // undici is still in the middle of the answer; the next request is made in a later microtask.
    queueMicrotask(() => {
      if (place.state !== "closing") return;
      if (client.stats.connected) place.socket?.destroy(ANSWERED);
      else this.#drop(client);
    });
  }

  async close(): Promise<void> {
    const clients = [...this.#places.keys()];
    this.#places.clear();
    this.#idle.length = 0;
    await Promise.all(clients.map((client) => client.destroy()));
  }

  #open(): Client {
    const place: Place = { state: "carrying", socket: undefined };
    const connect: undici.buildConnector.connector = (options, callback) =>
      this.#connect(options, (...result) => {
        if (result[0] === null) place.socket = result[1];
        callback(...result);
      });
    const client = new Client(this.#origin, { ...this.#options, connect });
    this.#places.set(client, place);
    client.on("disconnect", () => {
      if (place.state !== "closing" || !this.#places.has(client)) return;
      place.state = "idle";
      this.#idle.push(client);
    });
    return client;
  }

  /** Ends a client that has no connection: it could not connect, or the connection is gone already. */
  #drop(client: Client): void {
    this.#places.delete(client);
    void client.destroy();
  }
}
