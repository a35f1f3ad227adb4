import { withoutSecrets } from "../../adapters/http/request/target-url.ts";
import { SeqqaError } from "../../model/errors.ts";
import { ApiResponse } from "../../model/http/response.ts";

/** One entry of `errors` (GraphQL specification, 7.1.2). */
export interface GraphQLError {
  readonly message: string;
  readonly locations?: readonly { readonly line: number; readonly column: number }[];
  readonly path?: readonly (string | number)[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

interface Body<T> {
  readonly data?: T | null;
  readonly errors?: readonly GraphQLError[];
}

const QUOTED = 200;

/** The answer to a GraphQL operation. A server may answer 200 although the operation failed, so check {@link ok} or {@link errors}. */
export class GraphQLResponse<T = unknown> extends ApiResponse {
  readonly #body: Body<T> | undefined;

  /**
   * Wraps an HTTP response.
   * @throws SeqqaError `NOT_GRAPHQL` if the response has a status below 400 and is not a GraphQL answer. A response with a higher status may have
   * another form, e.g. if it comes from a gateway that requires a login.
   */
  constructor(answer: ApiResponse) {
    super(answer.statusCode, answer.text, answer.headers, answer.request, answer.durationMs);
    this.#body = bodyOf<T>(answer.text);
    if (this.#body === undefined && answer.statusCode < 400) throw this.#notGraphQL();
  }

  /** `true` if the status is 200 to 299 and there are no errors. */
  override get ok(): boolean {
    return super.ok && this.#body !== undefined && this.#body.errors === undefined;
  }

  /**
   * The data that the operation returned; `null` if the whole operation failed. If there are also errors, the data may be incomplete.
   * @throws SeqqaError `NOT_GRAPHQL` if the response is not a GraphQL answer.
   */
  get data(): T | null {
    if (this.#body === undefined) throw this.#notGraphQL();
    return this.#body.data ?? null;
  }

  /** The errors of the operation; `undefined` if the operation had no errors. */
  get errors(): readonly GraphQLError[] | undefined {
    return this.#body?.errors;
  }

  #notGraphQL(): SeqqaError {
    const { method, url } = this.request;
    const type = this.headers["content-type"];
    const location = this.headers["location"];
    const text = this.text.length > QUOTED ? `${this.text.slice(0, QUOTED)}...` : this.text;
    const what = this.text === "" ? "the body is empty" : JSON.stringify(text);
    return new SeqqaError(
      "NOT_GRAPHQL",
      `The answer to ${method} ${withoutSecrets(url)} (status ${this.statusCode}${type === undefined ? "" : `, ${type}`}) is not a GraphQL answer with data or errors: ${what}`,
      {
        hint:
          location === undefined || this.statusCode < 300 || this.statusCode > 399
            ? "Check that the client's URL is the URL of the GraphQL endpoint, for example http://127.0.0.1:3000/graphql."
            : `Give the GraphQLClient the URL ${withoutSecrets(location)}, to which the server redirects. A GraphQLClient follows no redirects.`,
      },
    );
  }
}

/** Parses a GraphQL answer: an object with `data`, or with a list of errors that have messages. Returns `undefined` for other texts. */
function bodyOf<T>(text: string): Body<T> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { data, errors } = value as { readonly data?: unknown; readonly errors?: unknown };
  if (errors !== undefined && errors !== null && !isErrorList(errors)) return undefined;
  const some = isErrorList(errors) && errors.length > 0 ? errors : undefined;
  if (some === undefined && (data === undefined || (data === null && !Object.hasOwn(value, "data")))) return undefined;
  return { data: data as T | null, ...(some !== undefined && { errors: some }) };
}

function isErrorList(value: unknown): value is readonly GraphQLError[] {
  const hasMessage = (one: unknown): boolean =>
    typeof one === "object" && one !== null && typeof (one as { readonly message?: unknown }).message === "string";
  return Array.isArray(value) && value.every(hasMessage);
}
