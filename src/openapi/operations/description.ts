/** A JSON Schema of OpenAPI 3.1. A `$ref` in it is local to the description: {@link ApiDescription.resolve} follows it. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

export type HttpMethod = "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace";

/**
 * An OpenAPI description of any version (2.0, 3.0, 3.1), converted to 3.1. Other files that it refers to are included, and every remaining `$ref` is
 * local. Everything in it comes from its author and is data: names may be anything.
 */
export interface ApiDescription {
  readonly title: string;
  /** The version of the description, not of OpenAPI. */
  readonly version: string;
  /** The version of OpenAPI as it was written: `2.0`, `3.0.3`, `3.1.0`. */
  readonly specification: string;
  /**
   * URLs of servers, with the defaults of their variables. Relative URLs are resolved against the URL that the description was read from, if there is
   * one.
   */
  readonly servers: readonly string[];
  /** The operations in the order of the document. */
  readonly operations: readonly Operation[];
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>;
  /** The parts that were left out or mended, one sentence each, with the place. */
  readonly warnings: readonly string[];
  /** Follows the `$ref`s of a schema to the end. Returns `true` (any value is valid) for a `$ref` that leads nowhere or round in a circle. */
  resolve(schema: Schema): Schema;
  /** The whole document as 3.1, for validators: every schema's `$ref`s are pointers into it. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly method: HttpMethod;
  /** The template, e.g. `/orders/{order_id}`, without the paths of the servers' URLs. */
  readonly path: string;
  /** `operationId`. */
  readonly id: string | undefined;
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly deprecated: boolean;
  /** The parameters of the operation and its path, one for each place and name. */
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly responses: readonly DescribedResponse[];
  /**
   * Alternatives, one of which is enough. All schemes of an alternative are needed. Empty: no authentication. If the operation does not declare any,
   * these are the document's.
   */
  readonly security: readonly (readonly SecurityNeed[])[];
  /** JSON pointer into {@link ApiDescription.document}, e.g. `/paths/~1orders/post`. */
  readonly pointer: string;
  /**
   * The servers of the operation or of its path, if either has any. They replace the document's. URLs are as written, with the defaults of their
   * variables.
   */
  readonly servers?: readonly string[] | undefined;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly schema: Schema;
  /** The examples, the best one first; empty if there are none. */
  readonly examples: readonly unknown[];
  readonly description: string | undefined;
}

export interface RequestBody {
  readonly required: boolean;
  /** The media types in order of preference: JSON first, then forms, then the others. */
  readonly media: readonly MediaType[];
}

export interface MediaType {
  /** The type in lower case, without parameters, e.g. `application/json`. */
  readonly type: string;
  /** The schema; `undefined`: not described. */
  readonly schema: Schema | undefined;
  readonly examples: readonly unknown[];
}

export interface DescribedResponse {
  /** The status: `200`, `2XX` or `default`. */
  readonly status: string;
  readonly media: readonly MediaType[];
  /** The headers, with names in lower case. */
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: Schema }>;
  readonly links: readonly Link[];
}

/** An OpenAPI link: a value of this answer is a parameter of another operation. */
export interface Link {
  readonly name: string;
  readonly operationId: string | undefined;
  /** A pointer such as `#/paths/~1orders~1{id}/get`. */
  readonly operationRef: string | undefined;
  /** Maps a parameter (`id`, or `path.id`) to a runtime expression (`$response.body#/id`) or a constant. */
  readonly parameters: ReadonlyMap<string, unknown>;
}

export interface SecurityNeed {
  readonly scheme: string;
  readonly scopes: readonly string[];
}

export type SecurityScheme =
  | { readonly kind: "apiKey"; readonly name: string; readonly in: "query" | "header" | "cookie" }
  /** The scheme in lower case: `bearer`, `basic` or another. */
  | { readonly kind: "http"; readonly scheme: string }
  | { readonly kind: "oauth2"; readonly tokenUrl: string | undefined }
  | { readonly kind: "openIdConnect" }
  | { readonly kind: "other"; readonly type: string };
