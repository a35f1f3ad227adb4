import { SeqqaError } from "../errors.ts";

/** The request of a response, as reports show it. */
export interface ApiRequest {
  /** The HTTP method; `CALL` where the client is no HTTP client. */
  readonly method: string;
  /** The whole URL, query included. */
  readonly url: string;
  /** Values by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; `undefined` when there was none. */
  readonly body?: string | undefined;
}

const NO_REQUEST: ApiRequest = { method: "CALL", url: "", headers: {} };
const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** The number of characters of a body that an error message quotes. */
const QUOTED = 200;

/** The answer of the API under test to one request. */
export class ApiResponse {
  /** The HTTP status. */
  readonly statusCode: number;
  /** Header names in lower case; several values of one name are joined with `", "`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from sending the request to having read the body. */
  readonly durationMs: number;
  /** The request that this answers. */
  readonly request: ApiRequest;
  #text: string | undefined;
  #body: unknown;
  #parsed: boolean;

  /** For clients: wraps a response that was received. An `api` of the user's own calls {@link ApiResponse.of}. */
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

  /** A response made by hand, for an `api` that is not HTTP. `body` is what `json()` returns; a string is also the text. */
  static of(status: number, body?: unknown, headers?: Readonly<Record<string, string>>): ApiResponse {
    const response = new ApiResponse(status, typeof body === "string" ? body : undefined, headers ?? NO_HEADERS);
    if (typeof body !== "string") {
      response.#body = body;
      response.#parsed = true;
    }
    return response;
  }

  /** The same as {@link statusCode}, by the name that fetch gives it. */
  get status(): number {
    return this.statusCode;
  }

  /** `true` if the status is 200 to 299. */
  get ok(): boolean {
    return this.statusCode >= 200 && this.statusCode < 300;
  }

  /** The body as text; empty when there was none. */
  get text(): string {
    if (this.#text === undefined) this.#text = this.#parsed && this.#body !== undefined ? JSON.stringify(this.#body) : "";
    return this.#text;
  }

  /**
   * The body parsed as JSON.
   * @throws SeqqaError `NOT_JSON` naming the request, the status and the first 200 characters of the body.
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
  const quoted = text.length > QUOTED ? `${text.slice(0, QUOTED)}...` : text;
  const type = response.headers["content-type"];
  return new SeqqaError(
    "NOT_JSON",
    `The body of ${from} (status ${response.statusCode}${type === undefined ? "" : `, ${type}`}) is not JSON: ${
      text === "" ? "it is empty" : JSON.stringify(quoted)
    }`,
    { hint: "Read response.text, or look at response.statusCode before calling json().", cause },
  );
}
