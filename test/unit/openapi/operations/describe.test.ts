import { describe, expect, it } from "vitest";
import type { ApiDescription, Operation } from "../../../../src/openapi/operations/description.ts";
import { describe as describeApi } from "../../../../src/openapi/index.ts";
import { withSchema } from "../../../support/openapi-folder.ts";

type Json = Readonly<Record<string, unknown>>;

const only = (description: ApiDescription): Operation => description.operations[0]!;
const schemaOf = (schema: unknown, more: Json = {}): unknown => only(describeApi(withSchema(schema, more))).responses[0]!.media[0]!.schema;
const operation = (item: Json, more: Json = {}, path = "/a/{id}"): Operation =>
  only(describeApi({ openapi: "3.1.0", paths: { [path]: item }, ...more }));

describe("operations", () => {
  it("have their path's parameters, of which their own take the place; one for each place and name", () => {
    const found = operation(
      {
        parameters: [
          { name: "id", in: "path", schema: { type: "string" } },
          { name: "q", in: "query", schema: { type: "string" } },
        ],
        get: {
          parameters: [
            { name: "q", in: "query", required: true, schema: { type: "integer" } },
            { name: "q", in: "header" },
            { $ref: "#/components/parameters/P" },
          ],
        },
      },
      {
        components: {
          parameters: {
            P: { name: "page", in: "query", content: { "application/json": { schema: { type: "object" }, example: { n: 1 } } } },
          },
        },
      },
    );
    expect(found.parameters.map(({ name, in: place, required, schema }) => [place, name, required, schema])).toEqual([
      ["path", "id", true, { type: "string" }],
      ["query", "q", true, { type: "integer" }],
      ["header", "q", false, true],
      ["query", "page", false, { type: "object" }],
    ]);
    expect(found.parameters[3]!.examples).toEqual([{ n: 1 }]);
  });

  it("have every parameter of the template, and none that is not in it", () => {
    const description = describeApi({
      openapi: "3.1.0",
      paths: { "/a/{id}": { get: { parameters: [{ name: "other", in: "path" }, 5, { name: "x" }] } } },
    });
    expect(only(description).parameters).toEqual([
      {
        name: "id",
        in: "path",
        required: true,
        schema: { type: "string" },
        style: "simple",
        explode: false,
        examples: [],
        description: undefined,
      },
    ]);
    expect(description.warnings).toHaveLength(3);
  });

  it("have bodies, JSON first and then forms, with examples by value, the best first", () => {
    const content = {
      "text/xml": {},
      "multipart/form-data": { schema: { type: "object" } },
      "application/merge-patch+json": {},
      "application/x-www-form-urlencoded": {},
      "Application/JSON; charset=utf-8": {
        schema: { $ref: "#/components/schemas/S" },
        example: 1,
        examples: { a: { value: 2 }, b: { $ref: "#/components/examples/E" } },
      },
    };
    const found = operation(
      { post: { requestBody: { $ref: "#/components/requestBodies/B" } } },
      {
        components: {
          requestBodies: { B: { required: true, content } },
          schemas: { S: { example: 4, examples: [1, 5] } },
          examples: { E: { value: 3 } },
        },
      },
    );
    expect(found.body).toMatchObject({ required: true });
    expect(found.body!.media.map(({ type }) => type)).toEqual([
      "application/json",
      "application/merge-patch+json",
      "application/x-www-form-urlencoded",
      "multipart/form-data",
      "text/xml",
    ]);
    expect(found.body!.media[0]!.examples).toEqual([1, 2, 3, 4, 5]);
  });

  it("have answers with headers and links", () => {
    const responses = {
      200: {
        headers: { "X-Total": { required: true, schema: { type: "integer" } } },
        links: { next: { operationId: "read", parameters: { id: "$response.body#/id" } } },
      },
      "4xx": {},
      Default: {},
      nonsense: {},
      "x-more": {},
    };
    const description = describeApi({ openapi: "3.1.0", paths: { "/a": { get: { responses } } } });
    const [ok, ...others] = only(description).responses;
    expect(others.map(({ status }) => status)).toEqual(["4XX", "default"]);
    expect([...ok!.headers]).toEqual([["x-total", { required: true, schema: { type: "integer" } }]]);
    expect(ok!.links).toEqual([
      { name: "next", operationId: "read", operationRef: undefined, parameters: new Map([["id", "$response.body#/id"]]) },
    ]);
    expect(description.warnings).toHaveLength(1);
  });

  it("have the security of the document where they say nothing, and none where they say so", () => {
    const security = [{ key: [] }, { oauth: ["read"], key: [] }];
    expect(operation({ get: {} }, { security }).security).toEqual([
      [{ scheme: "key", scopes: [] }],
      [
        { scheme: "oauth", scopes: ["read"] },
        { scheme: "key", scopes: [] },
      ],
    ]);
    expect(operation({ get: { security: [] } }, { security }).security).toEqual([]);
    expect(operation({ get: { security: [{}] } }, { security }).security).toEqual([[]]);
  });

  it("have pointers into the document, also where their path is a reference", () => {
    const description = describeApi({
      openapi: "3.1.0",
      paths: { "/a/{b}": { $ref: "#/components/pathItems/P" } },
      components: { pathItems: { P: { get: { operationId: "x" } } } },
    });
    expect(only(description)).toMatchObject({ id: "x", pointer: "/paths/~1a~1{b}/get" });
    expect(description.document).toMatchObject({ paths: { "/a/{b}": { get: { operationId: "x" } } } });
  });
});

describe("the rest", () => {
  it("title, versions, servers with their variables' defaults, security schemes", () => {
    const description = describeApi({
      openapi: "3.0.2",
      info: { title: "Shop", version: 2 },
      servers: [
        { url: "https://{region}.example.com:{port}/v1", variables: { region: { default: "eu" }, port: { enum: ["443"] } } },
        { url: "/local" },
        5,
      ],
      paths: { "/a": { get: {} } },
      components: {
        securitySchemes: {
          a: { type: "apiKey", name: "X-Key", in: "header" },
          b: { type: "http", scheme: "Bearer" },
          c: { type: "oauth2", flows: { implicit: {}, clientCredentials: { tokenUrl: "/token" } } },
          d: { type: "openIdConnect" },
          e: { type: "mutualTLS" },
          f: { type: "apiKey" },
        },
      },
    });
    expect(description).toMatchObject({
      title: "Shop",
      version: "2",
      specification: "3.0.2",
      servers: ["https://eu.example.com:443/v1", "/local"],
    });
    expect([...description.securitySchemes]).toEqual([
      ["a", { kind: "apiKey", name: "X-Key", in: "header" }],
      ["b", { kind: "http", scheme: "bearer" }],
      ["c", { kind: "oauth2", tokenUrl: "/token" }],
      ["d", { kind: "openIdConnect" }],
      ["e", { kind: "other", type: "mutualTLS" }],
    ]);
  });

  it("resolve follows references to what they stand for, and what stands beside one in 3.1 holds, too", () => {
    const schemas = { A: { $ref: "#/components/schemas/B" }, B: { type: "object", "x/y~z": { title: "odd" } }, T: true };
    const description = describeApi(withSchema({ $ref: "#/components/schemas/A" }, { components: { schemas } }));
    const of = (ref: string, more: Json = {}): unknown => description.resolve({ $ref: ref, ...more });
    expect(of("#/components/schemas/A")).toMatchObject({ type: "object" });
    expect(of("#/components/schemas/B/x~1y~0z")).toEqual({ title: "odd" });
    // As the web encodes it, which descriptions do, too.
    expect(of("#/components/schemas/B/x%2Fy~0z")).toEqual({ title: "odd" });
    expect(of("#/components/schemas/T")).toBe(true);
    expect(of("#/nowhere")).toBe(true);
    expect(of("#/components/schemas/A", { description: "d" })).toMatchObject({ type: "object" });
    expect(of("#/components/schemas/A", { required: ["a"] })).toMatchObject({ allOf: [{ type: "object" }, { required: ["a"] }] });
    expect(description.resolve(true)).toBe(true);
  });
});

describe("schemas of 3.0 are those of 3.1", () => {
  const old = (schema: unknown): unknown => schemaOf(schema, { openapi: "3.0.3" });

  it.each<[string, Json, Json]>([
    ["nullable", { type: "string", nullable: true }, { type: ["string", "null"] }],
    ["not nullable", { type: "string", nullable: false }, { type: "string" }],
    ["nullable with values", { type: "string", nullable: true, enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }],
    ["nullable without a type, which says nothing that a type could", { allOf: [{}], nullable: true }, { allOf: [{}], nullable: true }],
    ["exclusive bounds", { minimum: 1, exclusiveMinimum: true, maximum: 2, exclusiveMaximum: false }, { exclusiveMinimum: 1, maximum: 2 }],
    [
      "properties that are called as keywords",
      { properties: { nullable: { type: "boolean" }, example: { type: "string" }, type: { type: "string" } } },
      { properties: { nullable: { type: "boolean" }, example: { type: "string" }, type: { type: "string" } } },
    ],
    [
      "examples that look like schemas",
      { example: { type: "string", nullable: true, format: "binary" } },
      { example: { type: "string", nullable: true, format: "binary" } },
    ],
    [
      "tuples",
      { type: "array", items: [{ type: "string" }], additionalItems: false },
      { type: "array", prefixItems: [{ type: "string" }], items: false },
    ],
  ])("%s", (_, written, meant) => {
    expect(old(written)).toEqual(meant);
  });

  it("where what is beside a reference did not hold, and does not now", () => {
    const schemas = { A: { type: "string" } };
    const written = { $ref: "#/components/schemas/A", description: "d", required: ["x"], type: "integer" };
    expect(schemaOf(written, { openapi: "3.0.3", components: { schemas } })).toEqual({ $ref: "#/components/schemas/A", description: "d" });
    expect(schemaOf(written, { components: { schemas } })).toEqual(written);
  });
});

describe("schemas that are slightly wrong are mended, with a warning", () => {
  it.each<[string, unknown, unknown]>([
    ["a type of another language", { type: "int" }, { type: "integer" }],
    ["a type that is a format", { type: "date-time" }, { type: "string", format: "date-time" }],
    ["a type in capitals", { type: "String" }, { type: "string" }],
    ["a type of none", { type: "whatever" }, {}],
    ["a list of types with one of none", { type: ["string", "nothing"] }, { type: "string" }],
    ["numbers in quotes", { minLength: "3", maximum: "1.5" }, { minLength: 3, maximum: 1.5 }],
    ["numbers that are none", { minLength: -1, minimum: {} }, {}],
    [
      "one where a list has to be",
      { enum: "a", required: "b", allOf: { type: "object" } },
      { enum: ["a"], required: ["b"], allOf: [{ type: "object" }] },
    ],
    ["lists with what does not belong there", { required: ["a", 5], allOf: [{}, 7] }, { required: ["a"], allOf: [{}] }],
    ["maps with what does not belong there", { properties: { a: {}, b: 5 } }, { properties: { a: {} } }],
    ["maps that are lists", { properties: [], required: {} }, {}],
    ["patterns that do not compile", { pattern: "(", patternProperties: { "(": {}, "^a": {} } }, { patternProperties: { "^a": {} } }],
    ["references that are no text", { $ref: 5, type: "string" }, { type: "string" }],
    ["references that lead nowhere", { $ref: "#/components/schemas/None", description: "d" }, { description: "d" }],
  ])("%s", (_, written, meant) => {
    const description = describeApi(withSchema(written));
    expect(only(description).responses[0]!.media[0]!.schema).toEqual(meant);
    expect(description.warnings.length).toBeGreaterThan(0);
    expect(description.warnings.join()).toContain("#/paths/~1a/get/responses/200/content/application~1json/schema");
  });
});
