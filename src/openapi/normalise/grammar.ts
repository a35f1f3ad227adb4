/** The kinds of objects in an OpenAPI document. One list covers all versions, because no key has different meanings in different versions. */
export type Kind =
  | "document"
  | "components"
  | "pathItem"
  | "operation"
  | "parameter"
  | "header"
  | "requestBody"
  | "mediaType"
  | "encoding"
  | "response"
  | "link"
  | "example"
  | "schema";

/**
 * The objects under a key of an OpenAPI document: their kind, and whether the key holds one object, a map, a list, or either one object or a list.
 */
export interface Child {
  readonly kind: Kind;
  readonly as: "one" | "map" | "list" | "one-or-list";
}

const one = (kind: Kind): Child => ({ kind, as: "one" });
const map = (kind: Kind): Child => ({ kind, as: "map" });
const list = (kind: Kind): Child => ({ kind, as: "list" });

const described: Readonly<Record<string, Child>> = {
  schema: one("schema"),
  // In OpenAPI 2.0, `items` is a key of the parameter. In 3.0, `items` is a key of the parameter's schema.
  items: one("schema"),
  content: map("mediaType"),
  examples: map("example"),
};

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

const keys: Readonly<Record<Kind, Readonly<Record<string, Child>>>> = {
  document: {
    paths: map("pathItem"),
    components: one("components"),
    definitions: map("schema"),
    parameters: map("parameter"),
    responses: map("response"),
  },
  components: {
    schemas: map("schema"),
    responses: map("response"),
    parameters: map("parameter"),
    examples: map("example"),
    requestBodies: map("requestBody"),
    headers: map("header"),
    links: map("link"),
    pathItems: map("pathItem"),
  },
  pathItem: { parameters: list("parameter"), ...Object.fromEntries(methods.map((method) => [method, one("operation")])) },
  operation: { parameters: list("parameter"), requestBody: one("requestBody"), responses: map("response") },
  parameter: described,
  header: described,
  requestBody: { content: map("mediaType") },
  mediaType: { schema: one("schema"), examples: map("example"), encoding: map("encoding") },
  encoding: { headers: map("header") },
  response: { headers: map("header"), content: map("mediaType"), links: map("link"), schema: one("schema") },
  link: {},
  example: {},
  schema: {
    properties: map("schema"),
    patternProperties: map("schema"),
    dependentSchemas: map("schema"),
    definitions: map("schema"),
    $defs: map("schema"),
    additionalProperties: one("schema"),
    unevaluatedProperties: one("schema"),
    unevaluatedItems: one("schema"),
    propertyNames: one("schema"),
    contains: one("schema"),
    contentSchema: one("schema"),
    not: one("schema"),
    if: one("schema"),
    // oxlint-disable-next-line unicorn/no-thenable -- it is the name of a keyword
    then: one("schema"),
    else: one("schema"),
    items: { kind: "schema", as: "one-or-list" },
    prefixItems: list("schema"),
    allOf: list("schema"),
    anyOf: list("schema"),
    oneOf: list("schema"),
  },
};

/**
 * For each kind of object in an OpenAPI document, its keys with the objects under them. Only with this knowledge, a reference can be distinguished
 * from a property that is named `$ref`, and a schema from an example that looks like a schema. Callbacks and webhooks are left out, because seqqa
 * does not use requests that the API sends.
 */
export const GRAMMAR: Readonly<Record<Kind, readonly (readonly [string, Child])[]>> = Object.fromEntries(
  Object.entries(keys).map(([kind, children]) => [kind, Object.entries(children)]),
) as unknown as Readonly<Record<Kind, readonly (readonly [string, Child])[]>>;
