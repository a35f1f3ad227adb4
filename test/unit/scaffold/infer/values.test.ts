import fc from "fast-check";
import { describe as group, expect, it } from "vitest";
import type { Json, PlannedValue, ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { basePathOf } from "../../../../src/scaffold/infer/resources/base-path.ts";
import { planScaffold } from "../../../../src/scaffold/infer/index.ts";
import { Checker } from "../../../../src/scaffold/infer/values/check-value.ts";
import { matchingText } from "../../../../src/scaffold/infer/values/matching-text.ts";
import { Schemas } from "../../../../src/scaffold/infer/values/schemas.ts";
import { singular, snake } from "../../../../src/scaffold/infer/resources/words.ts";
import { describe } from "../../../../src/openapi/index.ts";
import { expectSound } from "../../../support/plan-invariants.ts";

interface Described {
  readonly paths: object;
  readonly schemas?: object;
}

function planOf({ paths, schemas = {} }: Described): ScaffoldPlan {
  const plan = planScaffold(describe({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths, components: { schemas } }));
  expectSound(plan);
  return plan;
}

/** The body of a `POST /things` with that schema. */
function bodyOf(
  schema: object,
  media: object = {},
  schemas: object = {},
): { readonly value: PlannedValue | undefined; readonly notes: readonly string[] } {
  const requestBody = { required: true, content: { "application/json": { schema, ...media } } };
  const plan = planOf({ paths: { "/things": { post: { requestBody, responses: { 204: { description: "" } } } } }, schemas });
  return { value: plan.actions[0]?.body?.value, notes: plan.notInferred.map(({ hint }) => hint) };
}

const constant = (value: Json): object => ({ value: { kind: "constant", value }, notes: [] });

group("bodies", () => {
  it.each<[string, object, Json]>([
    ["required fields alone", { type: "object", required: ["a"], properties: { a: { type: "integer" }, b: { type: "string" } } }, { a: 1 }],
    [
      "plain fields where none is required",
      { properties: { a: { type: "boolean" }, b: { type: "object", properties: { c: {} } } } },
      { a: true },
    ],
    [
      "const, enum, default, example",
      {
        required: ["a", "b", "c", "d"],
        properties: {
          a: { const: 7 },
          b: { enum: ["x", "y"] },
          c: { type: "string", default: "z" },
          d: { type: "string", examples: ["w"] },
        },
      },
      { a: 7, b: "x", c: "z", d: "w" },
    ],
    [
      "an example that the enumeration does not know",
      { required: ["a"], properties: { a: { type: "string", enum: ["x"], example: "nope" } } },
      { a: "x" },
    ],
    [
      "read-only fields left out, though required",
      { required: ["id", "a"], properties: { id: { type: "integer", readOnly: true }, a: { type: "integer" } } },
      { a: 1 },
    ],
    [
      "allOf",
      { allOf: [{ required: ["a"], properties: { a: { type: "integer", minimum: 3 } } }, { properties: { a: { multipleOf: 4 } } }] },
      { a: 4 },
    ],
    [
      "oneOf, the first that is valid",
      {
        oneOf: [
          { type: "object", required: ["a"], properties: { a: false } },
          { type: "object", required: ["b"], properties: { b: { type: "integer" } } },
        ],
      },
      { b: 1 },
    ],
    [
      "null or something",
      { required: ["a"], properties: { a: { anyOf: [{ type: "null" }, { type: "number", exclusiveMinimum: 2, exclusiveMaximum: 3 }] } } },
      { a: 2.5 },
    ],
    [
      "lists that differ",
      { required: ["a"], properties: { a: { type: "array", minItems: 3, uniqueItems: true, items: { enum: [1, 2, 3] } } } },
      { a: [1, 2, 3] },
    ],
    ["free names", { minProperties: 2, additionalProperties: { type: "integer" } }, { key1: 1, key2: 1 }],
    [
      "patterns and lengths",
      {
        required: ["a", "b"],
        properties: { a: { type: "string", pattern: "^[a-z]{2}-\\d+$", minLength: 6 }, b: { type: "string", maxLength: 3 } },
      },
      { a: "aa-111", b: "exa" },
    ],
    ["the largest number", { required: ["a"], properties: { a: { type: "integer", maximum: -5 } } }, { a: -5 }],
  ])("%s", (_, schema, value) => {
    expect(bodyOf(schema)).toEqual(constant(value));
  });

  it("null fits a schema that has a type, alternatives and nullable", () => {
    const schemas = { A: { type: "object", nullable: true, allOf: [{ type: "object" }] } };
    const paths = { "/a": { get: { responses: { 204: { description: "" } } } } };
    const description = describe({ openapi: "3.0.3", paths, components: { schemas } });
    const checker = new Checker(new Schemas(description));
    expect(checker.problem({ $ref: "#/components/schemas/A" }, null)).toBeUndefined();
    expect(checker.problem({ $ref: "#/components/schemas/A" }, 1)).toBeDefined();
  });

  it("a discriminator has the value of the schema that is sent", () => {
    const ref = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
    const petType = (more: object = {}): object => ({
      type: "object",
      required: ["petType"],
      properties: { petType: { type: "string", ...more } },
    });
    const kinds = (discriminator: unknown, more?: object): object => ({
      Pet: { ...petType(more), discriminator },
      Cat: { allOf: [ref("Pet"), { required: ["lives"], properties: { lives: { type: "integer" } } }] },
      Dog: { allOf: [ref("Pet"), { properties: { breed: { type: "string" } } }] },
    });
    const sent = (schema: object, schemas: object): unknown => bodyOf(schema, {}, schemas);
    const named = kinds({ propertyName: "petType" });
    const mapped = kinds({ propertyName: "petType", mapping: { dog: "Dog", cat: "#/components/schemas/Cat" } });
    const cat = (petType: string): object => constant({ petType, lives: 1 });
    expect(sent(ref("Cat"), named)).toEqual(cat("Cat"));
    expect(sent({ allOf: [ref("Cat")], nullable: true }, mapped)).toEqual(cat("cat"));
    // OpenAPI 2.0 writes only the name of the property.
    expect(sent(ref("Cat"), kinds("petType"))).toEqual(cat("Cat"));
    expect(sent(ref("Cat"), kinds({ propertyName: "petType" }, { enum: ["dog", "cat"] }))).toEqual(cat("cat"));
    expect(sent({ anyOf: [ref("Cat"), ref("Dog")] }, named)).toEqual(cat("Cat"));
    // The mapping does not name the schema of the body, so one of the mapped schemas is sent.
    expect(sent(ref("Pet"), mapped)).toEqual(constant({ petType: "dog" }));
    expect(bodyOf(ref("Pet"), { example: { petType: "cat", lives: 9 } }, mapped)).toEqual(constant({ petType: "cat", lives: 9 }));
    expect(sent(ref("Pet"), named)).toEqual(constant({ petType: "Pet" }));
  });

  it("files are fields with a binary format, or a media type without an encoding", () => {
    const properties = {
      a: { type: "string", format: "binary" },
      b: { type: "array", items: { type: "string", contentMediaType: "application/octet-stream" } },
      c: { type: "string", contentMediaType: "image/png" },
      d: { type: "string", contentMediaType: "image/png", contentEncoding: "base64" },
      e: { type: "string" },
      f: {},
      g: { type: "object" },
    };
    const schema = { type: "object", required: Object.keys(properties), properties };
    const encoding = { e: { contentType: "text/plain" }, f: { contentType: "image/*, text/csv" }, g: { contentType: "application/json" } };
    const requestBody = { required: true, content: { "multipart/form-data": { schema, encoding } } };
    const { actions, notInferred } = planOf({ paths: { "/things": { post: { requestBody, responses: { 204: { description: "" } } } } } });
    expect(actions[0]!.body!.files).toEqual([
      { name: "a" },
      { name: "b" },
      { name: "c", contentType: "image/png" },
      { name: "f", contentType: "image/png" },
    ]);
    expect(notInferred.map(({ what }) => what)).toEqual(["body field c", "body field f"]);
  });

  it.each([
    ["*/*", "json", "application/json"],
    ["application/*", "json", "application/json"],
    ["application/*+json", "json", "application/json"],
    ["multipart/*", "multipart", "multipart/form-data"],
    ["text/*", "text", "text/plain"],
    ["image/*", "text", "image/png"],
  ])("a body of %s is sent as %s with a type that has no wildcard", (type, as, mediaType) => {
    const requestBody = { required: true, content: { [type]: { schema: { type: "object", properties: { a: { type: "integer" } } } } } };
    const { actions } = planOf({ paths: { "/things": { post: { requestBody, responses: { 204: { description: "" } } } } } });
    expect(actions[0]!.body).toMatchObject({ as, mediaType });
  });

  it("operations with a server of their own are sent below its path, or are noted", () => {
    const get = (...urls: string[]): object => ({
      get: { servers: urls.map((url) => ({ url })), responses: { 204: { description: "" } } },
    });
    const paths = {
      "/a": get("/v1/admin"),
      "/b": get("https://shop.example/v1/b"),
      "/c": get("https://files.example/v1"),
      "/d": get("/v2"),
      "/e": get("/v1"),
    };
    const servers = [{ url: "https://shop.example/v1" }];
    const { actions, notInferred } = planScaffold(describe({ openapi: "3.1.0", servers, paths }));
    expect(actions.map(({ operation }) => operation.path).sort()).toEqual(["/admin/a", "/b/b", "/c", "/d", "/e"]);
    expect(notInferred.map(({ what, hint }) => [what, hint.split(" ")[4]])).toEqual([
      ["server", "https://files.example/v1"],
      ["server", "/v2"],
    ]);
  });

  it("a server on this machine goes before others, with its own path", () => {
    const paths = { "/a": { get: { responses: { 204: { description: "" } } } } };
    const servers = [{ url: "https://shop.example/v1" }, { url: "http://localhost:{port}", variables: { port: { default: "8080" } } }];
    const local = planScaffold(describe({ openapi: "3.1.0", servers, paths }));
    expect([local.baseUrl, local.basePath]).toEqual(["http://localhost:8080", undefined]);
    const other = planScaffold(describe({ openapi: "3.1.0", servers: [{ url: "/v2" }, ...servers.slice(0, 1)], paths }));
    expect([other.baseUrl, other.basePath]).toEqual(["https://shop.example/v1", "/v2"]);
  });

  it("a list of ids that no call returns is noted", () => {
    const ids = { type: "array", items: { type: "integer" } };
    const schema = {
      type: "object",
      required: ["reviewerIds", "at"],
      properties: { reviewerIds: ids, at: { required: ["ids"], properties: { ids } } },
    };
    const requestBody = { required: true, content: { "application/json": { schema } } };
    const { notInferred } = planOf({ paths: { "/things": { post: { requestBody, responses: { 204: { description: "" } } } } } });
    expect(notInferred.map(({ what }) => what)).toEqual(["body field reviewerIds", "body field at.ids"]);
  });

  it("an example goes before the schema", () => {
    expect(bodyOf({ required: ["a"], properties: { a: { type: "string" } } }, { example: { a: "said", b: 2 } })).toEqual(
      constant({ a: "said", b: 2 }),
    );
  });

  it("what cannot be built, or does not fit, is said", () => {
    expect(bodyOf({ required: ["a"], properties: { a: { type: "string", not: {} } } }).notes).toEqual([
      "The generated value does not match its schema (a must NOT be valid). Correct the value.",
    ]);
    expect(bodyOf({ required: ["a"], properties: { a: { type: "integer", minimum: 3, maximum: 2 } } }).notes).toEqual([
      "seqqa could not build a body that the schema allows. Write it yourself.",
    ]);
  });

  it("schemas that go round in a circle end", () => {
    const Tree = {
      type: "object",
      required: ["name", "children"],
      properties: { name: { type: "string" }, children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
    };
    const { value, notes } = bodyOf({ $ref: "#/components/schemas/Tree" }, {}, { Tree });
    expect(notes).toEqual([]);
    expect(value?.kind).toBe("constant");
    const Endless = { type: "object", required: ["next"], properties: { next: { $ref: "#/components/schemas/Endless" } } };
    expect(bodyOf({ $ref: "#/components/schemas/Endless" }, {}, { Endless }).notes).toHaveLength(1);
  });
});

group("keys", () => {
  const created = (schema: object): object => ({ 201: { description: "", content: { "application/json": { schema } } } });
  const withId = { type: "object", properties: { id: { type: "integer" } } };
  const item = (name: string): object => ({
    parameters: [{ name, in: "path", required: true, schema: { type: "integer" } }],
    get: { responses: { 200: { description: "" } } },
  });
  const body = (fields: object, required: readonly string[]): object => ({
    requestBody: { required: true, content: { "application/json": { schema: { type: "object", properties: fields, required } } } },
  });

  it("a circle of optional fields is broken where nothing is lost", () => {
    const plan = planOf({
      paths: {
        "/teams": { post: { operationId: "team", ...body({ lead_id: {}, user_id: { type: "integer" } }, []), responses: created(withId) } },
        "/teams/{id}": item("id"),
        "/users": { post: { operationId: "user", ...body({ team_id: { type: "integer" } }, ["team_id"]), responses: created(withId) } },
        "/users/{id}": item("id"),
      },
    });
    expect(plan.actions.map(({ name, needs }) => [name, ...needs])).toEqual([
      ["team"],
      ["get_team", "team_id"],
      ["user", "team_id"],
      ["get_user", "user_id"],
    ]);
    expect(plan.notInferred).toEqual([]);
  });

  it("of required ones one gets a constant, and it is said", () => {
    const plan = planOf({
      paths: {
        "/teams": { post: { operationId: "team", ...body({ user_id: { type: "integer" } }, ["user_id"]), responses: created(withId) } },
        "/teams/{id}": item("id"),
        "/users": { post: { operationId: "user", ...body({ team_id: { type: "integer" } }, ["team_id"]), responses: created(withId) } },
        "/users/{id}": item("id"),
      },
    });
    expect(plan.actions.map(({ name }) => name)).toEqual(["team", "get_team", "user", "get_user"]);
    expect(plan.actions.find(({ name }) => name === "user")?.needs).toEqual(["team_id"]);
    expect(plan.notInferred.map(({ action, what }) => [action, what])).toEqual([["team", "body field user_id"]]);
  });

  it("are never methods of a context", () => {
    const one = (name: string): object => ({
      parameters: [{ name, in: "path", required: true, schema: { type: "string" } }],
      get: { responses: { 200: { description: "" } } },
    });
    const plan = planOf({ paths: { "/a/{get}": one("get"), "/b/{constructor}": one("constructor"), "/c/{__proto__}": one("__proto__") } });
    expect(plan.keys.map(({ key }) => key)).toEqual(["get_id", "constructor_id", "proto"]);
  });

  it("the same word for two things is not taken for one", () => {
    const comments = (parent: string): object => ({
      [`/${parent}/{id}/comments`]: {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
        post: { responses: created(withId) },
      },
      [`/${parent}/{id}/comments/{comment_id}`]: {
        parameters: [
          { name: "id", in: "path", required: true, schema: { type: "integer" } },
          { name: "comment_id", in: "path", required: true, schema: { type: "integer" } },
        ],
        get: { responses: { 200: { description: "" } } },
      },
      [`/${parent}`]: { post: { responses: created(withId) } },
      [`/${parent}/{id}`]: item("id"),
    });
    const plan = planOf({ paths: { ...comments("posts"), ...comments("photos") } });
    expect(
      plan.actions.map(({ name, needs, produces }) => `${name}: ${needs.join(" ")} -> ${produces.map(({ key }) => key).join(" ")}`),
    ).toEqual([
      "create_post:  -> post_id",
      "get_post: post_id -> ",
      "create_photo:  -> photo_id",
      "get_photo: photo_id -> ",
      "create_post_comment: post_id -> comment_id",
      "get_post_comment: post_id comment_id -> ",
      "create_photo_comment: photo_id -> photo_comment_id",
      "get_photo_comment: photo_id photo_comment_id -> ",
    ]);
  });
});

group("words", () => {
  it.each([
    ["orderID", "order_id"],
    ["Order-Items", "order_items"],
    ["HTTPServer2", "http_server2"],
    ["Größe", "gro_e"],
    ["日本", ""],
    ["userIDs", "user_ids"],
  ])("%s", (name, expected) => {
    expect(snake(name)).toBe(expected);
  });

  it.each(
    Object.entries({
      orders: "order",
      categories: "category",
      addresses: "address",
      statuses: "status",
      boxes: "box",
      people: "person",
      status: "status",
      news: "news",
      houses: "house",
      movies: "movie",
      analysis: "analysis",
      bus: "bus",
    }),
  )("one of %s", (many, one) => {
    expect(singular(many)).toBe(one);
  });
});

group("texts of patterns", () => {
  it.each([
    "^[A-Z]{3}-\\d{2,4}$",
    "^(a|b)+c?$",
    "[^a-z]\\w\\s\\S",
    "^\\p{L}?$|x",
    "(?<year>\\d{4})",
    "\\u0041\\x42",
    "^[\\w.-]+@[a-z]+\\.[a-z]{2,}$",
    "a{0}b",
    "[]]x?",
  ])("%s", (pattern) => {
    const text = matchingText(pattern);
    if (pattern.includes("\\p") || pattern.startsWith("[]")) return;
    expect(text).toMatch(new RegExp(pattern));
  });

  it("what is not understood is not guessed", () => {
    for (const pattern of ["(?=a)b", "(?!a)b", "(a)\\1", "\\p{L}", "[", "(", "a**", "*"]) expect(matchingText(pattern)).toBeUndefined();
  });

  it("keeps to lengths", () => {
    expect(matchingText("^[a-z]+$", 7, 9)).toHaveLength(8);
    expect(matchingText("^[a-z]+$", 50_000)).toBeUndefined();
    expect(matchingText("^a{5}$", 0, 4)).toBeUndefined();
  });

  it("any pattern gives a text that it matches, or none", () => {
    const atom = fc.constantFrom("a", "\\d", "[a-c]", "[^x]", "\\.", ".", "(b|c)", "(?:de)");
    const times = fc.constantFrom("", "+", "*", "?", "{2}", "{1,3}");
    fc.assert(
      fc.property(fc.array(fc.tuple(atom, times), { minLength: 1, maxLength: 6 }), (parts) => {
        const pattern = `^${parts.map(([one, count]) => one + count).join("")}$`;
        expect(matchingText(pattern)).toMatch(new RegExp(pattern));
      }),
    );
  });
});

group("the path before all others", () => {
  it.each<[readonly string[], string | undefined]>([
    [["https://api.example.com/v1/"], "/v1"],
    [["/api/v3"], "/api/v3"],
    [["https://api.example.com"], undefined],
    // A host without a scheme, as Directus has it.
    [["127.0.0.1:8080"], undefined],
    [["localhost:8080/v1"], "/v1"],
    [["/"], undefined],
    [[], undefined],
    [["https://{region}.example.com/{stage}"], undefined],
    [["/`${process.exit()}"], undefined],
  ])("of %j is %j", (servers, basePath) => {
    expect(basePathOf(servers)).toBe(basePath);
  });
});

group("patterns", () => {
  it("are each held to their own values", () => {
    const text = (pattern: string): object => ({ type: "string", pattern });
    const properties = { zip: text("^\\d{5}$"), color: text("^#[0-9a-f]{6}$") };
    expect(bodyOf({ type: "object", required: ["zip", "color"], properties }).notes).toEqual([]);
  });
});

group("parameters", () => {
  const sent = (parameter: object, root: object = { openapi: "3.1.0" }): readonly (readonly unknown[])[] => {
    const path = (parameter as { in: string }).in === "path" ? "/things/{p}" : "/things";
    const get = { parameters: [{ name: "p", required: true, ...parameter }], responses: { 204: { description: "" } } };
    const [action] = planScaffold(describe({ info: { title: "t", version: "1" }, ...root, paths: { [path]: { get } } })).actions;
    return action!.parameters.map(({ name, value }) => [name, value.kind === "constant" ? value.value : value.kind]);
  };
  const list = { type: "array", items: { type: "string" }, example: ["a", "b"] };
  const object = { type: "object", example: { x: 1, y: { z: ["b", "c"] } } };

  it.each<[string, object, readonly (readonly unknown[])[]]>([
    ["a list, repeated", { in: "query", schema: list }, [["p", ["a", "b"]]]],
    ["a list with commas", { in: "query", schema: list, explode: false }, [["p", "a,b"]]],
    ["a list with spaces", { in: "query", schema: list, style: "spaceDelimited" }, [["p", "a b"]]],
    ["a list with pipes", { in: "query", schema: list, style: "pipeDelimited" }, [["p", "a|b"]]],
    ["a list as JSON", { in: "query", content: { "application/json": { schema: list } } }, [["p", '["a","b"]']]],
    ["a list in a header", { in: "header", schema: list }, [["p", "a,b"]]],
    ["a list in a cookie", { in: "cookie", schema: list }, [["p", "a,b"]]],
    ["a list in the path", { in: "path", schema: list }, [["p", "a,b"]]],
    [
      "fields",
      { in: "query", schema: { type: "object", example: { x: 1, y: ["b", "c"] } } },
      [
        ["x", "1"],
        ["y", ["b", "c"]],
      ],
    ],
    ["fields with commas", { in: "query", schema: object, explode: false }, [["p", 'x,1,y,{"z":["b","c"]}']]],
    ["fields in a header", { in: "header", schema: object, explode: true }, [["p", 'x=1,y={"z":["b","c"]}']]],
    [
      "deep fields",
      { in: "query", schema: object, style: "deepObject", explode: true },
      [
        ["p[x]", 1],
        ["p[y][z]", ["b", "c"]],
      ],
    ],
    ["a text as JSON", { in: "query", content: { "application/json": { schema: { type: "string" } } } }, [["p", '"example"']]],
  ])("%s", (_, parameter, expected) => {
    expect(sent(parameter)).toEqual(expected);
  });

  it.each([
    [undefined, "1,2"],
    ["csv", "1,2"],
    ["ssv", "1 2"],
    ["pipes", "1|2"],
    ["multi", [1, 2]],
  ])("a list of OpenAPI 2.0 as %s", (collectionFormat, value) => {
    const parameter = {
      in: "query",
      type: "array",
      items: { type: "integer", enum: [1, 2] },
      minItems: 2,
      uniqueItems: true,
      collectionFormat,
    };
    expect(sent(parameter, { swagger: "2.0" })).toEqual([["p", value]]);
  });

  it("once, if several parameters have the same name after their fields were written", () => {
    const fields = (example: object) => ({ in: "query", required: true, schema: { type: "object", example } });
    const parameters = [
      { name: "pageable", ...fields({ page: 0, size: 1 }) },
      { name: "page", in: "query", required: true, schema: { type: "integer", example: 7 } },
      { name: "filter", ...fields({ size: 2, id: 3 }) },
      { name: "id", in: "header", required: true, schema: { type: "integer", example: 4 } },
    ];
    const [action] = planOf({ paths: { "/things": { get: { parameters, responses: { 204: { description: "" } } } } } }).actions;
    expect(action!.parameters.map(({ name, in: where, value }) => [where, name, value])).toEqual([
      ["query", "page", { kind: "constant", value: 7 }],
      ["query", "size", { kind: "constant", value: "1" }],
      ["query", "id", { kind: "constant", value: "3" }],
      ["header", "id", { kind: "constant", value: 4 }],
    ]);
  });

  it("a style of the path that needs a sign before the value is noted", () => {
    const get = { parameters: [{ name: "p", in: "path", required: true, style: "matrix", schema: { type: "integer", example: 7 } }] };
    const { notInferred } = planOf({ paths: { "/things/{p}": { get: { ...get, responses: { 204: { description: "" } } } } } });
    expect(notInferred.map(({ what, hint }) => [what, hint])).toEqual([
      ["path parameter p", 'The description demands ";p=" before this value (style matrix). Write this text into the path of the action.'],
    ]);
  });
});

group("conditions and jobs", () => {
  const responses = (status: number, schema: object): object => ({
    [status]: { description: "", content: { "application/json": { schema } } },
  });
  const job = { $ref: "#/components/schemas/Job" };
  const schemas = { Job: { type: "object", properties: { jobId: { type: "integer" } } } };
  const path = (name: string): object => ({ name, in: "path", required: true, schema: { type: "integer" } });

  it("If-Match is whatever there is, unless the description says otherwise", () => {
    const put = (schema: object): object => ({
      parameters: [path("id"), { name: "If-Match", in: "header", required: true, schema }],
      responses: responses(200, {}),
    });
    const sent = (schema: object): unknown =>
      planOf({ paths: { "/things/{id}": { put: put(schema) } } }).actions[0]?.parameters.find((one) => one.in === "header")?.value;
    expect(sent({ type: "string" })).toEqual({ kind: "constant", value: "*" });
    expect(sent({ type: "string", example: '"1"' })).toEqual({ kind: "constant", value: '"1"' });
    expect(sent({ type: "integer" })).not.toMatchObject({ value: "*" });
  });

  it.each(["Idempotency-Key", "X-Idempotency-Key", "idempotency_key", "X-Request-ID"])("%s is drawn anew for each call", (name) => {
    const post = (schema: object, required = true): object => ({
      parameters: [{ name, in: "header", required, schema }],
      responses: responses(201, {}),
    });
    const sent = (schema: object, required?: boolean): unknown =>
      planOf({ paths: { "/requests": { post: post(schema, required) }, "/requests/{request_id}": {} } }).actions[0]?.parameters[0]?.value;
    expect(sent({ type: "string", example: "8e03978e-40d5-43dd-bc93-6894a57f9324" })).toEqual({ kind: "drawn", call: "uuid" });
    expect(sent({ type: "string", maxLength: 20 })).toEqual({ kind: "drawn", call: "word" });
    expect(sent({ type: "integer" })).toEqual({ kind: "constant", value: 1 });
    expect(sent({ type: "string" }, false)).toBeUndefined();
  });

  it("an idempotency key in the query or in a body is drawn, too", () => {
    const schema = { type: "object", required: ["idempotency_key"], properties: { idempotency_key: { type: "string", example: "a" } } };
    const requestBody = { required: true, content: { "application/json": { schema } } };
    const parameters = [path("id"), { name: "idempotencyKey", in: "query", required: true, schema: { type: "string" } }];
    const [action] = planOf({ paths: { "/things/{id}/pay": { put: { parameters, requestBody, responses: responses(200, {}) } } } }).actions;
    expect(action?.parameters[1]?.value).toEqual({ kind: "drawn", call: "uuid" });
    expect(action?.body?.value).toEqual({ kind: "object", entries: [["idempotency_key", { kind: "drawn", call: "uuid" }]] });
  });

  it("what is accepted, 202, gives the id of what is on its way", () => {
    const plan = planOf({
      paths: {
        "/things/{id}/exports": { post: { parameters: [path("id")], responses: responses(202, job) } },
        "/jobs/{jobId}": { get: { parameters: [path("jobId")], responses: responses(200, job) } },
      },
      schemas,
    });
    expect(plan.actions.find(({ operation }) => operation.method === "post")?.produces).toMatchObject([{ key: "job_id" }]);
  });
});
