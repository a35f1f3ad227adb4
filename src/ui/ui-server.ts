import { randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SeqqaError } from "../model/errors.ts";
import type { Feed } from "./feed.ts";
import type { LaneDesk } from "./lane-desk.ts";
import type { UiGoal, UiState, UiText } from "./messages.ts";

/** The largest number of bytes of a request body. */
const MOST_BYTES = 5_000_000;
/** Milliseconds between two pings that keep a connection for events open. */
const PING_MS = 15_000;

export interface UiServerOptions {
  readonly feed: Feed;
  readonly desk: LaneDesk;
  /** The port; 0 for any free port. */
  readonly port: number;
  /** The HTML of the page, and the content security policy that allows only its own script and style. */
  readonly page: { readonly html: string; readonly policy: string };
  /** Hides secrets in a text. Used for error messages, because error messages may quote answers of the target. */
  readonly shown: (text: string) => string;
  /** Returns a path of actions as the source text of a journey or a test. @throws SeqqaError */
  readonly textOf: (exploration: number, goal: UiGoal, as: "journey" | "test") => UiText;
}

/**
 * Serves the page of `seqqa ui` and its data on the loopback interface. Every request must carry the token from the page's address and this server's
 * `Host`. Other pages in the browser do not know the token.
 */
export class UiServer {
  readonly #options: UiServerOptions;
  readonly #token: string = randomBytes(16).toString("hex");
  readonly #server: Server;
  readonly #streams: Set<ServerResponse> = new Set();

  private constructor(options: UiServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
  }

  /** Starts the server. @throws SeqqaError `UI_PORT` with exit status 2 if the port cannot be used */
  static async start(options: UiServerOptions): Promise<UiServer> {
    const ui = new UiServer(options);
    await new Promise<void>((resolve, reject) => {
      ui.#server.once("error", (cause: NodeJS.ErrnoException) => {
        const hint = "Choose another port with --port, or remove --port to let seqqa choose a free port.";
        reject(
          new SeqqaError("UI_PORT", `seqqa ui cannot listen on port ${options.port} (${cause.code ?? cause.message}).`, {
            exitStatus: 2,
            hint,
            cause,
          }),
        );
      });
      ui.#server.listen(options.port, "127.0.0.1", resolve);
    });
    return ui;
  }

  /** The address of the page, with its token. */
  get url(): string {
    return `http://127.0.0.1:${this.#port}/?token=${this.#token}`;
  }

  async close(): Promise<void> {
    for (const stream of this.#streams) stream.end();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#options.desk.close();
  }

  get #port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response
      .setHeader("Cache-Control", "no-store")
      .setHeader("X-Content-Type-Options", "nosniff")
      .setHeader("Referrer-Policy", "no-referrer");
    try {
      const url = parsed(request.url ?? "/");
      if (url === undefined) return send(response, 400, { error: "The request has no path of a page." });
      if (!this.#isAllowed(request, url))
        return send(response, 403, {
          error: "The token in the address is missing or wrong. Open the address that seqqa ui printed.",
        });
      await this.#route(request, response, url);
    } catch (error) {
      const known = error instanceof SeqqaError;
      const { shown } = this.#options;
      const message = shown(error instanceof Error ? error.message : String(error));
      const hint = known && error.hint !== undefined ? shown(error.hint) : undefined;
      if (!response.headersSent) send(response, known ? 400 : 500, { error: message, hint });
    }
  }

  /**
   * Returns `true` if the host, the origin and the token of a request are correct. By DNS rebinding, a page of another site can send requests to this
   * address, but it cannot know the token.
   */
  #isAllowed({ headers, method }: IncomingMessage, url: URL): boolean {
    const hosts = [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
    if (!hosts.includes(headers.host ?? "")) return false;
    if (headers.origin !== undefined && method !== "GET" && !hosts.some((host) => headers.origin === `http://${host}`)) return false;
    const given = Buffer.from(url.searchParams.get("token") ?? "");
    const token = Buffer.from(this.#token);
    return given.length === token.length && timingSafeEqual(given, token);
  }

  async #route(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const { desk, page } = this.#options;
    switch (`${request.method} ${url.pathname}`) {
      case "GET /":
        response.setHeader("Content-Security-Policy", page.policy).setHeader("Content-Type", "text/html; charset=utf-8").end(page.html);
        return;
      case "GET /api/events":
        return this.#stream(response);
      case "GET /api/state":
        return send(response, 200, this.#state(numberOf(url, "exploration"), numberOf(url, "node")));
      case "POST /api/text": {
        const body = await bodyOf(request);
        const as = body["as"] === "journey" ? "journey" : "test";
        return send(response, 200, this.#options.textOf(Number(body["exploration"]), goalOf(body), as));
      }
      case "POST /api/lane": {
        const body = await bodyOf(request);
        return send(response, 200, await desk.open(Number(body["exploration"]), goalOf(body)));
      }
      case "POST /api/lane/step": {
        const { action } = await bodyOf(request);
        if (typeof action !== "string") throw wrong("The field action of the request must be the name of an action.");
        return send(response, 200, await desk.step(action));
      }
      case "POST /api/lane/close":
        await desk.close();
        return send(response, 200, {});
      default:
        return send(response, 404, { error: "This page does not exist." });
    }
  }

  #stream(response: ServerResponse): void {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    this.#streams.add(response);
    const stop = this.#options.feed.listen((event) => void response.write(`data: ${JSON.stringify(event)}\n\n`));
    const ping = setInterval(() => response.write(": \n\n"), PING_MS).unref();
    response.once("close", () => {
      stop();
      clearInterval(ping);
      this.#streams.delete(response);
    });
  }

  #state(exploration: number, node: number): UiState {
    const known = this.#options.feed.exploration(exploration);
    const found = known?.graph.find(node);
    if (known === undefined || found === undefined) throw wrong("This state does not exist in the run.");
    const path = known.graph.path(node).map((action) => known.actions[action] ?? "");
    return { path, lines: found.lines, exchanges: known.graph.exchanges(node) };
  }
}

/** Parses the path of a request; returns `undefined` if the path is not valid, such as `//`. */
function parsed(path: string): URL | undefined {
  try {
    return new URL(path, "http://127.0.0.1");
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function goalOf({ path, draws }: Readonly<Record<string, unknown>>): UiGoal {
  if (!isNames(path)) throw wrong("The field path of the request must be a list of names of actions.");
  if (draws !== undefined && !(Array.isArray(draws) && draws.every(isNames)))
    throw wrong("The field draws of the request must contain lists of names of actions.");
  return { path, draws };
}

const isNames = (value: unknown): value is readonly string[] => Array.isArray(value) && value.every((one) => typeof one === "string");

function numberOf(url: URL, name: string): number {
  const value = url.searchParams.get(name) ?? "";
  if (!/^\d{1,9}$/.test(value)) throw wrong(`The parameter ${name} of the request must be a number.`);
  return Number(value);
}

async function bodyOf(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw wrong("The request is too large.");
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    if (typeof body === "object" && body !== null) return body as Readonly<Record<string, unknown>>;
  } catch {
    // Ignore the error of the parser. The error thrown below tells the user what is wrong.
  }
  throw wrong("The body of the request must be a JSON object.");
}

function wrong(message: string): SeqqaError {
  return new SeqqaError("UI_REQUEST", message, { exitStatus: 2, hint: "Reload the page." });
}
