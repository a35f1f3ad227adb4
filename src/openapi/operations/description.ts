/** A JSON Schema as in OpenAPI 3.1. Every `$ref` in it is local to the description. {@link ApiDescription.resolve} resolves the `$ref`. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

export type HttpMethod = "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace";

/**
 * An OpenAPI description of version 2.0, 3.0 or 3.1, converted to 3.1. Referenced files are included, and every remaining `$ref` is local. All
 * content comes from the description's author and is not trusted: names may have any form.
 */
export interface ApiDescription {
  readonly title: string;
  /** The version of the described API, not of OpenAPI. */
  readonly version: string;
  /** The OpenAPI version as written in the document: `2.0`, `3.0.3`, `3.1.0`. */
  readonly specification: string;
  /** URLs of servers, with default values for variables. Relative URLs are resolved against the URL of the description, if it was read from one. */
  readonly servers: readonly string[];
  readonly operations: readonly Operation[];
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>;
  /** The parts that were left out or corrected, one sentence each, with the place. */
  readonly warnings: readonly string[];
  /** Follows the `$ref`s of a schema to the end. Returns `true` (any value is valid) if a target is missing or the references form a circle. */
  resolve(schema: Schema): Schema;
  /** The whole document as OpenAPI 3.1, for validators. Every `$ref` is a pointer into this document. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly method: HttpMethod;
  /** The path template, for example `/orders/{order_id}`, without the paths of server URLs. */
  readonly path: string;
  readonly id: string | undefined;
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly deprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly responses: readonly DescribedResponse[];
  /**
   * Alternatives, one of which is sufficient. All schemes of an alternative are needed. Empty: no authentication. An operation that declares none has
   * the document's alternatives.
   */
  readonly security: readonly (readonly SecurityNeed[])[];
  /** JSON pointer into {@link ApiDescription.document}, for example `/paths/~1orders/post`. */
  readonly pointer: string;
  /**
   * The servers of the operation, or else of its path. They replace the document's servers. URLs are as written, with default values for variables.
   */
  readonly servers?: readonly string[] | undefined;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly schema: Schema;
  /** The examples, most specific first. Empty if there are none. */
  readonly examples: readonly unknown[];
  readonly description: string | undefined;
}

export interface RequestBody {
  readonly required: boolean;
  /** The media types in order of preference: JSON first, then forms, then the others. */
  readonly media: readonly MediaType[];
}

export interface MediaType {
  readonly type: string;
  readonly schema: Schema | undefined;
  readonly examples: readonly unknown[];
}

export interface DescribedResponse {
  readonly status: string;
  readonly media: readonly MediaType[];
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: Schema }>;
  readonly links: readonly Link[];
}

/** An OpenAPI link: a value of this answer becomes a parameter of another operation. */
export interface Link {
  readonly name: string;
  readonly operationId: string | undefined;
  readonly operationRef: string | undefined;
  /** Maps a parameter (`id` or `path.id`) to a runtime expression (`$response.body#/id`) or a constant. */
  readonly parameters: ReadonlyMap<string, unknown>;
}

export interface SecurityNeed {
  readonly scheme: string;
  readonly scopes: readonly string[];
}

export type SecurityScheme =
  | { readonly kind: "apiKey"; readonly name: string; readonly in: "query" | "header" | "cookie" }
  /** The scheme in lower case, for example `bearer` or `basic`. */
  | { readonly kind: "http"; readonly scheme: string }
  | { readonly kind: "oauth2"; readonly tokenUrl: string | undefined }
  | { readonly kind: "openIdConnect" }
  | { readonly kind: "other"; readonly type: string };
