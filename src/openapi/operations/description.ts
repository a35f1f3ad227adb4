/** A JSON Schema as OpenAPI 3.1 has it. A `$ref` in it is local to the description: {@link ApiDescription.resolve} follows it. */
export type Schema = boolean | Readonly<Record<string, unknown>>;

export type HttpMethod = "get" | "put" | "post" | "delete" | "options" | "head" | "patch" | "trace";

/**
 * An OpenAPI description of whichever version (2.0, 3.0, 3.1), as one of 3.1: other files that it refers to are taken in, and every `$ref` that is left is local. Everything
 * in it comes from whoever wrote it, and is data: names may be anything.
 */
export interface ApiDescription {
  readonly title: string;
  /** The version of the description, not of OpenAPI. */
  readonly version: string;
  /** `2.0`, `3.0.3`, `3.1.0`: as it was written. */
  readonly specification: string;
  /** URLs of servers with their variables' defaults filled in; relative ones against where the description was read from, where that is a URL. */
  readonly servers: readonly string[];
  /** In the order of the document. */
  readonly operations: readonly Operation[];
  readonly securitySchemes: ReadonlyMap<string, SecurityScheme>;
  /** What was left out or mended, a sentence each with its place. */
  readonly warnings: readonly string[];
  /** What a schema stands for: follows `$ref`s until there is none. `true`, anything goes, for one that leads nowhere or round in a circle. */
  resolve(schema: Schema): Schema;
  /** The whole document as 3.1, for validators: every schema's `$ref`s are pointers into it. */
  readonly document: Readonly<Record<string, unknown>>;
}

export interface Operation {
  readonly method: HttpMethod;
  /** The template, e.g. `/orders/{order_id}`; what stands before it in the servers' URLs is not part of it. */
  readonly path: string;
  /** `operationId`. */
  readonly id: string | undefined;
  readonly tags: readonly string[];
  readonly summary: string | undefined;
  readonly description: string | undefined;
  readonly deprecated: boolean;
  /** Those of the path included; one for each place and name. */
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly responses: readonly DescribedResponse[];
  /** Alternatives: one of them is enough, and of it all schemes are needed. Empty: no authentication. The document's own where the operation says nothing. */
  readonly security: readonly (readonly SecurityNeed[])[];
  /** JSON pointer into {@link ApiDescription.document}, e.g. `/paths/~1orders/post`. */
  readonly pointer: string;
  /** Those of its own, or of its path, where it has such: the document's do not hold then. As they are written, with their variables' defaults. */
  readonly servers?: readonly string[] | undefined;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly schema: Schema;
  /** Its examples, the first one being the best; none where there is none. */
  readonly examples: readonly unknown[];
  readonly description: string | undefined;
}

export interface RequestBody {
  readonly required: boolean;
  /** In the order of preference: JSON first, then forms, then the others. */
  readonly media: readonly MediaType[];
}

export interface MediaType {
  /** E.g. `application/json`, in small letters, without parameters. */
  readonly type: string;
  /** `undefined`: not described. */
  readonly schema: Schema | undefined;
  readonly examples: readonly unknown[];
}

export interface DescribedResponse {
  /** `200`, `2XX` or `default`. */
  readonly status: string;
  readonly media: readonly MediaType[];
  /** Names in small letters. */
  readonly headers: ReadonlyMap<string, { readonly required: boolean; readonly schema: Schema }>;
  readonly links: readonly Link[];
}

/** An OpenAPI link: a value of this answer is a parameter of another operation. */
export interface Link {
  readonly name: string;
  readonly operationId: string | undefined;
  /** A pointer such as `#/paths/~1orders~1{id}/get`. */
  readonly operationRef: string | undefined;
  /** Parameter (`id`, or `path.id`) to runtime expression (`$response.body#/id`) or constant. */
  readonly parameters: ReadonlyMap<string, unknown>;
}

export interface SecurityNeed {
  readonly scheme: string;
  readonly scopes: readonly string[];
}

export type SecurityScheme =
  | { readonly kind: "apiKey"; readonly name: string; readonly in: "query" | "header" | "cookie" }
  /** `bearer`, `basic`, or another one, in small letters. */
  | { readonly kind: "http"; readonly scheme: string }
  | { readonly kind: "oauth2"; readonly tokenUrl: string | undefined }
  | { readonly kind: "openIdConnect" }
  | { readonly kind: "other"; readonly type: string };
