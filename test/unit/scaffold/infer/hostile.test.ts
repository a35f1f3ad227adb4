import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ApiDescription, HttpMethod, Operation, Parameter, Schema } from "../../../../src/openapi/operations/description.ts";
import { planScaffold } from "../../../../src/scaffold/infer/index.ts";
import { size } from "../../../sizes.ts";
import { expectSound } from "../../../support/plan-invariants.ts";

const NAMES = [
  '"; process.exit(1); "',
  "*/",
  "__proto__",
  "constructor",
  "get",
  "set",
  "data",
  "class",
  "",
  "日本語",
  "Ünïcode",
  "con",
  "x".repeat(300),
  "x".repeat(301),
  "1st",
  "order",
  "orders",
  "id",
  "order_id",
  "orderId",
  "user",
  "users",
  "userId",
  "../../etc/passwd",
  "${x}",
  "`",
];

const name = fc.oneof(fc.constantFrom(...NAMES), fc.string({ maxLength: 12, unit: "grapheme" }));

const schema: fc.Arbitrary<Schema> = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom<Schema[]>(true, false, {}, { type: "string" }, { type: "integer" }, { type: "string", format: "uuid", readOnly: true }),
    fc.constantFrom<Schema[]>(
      { $ref: "#/a" },
      { $ref: "#/b" },
      { $ref: "#/nowhere" },
      { type: "string", pattern: "(a+)+$" },
      { enum: ["*/", null, 3] },
    ),
    fc.record(
      { type: fc.constant("array"), items: tie("schema"), minItems: fc.nat(100), uniqueItems: fc.boolean() },
      { requiredKeys: ["type"] },
    ),
    fc.record(
      {
        type: fc.constant("object"),
        properties: fc.dictionary(name, tie("schema"), { maxKeys: 4 }),
        required: fc.array(name, { maxLength: 2 }),
      },
      { requiredKeys: ["type"] },
    ),
    fc.record({ allOf: fc.array(tie("schema"), { maxLength: 3 }) }),
    fc.record({ oneOf: fc.array(tie("schema"), { maxLength: 3 }), discriminator: fc.anything() }),
    fc.dictionary(
      fc.constantFrom("type", "properties", "items", "enum", "minLength", "minimum", "pattern", "required", "$ref"),
      fc.anything(),
    ),
  ),
})).schema;

const parameter = (names: readonly string[]): fc.Arbitrary<Parameter[]> =>
  fc
    .tuple(
      fc.array(schema, { minLength: names.length, maxLength: names.length }),
      fc.uniqueArray(fc.tuple(name, fc.constantFrom("query", "header", "cookie" as const), schema, fc.boolean()), {
        maxLength: 2,
        selector: ([one, where]) => `${where} ${one}`,
      }),
    )
    .map(([schemas, others]) => [
      ...names.map((one, at): Parameter => ({
        name: one,
        in: "path",
        required: true,
        schema: schemas[at]!,
        style: "simple",
        explode: false,
        examples: [],
        description: undefined,
      })),
      ...others.map(([one, where, other, required]): Parameter => ({
        name: one,
        in: where,
        required,
        schema: other,
        style: "deepObject",
        explode: true,
        examples: [],
        description: undefined,
      })),
    ]);

const plain = name.map((one) => one.replace(/[{}/]/g, "_"));
const path = fc.array(
  fc.oneof(
    plain,
    plain.map((one) => `{${one}}`),
    fc.constantFrom("orders", "{order_id}", "users", "{id}"),
  ),
  { maxLength: 5 },
);

const operation: fc.Arbitrary<Operation> = fc
  .tuple(
    path,
    fc.constantFrom<HttpMethod[]>("get", "post", "put", "patch", "delete"),
    fc.option(name, { nil: undefined }),
    fc.array(name, { maxLength: 2 }),
  )
  .chain(([parts, method, id, tags]) => {
    const names = [...new Set(parts.flatMap((part) => (/^\{(.*)\}$/s.exec(part) ?? []).slice(1)))];
    const media = fc.record({
      type: fc.constantFrom("application/json", "text/plain", "image/png"),
      schema: fc.option(schema, { nil: undefined }),
      examples: fc.array(fc.jsonValue(), { maxLength: 1 }),
    });
    const link = fc.record({
      name,
      operationId: fc.option(name, { nil: undefined }),
      operationRef: fc.constant(undefined),
      parameters: fc
        .uniqueArray(fc.tuple(name, fc.constantFrom("$response.body#/id", "$request.path.id", "constant", 7)), { selector: ([one]) => one })
        .map((all) => new Map<string, unknown>(all)),
    });
    return fc.record<Operation>({
      method: fc.constant(method),
      path: fc.constant(`/${parts.join("/")}`),
      id: fc.constant(id),
      tags: fc.constant(tags),
      summary: fc.constant(undefined),
      description: fc.constant(undefined),
      deprecated: fc.constant(false),
      parameters: parameter(names),
      body: fc.option(fc.record({ required: fc.boolean(), media: fc.array(media, { maxLength: 2 }) }), { nil: undefined }),
      responses: fc.array(
        fc.record({
          status: fc.constantFrom("200", "201", "2XX", "default", "409"),
          media: fc.array(media, { maxLength: 1 }),
          headers: fc.constantFrom(new Map(), new Map([["location", { required: false, schema: true as Schema }]])),
          links: fc.array(link, { maxLength: 1 }),
        }),
        { maxLength: 2 },
      ),
      security: fc.constantFrom([], [[{ scheme: "__proto__", scopes: [] }]]),
      pointer: fc.constant(""),
    });
  });

const description: fc.Arbitrary<ApiDescription> = fc
  .tuple(fc.uniqueArray(operation, { maxLength: 12, selector: ({ method, path }) => `${method} ${path}` }), fc.tuple(schema, schema))
  .map(([operations, [a, b]]) => ({
    title: "",
    version: "",
    specification: "3.1.0",
    servers: ["/relative", "javascript:alert(1)"],
    operations,
    securitySchemes: new Map(),
    warnings: [],
    document: { a, b },
    resolve: (one: Schema): Schema => {
      let current = one;
      for (let count = 0; typeof current === "object" && typeof current["$ref"] === "string"; count++) {
        if (count > 5) return true;
        current = current["$ref"] === "#/a" ? a : current["$ref"] === "#/b" ? b : true;
      }
      return current;
    },
  }));

describe("hostile descriptions", () => {
  it("give sound plans, the same each time", () => {
    fc.assert(
      fc.property(description, (one) => {
        const plan = planScaffold(one);
        expectSound(plan);
        expect(planScaffold(one)).toEqual(plan);
      }),
      { numRuns: size(4, 5000) },
    );
  });

  it("an operation more at the end renames none, but for what it says of the others", () => {
    fc.assert(
      fc.property(description, (one) => {
        const names = (count: number): Map<string, string> =>
          new Map(
            planScaffold({ ...one, operations: one.operations.slice(0, count) }).actions.map((action) => [
              `${action.operation.method} ${action.operation.path}`,
              action.name,
            ]),
          );
        const all = names(one.operations.length);
        for (const [place, before] of names(one.operations.length - 1)) if (all.has(place)) expect(all.get(place)).toBe(before);
      }),
      { numRuns: size(5, 1000) },
    );
  });
});
