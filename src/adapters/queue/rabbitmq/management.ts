import { SeqqaError } from "../../../model/errors.ts";
import { shownRabbitmq, type RabbitmqPlace } from "./rabbitmq-place.ts";

const TIMEOUT_MS = 30_000;

type Method = "GET" | "PUT" | "POST" | "DELETE";

interface Answer {
  readonly status: number;
  readonly isOk: boolean;
  readonly text: string;
}

export class Management {
  readonly #place: RabbitmqPlace;
  readonly #authorization: string;

  constructor(place: RabbitmqPlace) {
    this.#place = place;
    this.#authorization = `Basic ${Buffer.from(`${place.user}:${place.password}`).toString("base64")}`;
  }

  /**
   * Sends a request and returns the body of its answer; `undefined` for an empty body, and for a 404 to GET and DELETE.
   * @param path The segments of the path, not yet encoded.
   * @throws SeqqaError `RABBITMQ_MANAGEMENT`, `STORE_NOT_ALLOWED`
   */
  async ask<T>(method: Method, path: readonly string[], body?: unknown, query: string = ""): Promise<T | undefined> {
    const { status, isOk, text } = await this.#send(method, path, body, query);
    if (status === 404 && (method === "GET" || method === "DELETE")) return undefined;
    if (status === 401 || status === 403) {
      throw new SeqqaError(
        "STORE_NOT_ALLOWED",
        `${shownRabbitmq(this.#place)} does not let the user create virtual hosts, but each lane needs its own virtual host.`,
        {
          exitStatus: 2,
          hint: "Give the user the tag administrator: rabbitmqctl set_user_tags <user> administrator.",
        },
      );
    }
    if (!isOk) throw this.#absent(`answered ${status} to ${method} /api/${path[0]}`);
    try {
      return text === "" ? undefined : (JSON.parse(text) as T);
    } catch (cause) {
      throw this.#absent("gave an answer that is not JSON", cause);
    }
  }

  /**
   * Sends a request that restores a part of a virtual host. A 404 to DELETE counts as success.
   * @throws SeqqaError `STORE_NOT_PUT_BACK`, `RABBITMQ_MANAGEMENT`
   */
  async restore(method: "POST" | "DELETE", path: readonly string[], body?: unknown): Promise<void> {
    const { status, isOk, text } = await this.#send(method, path, body);
    if (isOk || (status === 404 && method === "DELETE")) return;
    throw new SeqqaError(
      "STORE_NOT_PUT_BACK",
      `The queues, exchanges and bindings of ${shownRabbitmq(this.#place)} could not be restored: the management API answered ${status} to ${method} /api/${path[0]}${reasonIn(text)}.`,
      {
        hint: "Check that the user in the store's URL still has the tag administrator and all permissions for the virtual host, and that no limit of the virtual host or alarm of the broker prevents new queues.",
      },
    );
  }

  async #send(method: Method, path: readonly string[], body?: unknown, query: string = ""): Promise<Answer> {
    try {
      const response = await fetch(`${this.#place.management}/api/${path.map(encodeURIComponent).join("/")}${query}`, {
        method,
        headers: { authorization: this.#authorization, "content-type": "application/json" },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: response.status, isOk: response.ok, text: await response.text() };
    } catch (cause) {
      const isLate = cause instanceof Error && cause.name === "TimeoutError";
      throw this.#absent(isLate ? `did not answer within ${TIMEOUT_MS / 1000} seconds` : "does not answer", cause);
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

/** Returns the reason in the broker's answer to a refused request, as the end of an error message. */
function reasonIn(text: string): string {
  try {
    const { error, reason } = JSON.parse(text) as { readonly error?: unknown; readonly reason?: unknown };
    const why = [reason, error].find((one) => typeof one === "string" && one !== "");
    return why === undefined ? "" : `: ${String(why).replace(/\.$/, "")}`;
  } catch {
    return "";
  }
}

export interface RabbitmqQueue {
  readonly name: string;
  readonly exclusive: boolean;
  /** The type of the queue: `classic`, `quorum` or `stream`. */
  readonly type?: string;
  readonly durable: boolean;
  readonly auto_delete: boolean;
  readonly arguments?: Readonly<Record<string, unknown>>;
}
