import type { Socket } from "node:net";
import type * as undici from "undici";
import { buildConnector, Client, errors } from "../../../network/undici.ts";

/** The error with which connections are closed. Without a given error, undici would create one with a stack trace for each connection. */
const ANSWERED = new errors.InformationalError("answered");

interface Place {
  state: "carrying" | "closing" | "idle";
  socket: Socket | undefined;
}

/**
 * Connections that carry one request each. undici's client objects are reused for new connections, because creating a client takes longer than
 * connecting. Requests do not contain `Connection: close`, because that header could change the target's answer.
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
    // All clients share one connector, so that TLS sessions are resumed.
    this.#connect = buildConnector({ ...tls, timeout: options.connectTimeout });
  }

  /** The number of undici clients that carry a request or are being closed. */
  get busy(): number {
    return this.#places.size - this.#idle.length;
  }

  take(): Client {
    const client = this.#idle.pop() ?? this.#open();
    this.#places.get(client)!.state = "carrying";
    return client;
  }

  free(client: Client): void {
    const place = this.#places.get(client);
    if (place === undefined) return;
    place.state = "closing";
    // Wait until undici has finished processing the answer. The code that sends the next request runs in a later microtask.
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

  #drop(client: Client): void {
    this.#places.delete(client);
    void client.destroy();
  }
}
