import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Conformance, type Answer, type Verdict } from "../../../../src/openapi/conformance/conformance.ts";
import type { Limits } from "../../../../src/openapi/conformance/time-limit.ts";
import { full, size } from "../../../sizes.ts";
import { describe as describeApi } from "../../../../src/openapi/index.ts";

type Json = Readonly<Record<string, unknown>>;

function api(responses: Json, more: Json = {}, limits?: Limits): Conformance {
  return new Conformance(
    describeApi({ openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/orders/{id}": { get: { responses } } }, ...more }),
    undefined,
    limits,
  );
}

/** An operation whose answer 200 has this schema. */
function body(schema: unknown, more: Json = {}, limits?: Limits): Conformance {
  return api({ "200": { description: "", content: { "application/json": { schema } } } }, more, limits);
}

const JSON_TYPE = { "content-type": "application/json" };

function answer(
  statusCode: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = JSON_TYPE,
  url = "http://127.0.0.1:3000/orders/7",
): Answer {
  return { statusCode, headers, text: typeof value === "string" ? value : JSON.stringify(value), request: { method: "GET", url } };
}

function what(verdict: Verdict): string {
  return verdict.kind === "differs" ? verdict.what : verdict.kind;
}

const conforms = { kind: "conforms" };

describe("status", () => {
  const of = (...names: string[]): Conformance => api(Object.fromEntries(names.map((name) => [name, { description: "" }])));

  it.each([
    [200, ["200"], true],
    [201, ["200", "404"], false],
    [404, ["200", "4XX"], true],
    [404, ["4xx"], true],
    [500, ["200", "4XX"], false],
    [500, ["200", "default"], true],
  ])("%i of %j: %s", (status, names, holds) => {
    const verdict = of(...names).judge(answer(status, ""));
    expect(verdict).toMatchObject(holds ? conforms : { kind: "differs", clause: "status" });
  });

  it("by itself before its range, and its range before the default", () => {
    const one = (name: string): Json => ({ description: "", headers: { [`x-${name}`]: { required: true } } });
    const conformance = api({ default: one("default"), "4XX": one("range"), "404": one("exact") });
    const wants = (status: number): string => what(conformance.judge(answer(status, "")));
    expect(wants(404)).toBe('GET /orders/{id}, status 404: the required header "x-exact" is missing');
    expect(wants(400)).toContain("x-range");
    expect(wants(200)).toContain("x-default");
  });

  it("names what is described", () => {
    expect(what(of("200", "404").judge(answer(418, "")))).toBe("GET /orders/{id}, status 418: the status is not described (200, 404)");
  });

  it("anything, where no answer is described at all", () => {
    expect(of().judge(answer(418, "teapot"))).toMatchObject(conforms);
  });
});

describe("headers", () => {
  const conformance = api({
    "200": {
      description: "",
      headers: { "X-Total": { required: true, schema: { type: "integer" } }, "X-Note": {}, "Content-Type": { required: true } },
    },
  });

  it("that are required have to be there, whatever the case of their letters; the content type is described elsewhere", () => {
    expect(conformance.judge(answer(200, "", { "x-total": "3" }))).toMatchObject(conforms);
    expect(conformance.judge(answer(200, "", {}))).toMatchObject({ kind: "differs", clause: "headers" });
    const inherited = api({ "200": { description: "", headers: { Constructor: { required: true } } } });
    expect(inherited.judge(answer(200, "", {}))).toMatchObject({ kind: "differs", clause: "headers" });
  });
});

describe("content type", () => {
  const of = (...types: string[]): Conformance =>
    api({ "200": { description: "", content: Object.fromEntries(types.map((type) => [type, {}])) } });

  it.each([
    ["application/json", ["application/json"], true],
    ["application/JSON; charset=utf-8", ["application/json"], true],
    ["application/json", ["application/json; charset=utf-8"], true],
    ["text/html", ["application/json"], false],
    ["application/problem+json", ["application/json"], false],
    ["application/problem+json", ["application/*+json"], true],
    ["text/csv", ["text/*"], true],
    ["image/png", ["text/*", "*/*"], true],
    ["image/png", ["text/*"], false],
  ])("%s for %j: %s", (given, types, holds) => {
    const verdict = of(...types).judge(answer(200, "{}", { "content-type": given }));
    expect(verdict).toMatchObject(holds ? conforms : { kind: "differs", clause: "content_type" });
  });

  it("has to be there with a body, and a body where one is described", () => {
    expect(what(of("application/json").judge(answer(200, "{}", {})))).toContain(
      "the content type is missing (described: application/json)",
    );
    expect(what(of("application/json").judge(answer(200, "")))).toContain("the body is missing (described: application/json)");
  });

  it("of an answer that has no body by its status or method is not asked for", () => {
    const content = { "application/json": { schema: { type: "object" } } };
    expect(api({ "204": { content }, "304": { content } }).judge(answer(204, "", {}))).toMatchObject(conforms);
    const head = new Conformance(describeApi({ openapi: "3.1.0", paths: { "/a": { head: { responses: { "200": { content } } } } } }));
    expect(head.judge({ ...answer(200, "", {}, "/a"), request: { method: "HEAD", url: "/a" } })).toMatchObject(conforms);
  });

  it("may come with an empty body unless only JSON is described", () => {
    const csv = of("text/csv");
    expect(csv.judge(answer(200, "", { "content-type": "text/csv" }))).toMatchObject(conforms);
    expect(csv.judge(answer(200, "", {}))).toMatchObject(conforms);
    const both = of("text/csv", "application/json");
    expect(both.judge(answer(200, "", { "content-type": "text/csv" }))).toMatchObject(conforms);
    expect(what(both.judge(answer(200, "")))).toContain("the body is missing");
  });

  it("of 2.0 is not judged without produces, but JSON is", () => {
    const responses = { "200": { description: "", schema: { type: "object" } } };
    const old = new Conformance(describeApi({ swagger: "2.0", paths: { "/orders/{id}": { get: { responses } } } }));
    expect(old.judge(answer(200, "<a/>", { "content-type": "application/xml" }))).toMatchObject(conforms);
    expect(old.judge(answer(200, {}))).toMatchObject(conforms);
    expect(what(old.judge(answer(200, [])))).toContain("the body is not of type object");
  });

  it("decides the schema by its parameters, too; with others any of the schemas will do", () => {
    const type = (name: string): Json => ({ schema: { required: [name] } });
    const conformance = api({
      "200": { content: { "application/json; version=1": type("one"), 'application/json;charset=utf-8;Version="2"': type("two") } },
    });
    const judged = (value: unknown, parameters: string): string =>
      what(conformance.judge(answer(200, value, { "content-type": `application/json${parameters}` })));
    expect(judged({ two: 1 }, "; version=2")).toBe("conforms");
    expect(judged({ one: 1 }, "; version=2; charset=utf-8")).toContain('"two"');
    expect(judged({ two: 1 }, "")).toBe("conforms");
    expect(judged({}, "")).toContain('lacks the property "one"');
  });

  it("of which nothing is described may be any", () => {
    expect(api({ "200": { description: "" } }).judge(answer(200, "<html>", { "content-type": "text/html" }))).toMatchObject(conforms);
  });

  it("decides the schema, the narrowest first", () => {
    const type = (name: string): Json => ({ schema: { required: [name] } });
    const conformance = api({
      "200": { content: { "*/*": type("any"), "application/*": type("range"), "application/json": type("exact") } },
    });
    expect(what(conformance.judge(answer(200, {})))).toContain('lacks the property "exact"');
    expect(what(conformance.judge(answer(200, {}, { "content-type": "application/x+json" })))).toContain('"range"');
    expect(what(conformance.judge(answer(200, {}, { "content-type": "text/json" })))).toContain('"any"');
  });
});

describe("body", () => {
  const order = {
    type: "object",
    required: ["id", "lines"],
    properties: {
      id: { type: "integer", format: "int32" },
      state: { enum: ["open", "paid"] },
      at: { type: "string", format: "date-time" },
      code: { type: "string", pattern: "^[A-Z]{2}$" },
      lines: { type: "array", maxItems: 2, items: { $ref: "#/components/schemas/Line" } },
      price: { type: "number", multipleOf: 0.01, minimum: 0 },
    },
    additionalProperties: false,
  };
  const conformance = body(
    { $ref: "#/components/schemas/Order" },
    {
      components: {
        schemas: {
          Order: order,
          Line: { type: "object", properties: { of: { type: "string" }, next: { $ref: "#/components/schemas/Line" } } },
        },
      },
    },
  );
  const good = { id: 1, state: "paid", at: "2026-01-02T03:04:05Z", code: "AB", lines: [{ of: "x", next: { of: "y" } }], price: 19.99 };

  it("is valid", () => {
    expect(conformance.judge(answer(200, good))).toMatchObject(conforms);
  });

  it.each<[string, unknown, string]>([
    ["type", { ...good, id: "SECRET" }, "/id is not of type integer"],
    ["int32", { ...good, id: 2 ** 31 }, '/id does not have the format "int32"'],
    ["required", { id: 1 }, 'the body lacks the property "lines"'],
    ["enum", { ...good, state: "SECRET" }, "/state is not one of the described values"],
    ["format", { ...good, at: "SECRET" }, '/at does not have the format "date-time"'],
    ["pattern", { ...good, code: "SECRET" }, '/code does not match the pattern "^[A-Z]{2}$"'],
    ["deep, through references", { ...good, lines: [{}, { next: { next: { of: 5 } } }] }, "/lines/1/next/next/of is not of type string"],
    ["maxItems", { ...good, lines: [{}, {}, {}] }, "/lines has more than 2 items"],
    ["minimum", { ...good, price: -1 }, "/price is not >= 0"],
    ["multipleOf", { ...good, price: 0.001 }, "/price is not a multiple of 0.01"],
    ["additionalProperties", { ...good, SECRET: 1 }, "the body has a property that is not described"],
    ["no JSON", "{SECRET", "the body is not JSON"],
    ["a whole of another type", "[]", "the body is not of type object"],
  ])("breaks %s, and the finding has no value of it", (_, value, text) => {
    const verdict = conformance.judge(answer(200, value));
    expect(verdict).toMatchObject({ kind: "differs", clause: "body", what: `GET /orders/{id}, status 200: ${text}` });
    expect(what(verdict)).not.toContain("SECRET");
  });

  it("names keys of maps by no more than a star", () => {
    const map = body({ type: "object", additionalProperties: { type: "object", properties: { n: { type: "integer" } } } });
    expect(map.judge(answer(200, { SECRET: { n: 1 } }))).toMatchObject(conforms);
    expect(what(map.judge(answer(200, { SECRET: { n: "1" } })))).toBe("GET /orders/{id}, status 200: /*/n is not of type integer");
  });

  it("without a schema may be any JSON", () => {
    expect(api({ "200": { content: { "application/json": {} } } }).judge(answer(200, [1]))).toMatchObject(conforms);
  });

  it("that is not JSON is not looked into", () => {
    const text = api({ "200": { content: { "text/plain": { schema: { type: "integer" } } } } });
    expect(text.judge(answer(200, "x", { "content-type": "text/plain" }))).toMatchObject(conforms);
  });

  it("may lack what is writeOnly, also where it is required beside, and may not lack what is readOnly", () => {
    const user = {
      type: "object",
      required: ["name", "password", "pin", "id"],
      properties: {
        name: { type: "string" },
        password: { type: "string", writeOnly: true },
        pin: { $ref: "#/components/schemas/Pin" },
        id: { readOnly: true },
      },
    };
    const components = { schemas: { User: user, Pin: { type: "string", writeOnly: true } } };
    const whole = body({ $ref: "#/components/schemas/User" }, { components });
    expect(whole.judge(answer(200, { name: "n", id: 1 }))).toMatchObject(conforms);
    expect(whole.judge(answer(200, { name: "n" }))).toMatchObject({ kind: "differs", clause: "body" });
    const extended = body({ allOf: [{ $ref: "#/components/schemas/User" }, { required: ["password"] }] }, { components });
    expect(extended.judge(answer(200, { name: "n", id: 1 }))).toMatchObject(conforms);
  });

  it("may be null where it is nullable, in 3.0 with and without a type and beside a reference", () => {
    const properties = {
      a: { type: "string", nullable: true },
      b: { nullable: true, allOf: [{ $ref: "#/components/schemas/S" }] },
      c: { $ref: "#/components/schemas/S", nullable: true },
      d: { type: "string", nullable: true, enum: ["x"] },
      e: { type: "string" },
    };
    const whole = body({ type: "object", properties }, { openapi: "3.0.3", components: { schemas: { S: { type: "string" } } } });
    for (const name of ["a", "b", "c", "d"]) expect(whole.judge(answer(200, { [name]: null }))).toMatchObject(conforms);
    for (const name of ["a", "b", "c", "d", "e"]) expect(what(whole.judge(answer(200, { [name]: 1 })))).toContain(`/${name} `);
    expect(what(whole.judge(answer(200, { e: null })))).toContain("/e is not of type string");
  });

  it("may be null where 3.0 has a type, alternatives and nullable", () => {
    const shared = { $ref: "#/components/schemas/S" };
    const properties = {
      a: { type: "object", nullable: true, allOf: [shared] },
      b: { type: "object", nullable: true, oneOf: [shared] },
      c: { type: "object", nullable: true, anyOf: [shared] },
    };
    const whole = body({ type: "object", properties }, { openapi: "3.0.3", components: { schemas: { S: { type: "object" } } } });
    expect(whole.judge(answer(200, { a: null, b: null, c: null }))).toMatchObject(conforms);
    for (const name of ["a", "b", "c"]) expect(what(whole.judge(answer(200, { [name]: 1 })))).toContain(`/${name} `);
  });

  it("may have URLs of private addresses, and email addresses of domains without a dot", () => {
    const formats = body({ properties: { url: { type: "string", format: "url" }, email: { type: "string", format: "email" } } });
    for (const url of ["http://127.0.0.1:3000/a", "http://localhost/a?b=1", "http://10.0.0.1", "http://192.168.0.1/"])
      expect(formats.judge(answer(200, { url, email: "root@localhost" }))).toMatchObject(conforms);
    expect(formats.judge(answer(200, { url: "no url" }))).toMatchObject({ kind: "differs" });
    for (const email of ["root", "root@", "a b@localhost"])
      expect(formats.judge(answer(200, { email }))).toMatchObject({ kind: "differs" });
  });

  it("is any alternative where a mapping names none of them", () => {
    const oneOf = [{ $ref: "#/components/schemas/Cat" }];
    const schemas = { Cat: { type: "object", properties: { lives: { type: "integer" } } } };
    const mapped = body(
      { oneOf, discriminator: { propertyName: "kind", mapping: { cat: "https://example.com/cat" } } },
      { components: { schemas } },
    );
    expect(mapped.judge(answer(200, { kind: "cat", lives: 9 }))).toMatchObject(conforms);
    expect(mapped.judge(answer(200, { kind: "cat", lives: "nine" }))).toMatchObject({ kind: "differs" });
  });

  it("is the alternative that a discriminator names", () => {
    const schemas = {
      Cat: { type: "object", properties: { kind: { type: "string" }, lives: { type: "integer" } } },
      Dog: { type: "object", properties: { kind: { type: "string" }, tricks: { type: "array" } } },
    };
    const oneOf = [{ $ref: "#/components/schemas/Cat" }, { $ref: "#/components/schemas/Dog" }];
    const named = body({ oneOf, discriminator: { propertyName: "kind" } }, { components: { schemas } });
    // Each would fit both without it.
    expect(named.judge(answer(200, { kind: "Cat", lives: 9 }))).toMatchObject(conforms);
    expect(what(named.judge(answer(200, { kind: "Cat", lives: "nine" })))).toContain("/lives is not of type integer");
    expect(named.judge(answer(200, { kind: "Cow" }))).toMatchObject({ kind: "differs" });
    expect(named.judge(answer(200, { lives: 9 }))).toMatchObject({ kind: "differs" });
    const mapping = { feline: "#/components/schemas/Cat", canine: "Dog" };
    const mapped = body({ oneOf, discriminator: { propertyName: "kind", mapping } }, { components: { schemas } });
    expect(mapped.judge(answer(200, { kind: "canine", lives: "any" }))).toMatchObject(conforms);
    expect(mapped.judge(answer(200, { kind: "feline", lives: "any" }))).toMatchObject({ kind: "differs" });
    expect(mapped.judge(answer(200, { kind: "Cat" }))).toMatchObject({ kind: "differs" });
  });
});

describe("hostile descriptions", () => {
  const hostile = `${"a".repeat(60)}!`;
  const TOO_LONG =
    'GET /orders/{id}, status 200: matching the pattern "^(a+)+$" takes more than 0.05 seconds, so the value was not checked against it';
  /** It is enough that something is too long for a limit, whatever the limit is. `unit/rules/conforms-to` waits for the default limits. */
  const SHORT: Limits = { pattern: 50, body: 500 };

  it("a pattern that would take for ever is not waited for, and the rest is judged, then and later", () => {
    const conformance = body({ properties: { code: { type: "string", pattern: "^(a+)+$" }, n: { type: "integer" } } }, {}, SHORT);
    expect(conformance.judge(answer(200, { code: hostile }))).toMatchObject({ kind: "inconclusive", what: TOO_LONG });
    expect(what(conformance.judge(answer(200, { code: hostile, n: "x" })))).toContain("/n is not of type integer");
    expect(what(conformance.judge(answer(200, { n: "x" })))).toContain("/n is not of type integer");
    expect(conformance.judge(answer(200, { n: 1 }))).toMatchObject(conforms);
    expect(conformance.judge(answer(200, { code: hostile }))).toMatchObject({ kind: "inconclusive", what: TOO_LONG });
    // Lanes meet values in different orders, and all come to the same.
    expect(conformance.judge(answer(200, { code: "a" }))).toMatchObject(conforms);
    expect(what(conformance.judge(answer(200, { code: "b" })))).toContain("/code does not match the pattern");
  });

  it("a body that takes too long comes to the same, whatever was judged before it", () => {
    const schema = { properties: { code: { pattern: "^(a+)+$" }, codes: { items: { pattern: "^(a+)+$" } } } };
    // Takes longer than a pattern may on any machine, and is few enough for a body because it is given up.
    const some = answer(200, { code: `${"a".repeat(32)}!` });
    const short = (): Conformance => body(schema, {}, SHORT);
    // Each value takes as long as a pattern may: too much together.
    const many = answer(200, { codes: Array.from({ length: 30 }, (_, n) => `${hostile}${n}`) });
    const first = short().judge(some);
    expect(first).toMatchObject({ kind: "inconclusive", what: TOO_LONG });
    const used = short();
    expect(used.judge(many)).toMatchObject({
      kind: "inconclusive",
      what: expect.stringContaining("takes more than 0.5 seconds") as string,
    });
    expect(used.judge(some)).toEqual(first);
    expect(what(used.judge(answer(200, { code: "b" })))).toContain("/code does not match the pattern");
  }, 60_000);

  it("other patterns of the schema are still judged", () => {
    const conformance = body({ properties: { code: { pattern: "^(a+)+$" }, other: { pattern: "^b$" } } }, {}, SHORT);
    expect(conformance.judge(answer(200, { code: hostile }))).toMatchObject({ kind: "inconclusive" });
    expect(what(conformance.judge(answer(200, { other: "c" })))).toContain('/other does not match the pattern "^b$"');
  });

  it.each<Json>([
    { properties: { code: { not: { pattern: "^(a+)+$" } } } },
    { properties: { code: { oneOf: [{ pattern: "^(a+)+$" }, { type: "string" }] } } },
    { patternProperties: { "^(a+)+$": {} }, additionalProperties: false },
    { patternProperties: { "^(a+)+$": { type: "string" } } },
    { properties: { code: { if: { not: { pattern: "^(a+)+$" } }, else: { maxLength: 3 } } } },
  ])("nothing is found that hangs on such a pattern: %j", (schema) => {
    const value = "patternProperties" in schema ? { [hostile]: 1 } : { code: hostile };
    expect(body(schema, {}, SHORT).judge(answer(200, value))).toMatchObject({ kind: "inconclusive" });
  });

  it("lists in lists of a constant are not looked at twice at each level", () => {
    const deep = JSON.parse(`${"[".repeat(60)}${"]".repeat(60)}`) as unknown;
    const schema = { $ref: "#/components/schemas/Deep" };
    const conformance = body(schema, { components: { schemas: { Deep: { type: "object", properties: { a: { const: deep } } } } } });
    expect(conformance.judge(answer(200, {}))).toMatchObject(conforms);
    expect(conformance.judge(answer(200, []))).toMatchObject({ kind: "differs" });
  });

  it("alternatives of alternatives are not followed for ever", () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => {
        const next = { $ref: `#/components/schemas/S${n + 1}` };
        return [`S${n}`, { anyOf: [{ allOf: [next, { type: "string" }] }, { allOf: [next, { type: "integer" }] }] }];
      }),
    );
    const conformance = body(
      { $ref: "#/components/schemas/S0" },
      { components: { schemas: { ...schemas, S60: {} } } },
      full ? undefined : SHORT,
    );
    const inconclusive = {
      kind: "inconclusive",
      what: `GET /orders/{id}, status 200: checking the body takes more than ${size(0.5, 3)} seconds, or its schema refers to itself without end`,
    };
    for (let times = size(1, 2); times > 0; times--) expect(conformance.judge(answer(200, {}))).toMatchObject(inconclusive);
  });

  it.each<[string, Json]>([
    ["to itself", { A: { $ref: "#/components/schemas/A" } }],
    ["to each other", { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } }],
    ["nowhere", { A: { $ref: "#/components/schemas/Nothing" } }],
    ["out", { A: { $ref: "file:///etc/passwd" } }],
  ])("a reference that leads %s says nothing", (_, schemas) => {
    expect(body({ $ref: "#/components/schemas/A" }, { components: { schemas } }).judge(answer(200, { a: 1 }))).toMatchObject(conforms);
  });

  it("a reference that leads to itself within allOf is not judged, and that is said", () => {
    const schemas = { A: { allOf: [{ $ref: "#/components/schemas/A" }] } };
    const verdict = body({ $ref: "#/components/schemas/A" }, { components: { schemas } }).judge(answer(200, { a: 1 }));
    expect(verdict).toMatchObject({ kind: "inconclusive" });
  });

  it.each(["__proto__", "constructor", "toString", "a/b~c", '"]; process.exit(1); //', "*/"])("a property called %j is a name", (name) => {
    const properties = JSON.parse(`{${JSON.stringify(name)}: {"type": "integer"}}`) as Json;
    const conformance = body({ type: "object", properties, required: [name] });
    const value = (text: string): string => `{${JSON.stringify(name)}: ${text}}`;
    expect(conformance.judge(answer(200, value("1")))).toMatchObject(conforms);
    if (name !== "__proto__") expect(conformance.judge(answer(200, value('"x"')))).toMatchObject({ kind: "differs" });
    expect(({} as Json)["type"]).toBeUndefined();
  });

  it("any schema, and any body, gives a verdict", () => {
    const keyword = fc.constantFrom(
      "type",
      "properties",
      "required",
      "items",
      "allOf",
      "enum",
      "pattern",
      "$ref",
      "minimum",
      "discriminator",
      "oneOf",
      "nullable",
      "format",
      "not",
    );
    const { schema } = fc.letrec((tie) => ({
      schema: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<unknown>(true, "object", "string", 1, null, "^a", "#/components/schemas/A"),
        tie("object"),
        fc.array(tie("schema"), { maxLength: 3 }),
      ),
      object: fc.dictionary(fc.oneof(keyword, fc.constantFrom("a", "__proto__")), tie("schema"), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(schema, schema, fc.jsonValue(), (one, other, value) => {
        const verdict = body(one, { components: { schemas: { A: other } } }).judge(answer(200, { a: value }));
        expect(["conforms", "differs", "inconclusive"]).toContain(verdict.kind);
      }),
      { numRuns: size(12, 800) },
    );
  });
});

describe("401 where credentials are asked for", () => {
  const of = (security: unknown, names = ["200"]): Verdict => {
    const responses = Object.fromEntries(names.map((name) => [name, { description: "" }]));
    const operation = { responses, ...(security !== undefined && { security }) };
    const document = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: { "/orders/{id}": { get: operation } } };
    return new Conformance(describeApi({ ...document, security: [{ key: [] }] })).judge(answer(401, "no"));
  };

  it("is described, by the operation's security or the document's", () => {
    expect(of([{ key: [] }])).toMatchObject(conforms);
    expect(of(undefined)).toMatchObject(conforms);
  });

  it("is not, where none are needed", () => {
    expect(of([])).toMatchObject({ kind: "differs", clause: "status" });
    expect(of([{ key: [] }, {}])).toMatchObject({ kind: "differs", clause: "status" });
  });

  it("is judged where it is described", () => {
    const conformance = api(
      { "401": { description: "", content: { "application/json": { schema: { type: "object" } } } } },
      { security: [{ key: [] }] },
    );
    expect(conformance.judge(answer(401, "[]"))).toMatchObject({ kind: "differs", clause: "body" });
  });
});

describe("the cause of a difference", () => {
  const order = {
    type: "object",
    required: ["id"],
    properties: { id: { type: "integer" }, lines: { type: "array", items: { $ref: "#/components/schemas/Line" } } },
  };
  const line = { type: "object", properties: { id: { type: "integer" }, price: { type: "number" } } };
  const ok = (schema: unknown): unknown => ({ "200": { description: "", content: { "application/json": { schema } } } });
  const conformance = new Conformance(
    describeApi({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      paths: {
        "/orders": { get: { responses: ok({ type: "array", items: { $ref: "#/components/schemas/Order" } }) } },
        "/orders/{id}": { get: { responses: ok({ $ref: "#/components/schemas/Order" }) } },
        "/own": { get: { responses: ok(order) } },
        "/other": { get: { responses: ok({ type: "object", properties: { id: { type: "integer" } } }) } },
      },
      components: { schemas: { Order: order, Line: line } },
    }),
  );
  const causeOf = (path: string, statusCode: number, value: unknown, headers = JSON_TYPE): string | undefined => {
    const verdict = conformance.judge(answer(statusCode, value, headers, path));
    return verdict.kind === "differs" ? verdict.cause : verdict.kind;
  };

  it("is the rule of a shared schema, wherever in an answer it is broken", () => {
    const cause = causeOf("/orders", 200, [{ id: "x" }]);
    expect(cause).toBe("#/components/schemas/Order, id is not of type integer");
    expect(causeOf("/orders/7", 200, { id: "x" })).toBe(cause);
    // Another field, another rule, another schema.
    expect(causeOf("/orders/7", 200, {})).toBe('#/components/schemas/Order lacks the property \\"id\\"');
    expect(causeOf("/orders/7", 200, { id: 1, lines: [{ id: "x" }] })).toBe("#/components/schemas/Line, id is not of type integer");
    expect(causeOf("/orders/7", 200, { id: 1, lines: [{ price: "x" }] })).toBe("#/components/schemas/Line, price is not of type number");
  });

  it("is not known for a schema of one operation alone", () => {
    expect(causeOf("/own", 200, { id: "x" })).toBeUndefined();
    expect(causeOf("/other", 200, { id: "x" })).toBeUndefined();
    // A part of it can be shared.
    expect(causeOf("/own", 200, { id: 1, lines: [{ id: "x" }] })).toBe("#/components/schemas/Line, id is not of type integer");
  });

  it("is the form of a refusal, which one handler makes, and not that of a success", () => {
    expect(causeOf("/own", 500, "")).toBe("status 500: the status is not described");
    expect(causeOf("/other", 500, "")).toBe("status 500: the status is not described");
    expect(causeOf("/other", 503, "")).toBe("status 503: the status is not described");
    expect(causeOf("/own", 201, "")).toBeUndefined();
    expect(causeOf("/own", 200, "")).toBeUndefined();
  });

  it("is a content type that is wrong everywhere", () => {
    expect(causeOf("/own", 200, "<p>", { "content-type": "text/html" })).toBe(
      'the content type "text/html" is not described (application/json)',
    );
  });
});
