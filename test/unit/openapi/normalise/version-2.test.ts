import { describe, expect, it } from "vitest";
import type { Operation } from "../../../../src/openapi/operations/description.ts";
import { describe as describeApi } from "../../../../src/openapi/index.ts";

type Json = Readonly<Record<string, unknown>>;

const operations = (item: Json, more: Json = {}): readonly Operation[] =>
  describeApi({ swagger: "2.0", paths: { "/a": item }, ...more }).operations;
const post = (given: Json, more: Json = {}): Operation => operations({ post: given }, more)[0]!;

describe("a description in 2.0", () => {
  it("has its body from the parameter in the body, for what the operation takes", () => {
    const parameters = [
      { in: "body", name: "b", required: true, description: "d", schema: { $ref: "#/definitions/A" } },
      { in: "query", name: "q", type: "integer", maximum: 5 },
    ];
    const found = post(
      { parameters, consumes: ["application/xml", "application/json"] },
      { definitions: { A: { type: "object" } }, consumes: ["text/plain"] },
    );
    expect(found.body).toMatchObject({
      required: true,
      media: [{ type: "application/json", schema: { $ref: "#/components/schemas/A" } }, { type: "application/xml" }],
    });
    expect(found.parameters).toMatchObject([{ name: "q", in: "query", schema: { type: "integer", maximum: 5 } }]);
    expect(post({ parameters }).body!.media.map(({ type }) => type)).toEqual(["application/json"]);
    expect(post({ parameters }, { consumes: ["text/plain"] }).body!.media.map(({ type }) => type)).toEqual(["text/plain"]);
  });

  it("has forms, with all that is said of their fields", () => {
    const parameters = [
      { in: "formData", name: "kind", type: "string", enum: ["a"], default: "a", required: true },
      { in: "formData", name: "list", type: "array", items: { type: "integer" } },
      { in: "formData", name: "__proto__", type: "string" },
    ];
    const [media] = post({ parameters }).body!.media;
    expect(media!.type).toBe("application/x-www-form-urlencoded");
    expect(media!.schema).toMatchObject({
      type: "object",
      required: ["kind"],
      properties: { kind: { type: "string", enum: ["a"], default: "a" }, list: { type: "array", items: { type: "integer" } } },
    });
    expect(Object.keys((media!.schema as { properties: object }).properties)).toEqual(["kind", "list", "__proto__"]);
    const file = post({ parameters: [{ in: "formData", name: "f", type: "file" }] });
    expect(file.body!.media).toMatchObject([
      { type: "multipart/form-data", schema: { properties: { f: { type: "string", format: "binary" } } } },
    ]);
  });

  it("has bodies of the whole path, wherever its parameters stand, and shared ones", () => {
    const body = { in: "body", name: "b", schema: { type: "string" } };
    for (const item of [
      { parameters: [body], put: {}, post: {} },
      { put: {}, post: {}, parameters: [body] },
      { put: {}, parameters: [{ $ref: "#/parameters/B" }], post: {} },
    ]) {
      const found = operations(item, { parameters: { B: body } });
      expect(found.map(({ body: has }) => has?.media[0]?.schema)).toEqual([{ type: "string" }, { type: "string" }]);
      expect(found.flatMap(({ parameters }) => parameters)).toEqual([]);
    }
  });

  it("has answers for what the operation makes, before what all make, with their examples and headers", () => {
    const responses = {
      200: {
        description: "",
        schema: { $ref: "#/definitions/A" },
        examples: { "text/csv": "a,b" },
        headers: { "X-Rate": { type: "integer" } },
      },
      404: { $ref: "#/responses/None" },
    };
    const more = {
      produces: ["application/xml"],
      definitions: { A: { $ref: "#/definitions/B" }, B: { $ref: "#/definitions/C" }, C: { type: "object" } },
      responses: { None: { description: "", schema: { type: "string" } } },
    };
    const [ok, none] = post({ responses, produces: ["text/csv"] }, more).responses;
    expect(ok).toMatchObject({
      status: "200",
      media: [{ type: "text/csv", schema: { $ref: "#/components/schemas/A" }, examples: ["a,b"] }],
    });
    expect([...ok!.headers]).toEqual([["x-rate", { required: false, schema: { type: "integer" } }]]);
    expect(none).toMatchObject({ status: "404", media: [{ type: "application/xml", schema: { type: "string" } }] });
    const description = describeApi({ swagger: "2.0", paths: { "/a": { post: { responses } } }, ...more });
    expect(description.resolve(ok!.media[0]!.schema!)).toEqual({ type: "object" });
    expect(description.warnings).toEqual([]);
  });

  it("has servers, security schemes and lists in parameters", () => {
    const description = describeApi({
      swagger: "2.0",
      host: "example.com",
      basePath: "/v2",
      schemes: ["https", "wss"],
      paths: {
        "/a": { get: { parameters: [{ in: "query", name: "l", type: "array", items: { type: "string" }, collectionFormat: "multi" }] } },
      },
      securityDefinitions: {
        b: { type: "basic" },
        k: { type: "apiKey", name: "key", in: "query" },
        o: { type: "oauth2", flow: "application", tokenUrl: "https://t", scopes: {} },
      },
    });
    expect(description.servers).toEqual(["https://example.com/v2"]);
    expect([...description.securitySchemes.values()]).toEqual([
      { kind: "http", scheme: "basic" },
      { kind: "apiKey", name: "key", in: "query" },
      { kind: "oauth2", tokenUrl: "https://t" },
    ]);
    expect(description.document).toMatchObject({
      openapi: "3.1.0",
      paths: {
        "/a": { get: { parameters: [{ name: "l", style: "form", explode: true, schema: { type: "array", items: { type: "string" } } }] } },
      },
    });
    expect(description.document).not.toHaveProperty("swagger");
  });
});
