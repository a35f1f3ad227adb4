import { HttpClient, type ConnectionOptions, type FetchHandler } from "../../adapters/http/index.ts";
import { clientPartOf, offerClientPart } from "../../model/http/client.ts";
import type { Duration } from "../../model/text/duration.ts";
import { SeqqaError } from "../../model/errors.ts";
import { GraphQLResponse } from "./graphql-response.ts";

/** Options of {@link GraphQLClient}. */
export interface GraphQLClientOptions extends ConnectionOptions {
  /**
   * The path of the GraphQL endpoint, e.g. `/graphql`. If the target of the client is a URL, the path is appended to the URL. Default: no path for a
   * URL, and `/graphql` for a fetch handler.
   */
  readonly path?: string;
  /** Headers that are sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time limit of a request. A number is in seconds. Default: `timeout` of the configuration, or 30 s without it. */
  readonly timeout?: Duration;
}

/** Options of a query or a mutation. */
export interface QueryOptions {
  /** The values of the variables that the query declares. Default: none. */
  readonly variables?: Readonly<Record<string, unknown>>;
  /** The name of the operation to execute. Needed only if the text contains several operations. */
  readonly operationName?: string;
}

const ACCEPT = "application/graphql-response+json, application/json";

/**
 * A client of a GraphQL API, based on `HttpClient`. Token, headers and cookies belong to the state of the world, requests are recorded, and the
 * settings of the configuration apply. A `GraphQLClient` can be the `api` of a world and the client of a role.
 */
export class GraphQLClient {
  readonly #http: HttpClient;
  readonly #path: string;

  /**
   * Creates a client.
   * @param target The URL of the endpoint, or a fetch handler in this process, which receives requests to `/graphql` or to the given `path`.
   * @throws SeqqaError the same codes as the constructor of `HttpClient`
   */
  constructor(target: string | FetchHandler, options: GraphQLClientOptions = {}) {
    const { path: own, ...rest } = options;
    const { origin, path } =
      own !== undefined ? { origin: target, path: own } : typeof target === "string" ? taken(target) : { origin: target, path: "/graphql" };
    this.#http = new HttpClient(origin, { ...rest, headers: { accept: ACCEPT, ...rest.headers } });
    this.#path = path;
    offerClientPart(
      this,
      Object.assign(clientPartOf(this.#http)!, {
        request: this.#http.request.bind(this.#http),
        another: (headers: Readonly<Record<string, string>>) => new GraphQLClient(target, { ...options, headers }),
      }),
    );
  }

  /**
   * Sends a query or a mutation. Resolves even if the operation failed: `response.ok` is `true` only if the answer has a 2xx status and no errors.
   * @throws SeqqaError `QUERY_INVALID`; `NOT_GRAPHQL` for an answer with a status below 400 that is not a GraphQL answer; and the codes of
   * `HttpClient`
   */
  async query<T = unknown>(text: string, options: QueryOptions = {}): Promise<GraphQLResponse<T>> {
    if (typeof text !== "string" || text.trim() === "") {
      throw new SeqqaError(
        "QUERY_INVALID",
        `query() of a GraphQLClient got ${typeof text === "string" ? "an empty text" : `a value of type ${typeof text}`} as its query, but needs the text of a GraphQL document.`,
        {
          hint: 'Write query("query Order($id: ID!) { order(id: $id) { total } }", { variables: { id } }).',
        },
      );
    }
    const { variables, operationName } = options;
    return new GraphQLResponse<T>(await this.#http.post(this.#path, { json: { query: text, variables, operationName } }));
  }

  /** Sends `Authorization: Bearer <token>` with all following requests. `null` removes the token. */
  setAuthToken(token: string | null): void {
    this.#http.setAuthToken(token);
  }

  setBasicAuth(username: string, password: string): void {
    this.#http.setBasicAuth(username, password);
  }

  /** Sends this header with all following requests. `null` removes the header. */
  setHeader(name: string, value: string | null): void {
    this.#http.setHeader(name, value);
  }

  /** Returns the client of another role of the same world. @throws SeqqaError `UNKNOWN_ROLE` naming the roles that exist. */
  as(role: string): GraphQLClient {
    return this.#http.as(role) as unknown as GraphQLClient;
  }

  close(): Promise<void> {
    return this.#http.close();
  }
}

/** Splits the URL of an endpoint into its base URL (origin and path) and its query, because a base URL cannot have a query. */
function taken(url: string): { readonly origin: string; readonly path: string } {
  const at = url.indexOf("?");
  return at < 0 ? { origin: url, path: "" } : { origin: url.slice(0, at), path: url.slice(at) };
}
