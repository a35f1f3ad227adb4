import { SeqqaError } from "../errors.ts";

/** The request of a response, in the form that reports show. */
export interface ApiRequest {
  /** The HTTP method; `CALL` if the client is not an HTTP client. */
  readonly method: string;
  /** The whole URL, including the query. */
  readonly url: string;
  /** The header values by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; `undefined` if there was none. */
  readonly body?: string | undefined;
}

const NO_REQUEST: ApiRequest = { method: "CALL", url: "", headers: {} };
const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

const QUOTED = 200;

/** The answer of the API under test to one request. */
export class ApiResponse {
  /** The HTTP status. */
  readonly statusCode: number;
  /** Header names in lower case; several values of one name are joined with `", "`. */
  readonly headers: Readonly<Record<string, string>>;
  /** The milliseconds from sending the request until the body was read. */
  readonly durationMs: number;
  /** The request that this response answers. */
  readonly request: ApiRequest;
  #text: string | undefined;
  #body: unknown;
  #parsed: boolean;

  /** Wraps a response that a client received. For an `api` that is not HTTP, use {@link ApiResponse.of}. */
  constructor(
    statusCode: number,
    text: string | undefined,
    headers: Readonly<Record<string, string>> = NO_HEADERS,
    request: ApiRequest = NO_REQUEST,
    durationMs = 0,
  ) {
    this.statusCode = statusCode;
    this.headers = headers;
    this.request = request;
    this.durationMs = durationMs;
    this.#text = text;
    this.#body = undefined;
    this.#parsed = false;
  }

  /** Makes a response for an `api` that is not HTTP. `body` is the value that `json()` returns. If `body` is a string, it is the text instead. */
  static of(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): ApiResponse {
    const response = new ApiResponse(status, typeof body === "string" ? body : undefined, headers ?? NO_HEADERS);
    if (typeof body !== "string") {
      response.#body = body;
      response.#parsed = true;
    }
    return response;
  }

  /** The same as {@link statusCode}, under the name that fetch uses. */
  get status(): number {
    return this.statusCode;
  }

  /** `true` if the status is 200 to 299. */
  get ok(): boolean {
    return this.statusCode >= 200 && this.statusCode < 300;
  }

  /** The body as text; empty if there was none. */
  get text(): string {
    if (this.#text === undefined) this.#text = this.#parsed && this.#body !== undefined ? JSON.stringify(this.#body) : "";
    return this.#text;
  }

  /**
   * Parses the body as JSON.
   * @throws SeqqaError `NOT_JSON` naming the request, the status and the first 200 characters of the body
   */
  json<T = unknown>(): T {
    if (!this.#parsed) {
      const text = this.#text ?? "";
      try {
        this.#body = JSON.parse(text);
      } catch (cause) {
        throw notJson(this, text, cause);
      }
      this.#parsed = true;
    }
    return this.#body as T;
  }
}

function notJson(response: ApiResponse, text: string, cause: unknown): SeqqaError {
  const from = `${response.request.method} ${response.request.url}`.trim();
  const quoted = start(text);
  const type = response.headers["content-type"];
  return new SeqqaError(
    "NOT_JSON",
    `The body of ${from} (status ${response.statusCode}${type === undefined ? "" : `, ${start(type)}`}) is not JSON: ${
      text === "" ? "it is empty" : JSON.stringify(quoted)
    }`,
    { hint: "Read response.text, or check response.statusCode before you call response.json().", cause },
  );
}

/** Returns the beginning of a text for a message, because a target may send headers of 64 KB. */
function start(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}...` : text;
}
