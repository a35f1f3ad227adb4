import { SeqqaError } from "../../../model/errors.ts";
import { shownRabbitmq, type RabbitmqPlace } from "./rabbitmq-place.ts";

const TIMEOUT_MS = 30_000;

export class Management {
  readonly #place: RabbitmqPlace;
  readonly #authorization: string;

  constructor(place: RabbitmqPlace) {
    this.#place = place;
    this.#authorization = `Basic ${Buffer.from(`${place.user}:${place.password}`).toString("base64")}`;
  }

  /**
   * Sends a request and returns the body of its answer; `undefined` for a 404 and for an empty body.
   * @param path The segments of the path, not yet encoded.
   * @throws SeqqaError `RABBITMQ_MANAGEMENT`, `STORE_NOT_ALLOWED`
   */
  async ask<T>(
    method: "GET" | "PUT" | "POST" | "DELETE",
    path: readonly string[],
    body?: unknown,
    query: string = "",
  ): Promise<T | undefined> {
    const { management } = this.#place;
    let response: Response;
    try {
      response = await fetch(`${management}/api/${path.map(encodeURIComponent).join("/")}${query}`, {
        method,
        headers: { authorization: this.#authorization, "content-type": "application/json" },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
    } catch (cause) {
      throw this.#absent("does not answer", cause);
    }
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (response.status === 401 || response.status === 403) {
      throw new SeqqaError(
        "STORE_NOT_ALLOWED",
        `${shownRabbitmq(this.#place)} does not let the user create virtual hosts, but each lane needs its own virtual host.`,
        {
          exitStatus: 2,
          hint: "Give the user the tag administrator: rabbitmqctl set_user_tags <user> administrator.",
        },
      );
    }
    if (!response.ok) throw this.#absent(`answered ${response.status} to ${method} /api/${path[0]}`);
    try {
      return text === "" ? undefined : (JSON.parse(text) as T);
    } catch (cause) {
      throw this.#absent("gave an answer that is not JSON", cause);
    }
  }

  /** Returns the queues of a virtual host, except exclusive queues, which belong to a single connection. */
  async queues(vhost: string): Promise<readonly RabbitmqQueue[]> {
    const all = await this.ask<readonly RabbitmqQueue[]>("GET", ["queues", vhost], undefined, "?disable_stats=true");
    return (all ?? []).filter(({ exclusive }) => !exclusive);
  }

  #absent(what: string, cause?: unknown): SeqqaError {
    return new SeqqaError("RABBITMQ_MANAGEMENT", `The management API of RabbitMQ at ${new URL(this.#place.management).origin} ${what}.`, {
      exitStatus: 2,
      hint: "Enable the management API: rabbitmq-plugins enable rabbitmq_management. If the management API has another address, add ?management=http://host:port to the store's URL.",
      cause,
    });
  }
}

export interface RabbitmqQueue {
  readonly name: string;
  readonly exclusive: boolean;
  /** `classic`, `quorum` or `stream`. */
  readonly type?: string;
  readonly durable: boolean;
  readonly auto_delete: boolean;
  readonly arguments?: Readonly<Record<string, unknown>>;
}
