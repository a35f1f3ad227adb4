/** A JSON Schema as in OpenAPI 3.1. A `$ref` in it points into {@link ApiDescription.document}, and {@link ApiDescription.resolve} follows it. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

export type HttpMethod = "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace";

/**
 * An OpenAPI description of version 2.0, 3.0 or 3.1, converted to 3.1. Files that the description refers to are included, so every `$ref` is local.
 * Texts and names in the description are untrusted, because its author can choose them freely.
 */
export interface ApiDescription {
  readonly title: string;
  /** The version of the described API, not of OpenAPI. */
  readonly version: string;
  /** The OpenAPI version as written in the document: `2.0`, `3.0.3`, `3.1.0`. */
  readonly specification: string;
  /** The URLs of the servers, with default values for variables. Relative URLs are resolved if the description was read from a URL. */
  readonly servers: readonly string[];
  readonly operations: readonly Operation[];
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>;
  /** The parts of the description that were left out or corrected, one sentence each, with the place. */
  readonly warnings: readonly string[];
  /**
   * Returns the schema to which a `$ref` leads. A schema without `$ref` is returned as it is. Returns `true` (any value is valid) if a target is
   * missing or the references form a circle.
   */
  resolve(schema: Schema): Schema;
  /** The whole document as OpenAPI 3.1, for use by validators. Every `$ref` is a pointer into this document. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly method: HttpMethod;
  /** The template of the URL path, for example `/orders/{order_id}`, without the path of the server URL. */
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
   * The authentication that the operation accepts. One item of the outer list is sufficient; the client must then satisfy all schemes in that item.
   * If the list is empty, no authentication is needed. An operation that declares no security has the security of the whole document.
   */
  readonly security: readonly (readonly SecurityNeed[])[];
  /** JSON pointer into {@link ApiDescription.document}, for example `/paths/~1orders/post`. */
  readonly pointer: string;
  /** The URLs of servers that replace the servers of the document for this operation. Variables have their default values. */
  readonly servers?: readonly string[] | undefined;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly schema: Schema;
  /** The way in which lists and objects are written, as in OpenAPI. `json` if the value is a JSON text (`content` instead of `schema`). */
  readonly style: string;
  /** `true` if each item of a list, or each field of an object, becomes a separate parameter or a separate `name=value` pair. */
  readonly explode: boolean;
  /** Example values, the most specific first. Empty if the description has no examples. */
  readonly examples: readonly unknown[];
  readonly description: string | undefined;
}

export interface RequestBody {
  readonly required: boolean;
  /** The media types in order of preference: JSON first, then forms, then all other types. */
  readonly media: readonly MediaType[];
}

export interface MediaType {
  /** The media type in lower case, without parameters, such as `application/json`. */
  readonly type: string;
  /** The parameters of the type in lower case and sorted, without `charset`, such as `version=2`. Default: none. */
  readonly parameters?: string | undefined;
  readonly schema: Schema | undefined;
  readonly examples: readonly unknown[];
  /**
   * The content types of the fields of a multipart body, by the name of the field (OpenAPI `encoding`). If a field has several types, the first one
   * is stored. Default: none.
   */
  readonly contentTypes?: ReadonlyMap<string, string> | undefined;
}

export interface DescribedResponse {
  readonly status: string;
  readonly media: readonly MediaType[];
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: Schema }>;
  readonly links: readonly Link[];
}

/** An OpenAPI link: a value of this answer is a parameter of another operation. */
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
