import fc from "fast-check";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { scaffoldOpenapi, scaffoldRecording } from "../../../src/scaffold/index.ts";
import { batches, size } from "../../sizes.ts";
import { atEnd } from "../../support/at-end.ts";
import { mutated, mutatedBytes, tried } from "../../support/fuzz.ts";
import { problemsOfCode } from "../../support/generated-code.ts";
import { har } from "./recording/recordings.ts";
import { codePoint } from "../../support/code-point.ts";

const base = mkdtempSync(join(tmpdir(), "seqqa-fuzz-"));
atEnd(() => rmSync(base, { recursive: true, force: true }));

const order = {
  type: "object",
  required: ["customer_id", "items"],
  properties: {
    id: { type: "string", format: "uuid", readOnly: true },
    customer_id: { type: "integer", minimum: 1, maximum: 100 },
    status: { type: "string", enum: ["open", "paid"] },
    note: { type: "string", pattern: "^[a-z]{1,5}$", nullable: true, maxLength: 20 },
    items: { type: "array", minItems: 1, items: { $ref: "#/components/schemas/Item" } },
    parent: { $ref: "#/components/schemas/Order" },
  },
};
const json = (schema: unknown): object => ({ content: { "application/json": { schema } } });
const id = { name: "order_id", in: "path", required: true, schema: { type: "string" } };
const OPENAPI = {
  openapi: "3.0.3",
  info: { title: "Shop", version: "1.0" },
  servers: [{ url: "http://{host}:3000/v1", variables: { host: { default: "127.0.0.1", enum: ["127.0.0.1", "localhost"] } } }],
  security: [{ token: [] }],
  paths: {
    "/login": {
      post: {
        operationId: "login",
        security: [],
        requestBody: json({ type: "object", properties: { email: { type: "string", format: "email" }, password: { type: "string" } } }),
        responses: { 200: { description: "ok", ...json({ type: "object", properties: { token: { type: "string" } } }) } },
      },
    },
    "/orders": {
      get: {
        operationId: "listOrders",
        tags: ["orders"],
        parameters: [{ name: "limit", in: "query", schema: { type: "integer", default: 10 } }, { $ref: "#/components/parameters/Tenant" }],
        responses: { 200: { description: "ok", ...json({ type: "array", items: { $ref: "#/components/schemas/Order" } }) } },
      },
      post: {
        operationId: "createOrder",
        summary: "Creates an order",
        requestBody: { required: true, ...json({ $ref: "#/components/schemas/Order" }) },
        responses: {
          201: {
            description: "created",
            ...json({ $ref: "#/components/schemas/Order" }),
            links: { get: { operationId: "getOrder", parameters: { order_id: "$response.body#/id" } } },
          },
          "4XX": { description: "refused", ...json({ oneOf: [{ type: "object" }, { type: "string" }] }) },
        },
      },
    },
    "/orders/{order_id}": {
      parameters: [id],
      get: { operationId: "getOrder", responses: { 200: { description: "ok", ...json({ $ref: "#/components/schemas/Order" }) } } },
      put: {
        deprecated: true,
        requestBody: json({ allOf: [{ $ref: "#/components/schemas/Order" }, { type: "object", properties: { x: { type: "number" } } }] }),
        responses: { default: { description: "any" } },
      },
      delete: { responses: { 204: { description: "gone" } } },
    },
    "/orders/{order_id}/files": {
      post: {
        parameters: [id],
        requestBody: {
          content: { "multipart/form-data": { schema: { type: "object", properties: { file: { type: "string", format: "binary" } } } } },
        },
        responses: { 200: { description: "ok", headers: { Location: { schema: { type: "string" } } } } },
      },
    },
  },
  components: {
    schemas: { Order: order, Item: { type: "object", properties: { sku: { type: "string", example: "a-1" }, n: { type: "integer" } } } },
    parameters: { Tenant: { name: "x-tenant", in: "header", required: true, schema: { type: "string" }, example: "acme" } },
    securitySchemes: { token: { type: "http", scheme: "bearer" }, key: { type: "apiKey", in: "cookie", name: "sid" } },
  },
};
const SWAGGER = {
  swagger: "2.0",
  info: { title: "Pets", version: "2" },
  host: "127.0.0.1:3000",
  basePath: "/v2",
  schemes: ["http"],
  consumes: ["application/json"],
  paths: {
    "/pets": {
      post: {
        parameters: [{ in: "body", name: "pet", schema: { $ref: "#/definitions/Pet" } }],
        responses: { 201: { description: "ok", schema: { $ref: "#/definitions/Pet" } } },
      },
    },
    "/pets/{petId}": {
      get: {
        parameters: [{ in: "path", name: "petId", type: "integer", required: true }],
        responses: { 200: { description: "ok", schema: { $ref: "#/definitions/Pet" } } },
      },
      post: {
        parameters: [
          { in: "path", name: "petId", type: "integer", required: true },
          { in: "formData", name: "photo", type: "file" },
          { in: "query", name: "tags", type: "array", items: { type: "string" }, collectionFormat: "multi" },
        ],
        responses: { 200: { $ref: "#/responses/Done" } },
      },
    },
  },
  definitions: { Pet: { type: "object", discriminator: "kind", properties: { id: { type: "integer" }, kind: { type: "string" } } } },
  responses: { Done: { description: "done" } },
  securityDefinitions: { basic: { type: "basic" } },
};

const API = "http://127.0.0.1:3000/api/v1";
const HAR = har([
  {
    url: `${API}/login`,
    json: { email: "ada@example.com", password: "hush" },
    answer: { token: "abcdefgh" },
    answerHeaders: { "set-cookie": "sid=1" },
  },
  { url: `${API}/products?limit=2`, answer: { items: [{ id: 7, name: "lamp" }] }, headers: { authorization: "Bearer abcdefgh" } },
  { url: `${API}/orders`, json: { product_id: 7 }, status: 201, answer: { data: { id: "0d6fe8ff-a1f7-47ef-8512-f2f58ac5d2c0" } } },
  { url: `${API}/orders/0d6fe8ff-a1f7-47ef-8512-f2f58ac5d2c0/pay`, form: "amount=1&note=a+b" },
  { method: "DELETE", url: `${API}/orders/0d6fe8ff-a1f7-47ef-8512-f2f58ac5d2c0`, status: 204 },
  { url: "http://127.0.0.1:3000/app.js", type: "text/javascript" },
]);
const POSTMAN = {
  info: { name: "Shop API", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
  auth: { type: "bearer", bearer: [{ key: "token", value: "secret-1" }] },
  variable: [
    { key: "baseUrl", value: "http://127.0.0.1:3000/v1" },
    { key: "a", value: "{{b}}" },
    { key: "b", value: "{{a}}" },
  ],
  item: [
    {
      name: "Orders",
      item: [
        {
          name: "Create order",
          event: [{ listen: "test", script: { exec: ['pm.collectionVariables.set("orderId", json.data.id);'] } }],
          request: {
            method: "POST",
            url: { raw: "{{baseUrl}}/orders?x={{a}}", host: ["{{baseUrl}}"], path: ["orders"] },
            header: [{ key: "Content-Type", value: "application/json" }],
            body: { mode: "raw", raw: '{"amount": 3, "email": "{{$randomEmail}}"}', options: { raw: { language: "json" } } },
          },
          response: [{ name: "Created", code: 201, header: [{ key: "Location", value: "/orders/1" }], body: '{"data":{"id":"o-1"}}' }],
        },
        {
          name: "Pay",
          request: {
            method: "POST",
            url: "{{baseUrl}}/orders/{{orderId}}/pay",
            body: { mode: "urlencoded", urlencoded: [{ key: "a", value: "1" }] },
          },
        },
        { name: "Get", request: { method: "GET", url: { raw: "{{baseUrl}}/customers/:id", variable: [{ key: "id", value: "4" }] } } },
      ],
    },
    { name: "Health", request: "{{baseUrl}}/health" },
  ],
};

/** Documents as files: JSON with changes of its values, and of its bytes. */
function filesOf(valid: readonly unknown[]): fc.Arbitrary<Buffer> {
  const text = mutated(valid).map((document) => JSON.stringify(document) ?? "");
  return fc.oneof(
    { weight: 7, arbitrary: text.map((one) => Buffer.from(one)) },
    { weight: 2, arbitrary: mutatedBytes(fc.oneof(text, fc.constantFrom(...valid.map((one) => JSON.stringify(one))))) },
    { weight: 1, arbitrary: mutatedBytes(fc.string({ unit: codePoint })) },
  );
}

type Scaffold = (source: string, cwd: string) => Promise<unknown>;
const INPUTS: readonly (readonly [name: string, valid: readonly unknown[], scaffold: Scaffold])[] = [
  [
    "an OpenAPI description",
    [OPENAPI, SWAGGER],
    (source, cwd) => scaffoldOpenapi({ source, cwd, out: "qa", force: false, allowRefs: false, version: "0.6.4" }),
  ],
  ["a HAR archive", [HAR], (source, cwd) => scaffoldRecording("har", { source, cwd, out: "qa", force: false, version: "0.6.4" })],
  [
    "a Postman collection",
    [POSTMAN],
    (source, cwd) => scaffoldRecording("postman", { source, cwd, out: "qa", force: false, version: "0.6.4" }),
  ],
];

describe.each(INPUTS)("whatever stands in %s", (_name, valid, scaffold) => {
  it.each(batches(size(30, 10_000), 2500).map(({ first, count }) => [String(first), count] as const))(
    "is a folder whose code has nothing of it but texts, or one sentence that says what is wrong: cases from %s",
    { timeout: 3_600_000 },
    async (_first, count) => {
      let written = 0;
      await fc.assert(
        fc.asyncProperty(filesOf(valid), async (content) => {
          const cwd = mkdtempSync(join(base, "case-"));
          try {
            writeFileSync(join(cwd, "input.json"), content);
            if ((await tried(() => scaffold("input.json", cwd))) === undefined) return;
            written++;
            checkFolder(cwd);
          } finally {
            rmSync(cwd, { recursive: true, force: true });
          }
        }),
        { numRuns: count },
      );
      expect(written).toBeGreaterThan(count / 10);
    },
  );
});

function checkFolder(cwd: string): void {
  const files = readdirSync(cwd, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  for (const { parentPath, name } of files) {
    const path = relative(cwd, join(parentPath, name));
    expect(path).toMatch(/^(?:input\.json|qa\/(?:(?:actions|journeys)\/)?[\w.-]{1,120})$/);
    if (path === "input.json") continue;
    const text = readFileSync(join(cwd, path), "utf8");
    if (name.endsWith(".ts")) expect(problemsOfCode(text), `${path}\n${text}`).toEqual([]);
    if (name.endsWith(".yaml")) expect(Object.getPrototypeOf(parse(text))).toBe(Object.prototype);
  }
}
