import { HttpClient, type ConnectionOptions, type FetchHandler } from "../../adapters/http/index.ts";
import { clientPartOf, offerClientPart } from "../../model/http/client.ts";
import type { Duration } from "../../model/text/duration.ts";
import { SeqqaError } from "../../model/errors.ts";
import { GraphQLResponse } from "./graphql-response.ts";

/** Options of {@link GraphQLClient}. */
export interface GraphQLClientOptions extends ConnectionOptions {
  /**
   * The path of the API, e.g. `/graphql`: below a URL, or for a fetch handler of this process. Default: the URL itself, and `/graphql` for a handler.
   */
  readonly path?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds that a request may take; default: `timeout` of the configuration, else 30. */
  readonly timeout?: Duration;
}

/** Options of a query or a mutation. */
export interface QueryOptions {
  /** Values of the variables that the text declares. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The operation to execute, in a text with several. */
  readonly operationName?: string;
}

const ACCEPT = "application/graphql-response+json, application/json";

/**
 * The client of a GraphQL API, on `HttpClient`: token, headers and cookies are part of the world, requests are recorded, and the settings of the
 * configuration apply. Usable as the `api` of a world and as the client of a role.
 */
export class GraphQLClient {
  readonly #http: HttpClient;
  readonly #path: string;

  /**
   * @param target The URL of the endpoint, or a fetch handler of this process, which receives requests to `/graphql`, or to the given `path`.
   * @throws SeqqaError like `HttpClient`
   */
  constructor(target: string | FetchHandler, options: GraphQLClientOptions = {}) {
    const { path: own, ...rest } = options;
    const { origin, path } =
      own !== undefined ? { origin: target, path: own } : typeof target === "string" ? taken(target) : { origin: target, path: "/graphql" };
    this.#http = new HttpClient(origin, { ...rest, headers: { accept: ACCEPT, ...rest.headers } });
    this.#path = path;
    offerClientPart(this, clientPartOf(this.#http)!);
  }

  /**
   * Sends a query or a mutation. Resolves even if the operation failed: `response.ok` is `true` if the answer has neither an error status nor errors.
   * @throws SeqqaError `QUERY_INVALID`, `NOT_GRAPHQL` for a 2xx or 3xx that is no GraphQL answer, and like `HttpClient`
   */
  async query<T = unknown>(text: string, options: QueryOptions = {}): Promise<GraphQLResponse<T>> {
    if (typeof text !== "string" || text.trim() === "") {
      throw new SeqqaError("QUERY_INVALID", `The text of a GraphQL query is ${typeof text === "string" ? "empty" : `a ${typeof text}`}.`, {
        hint: 'Write query("query Order($id: ID!) { order(id: $id) { total } }", { variables: { id } }).',
      });
    }
    const { variables, operationName } = options;
    return new GraphQLResponse<T>(await this.#http.post(this.#path, { json: { query: text, variables, operationName } }));
  }

  /** Sends `Authorization: Bearer <token>` from now on; `null` stops it. */
  setAuthToken(token: string | null): void {
    this.#http.setAuthToken(token);
  }

  setBasicAuth(username: string, password: string): void {
    this.#http.setBasicAuth(username, password);
  }

  /** Sends this header from now on; `null` stops it. */
  setHeader(name: string, value: string | null): void {
    this.#http.setHeader(name, value);
  }

  /** The client of another role of the same world. @throws SeqqaError `UNKNOWN_ROLE` naming the roles that exist. */
  as(role: string): GraphQLClient {
    return this.#http.as(role) as unknown as GraphQLClient;
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

/** Splits the URL of an endpoint, which may have a query; a base URL may not. */
function taken(url: string): { readonly origin: string; readonly path: string } {
  const at = url.indexOf("?");
  return at < 0 ? { origin: url, path: "" } : { origin: url.slice(0, at), path: url.slice(at) };
}
