import fc from "fast-check";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { SeqqaError } from "../../../src/index.ts";
import type { ApiDescription } from "../../../src/openapi/operations/description.ts";
import { describe as describeApi, readDescription } from "../../../src/openapi/index.ts";
import { full, size } from "../../sizes.ts";
import { folder, withSchema } from "../../support/openapi-folder.ts";

const HEAD = "openapi: 3.0.0\ninfo: { title: t, version: '1' }\npaths: { /a: { get: { responses: { 200: { description: ok } } } } }\n";

const read = (content: unknown, name = "api.yaml"): Promise<ApiDescription> =>
  readDescription(name, { cwd: folder({ [name]: content }), allowRefs: false });

const refused = (code: string, message: string | RegExp): unknown =>
  expect.objectContaining({
    code,
    exitStatus: 2,
    message: typeof message === "string" ? message : (expect.stringMatching(message) as string),
  });

describe("texts that are no description", () => {
  it.each<[string, unknown, string, string | RegExp]>([
    ["nothing", "", "DESCRIPTION_SYNTAX", "api.yaml is empty."],
    ["a mark and spaces", "\uFEFF \n", "DESCRIPTION_SYNTAX", "api.yaml is empty."],
    ["a comment", "# none\n", "DESCRIPTION_SYNTAX", "api.yaml is empty."],
    ["HTML", "<!DOCTYPE html><html></html>", "DESCRIPTION_NOT_OPENAPI", /an HTML page/],
    ["XML", '<?xml version="1.0"?><application/>', "DESCRIPTION_NOT_OPENAPI", /XML/],
    ["a text", "hello", "DESCRIPTION_NOT_OPENAPI", /a single value/],
    ["a list", "[1, 2]", "DESCRIPTION_NOT_OPENAPI", /a list/],
    ["AsyncAPI", { asyncapi: "2.6.0", channels: {} }, "DESCRIPTION_NOT_OPENAPI", /AsyncAPI/],
    ["Postman", { info: { _postman_id: "x" }, item: [] }, "DESCRIPTION_NOT_OPENAPI", /Postman/],
    ["Swagger 1", { swaggerVersion: "1.2" }, "DESCRIPTION_NOT_OPENAPI", /Swagger 1/],
    ["GraphQL", { data: { __schema: {} } }, "DESCRIPTION_NOT_OPENAPI", /GraphQL/],
    ["a JSON Schema", { $schema: "x", properties: {} }, "DESCRIPTION_NOT_OPENAPI", /JSON Schema/],
    ["HAR", { log: { entries: [] } }, "DESCRIPTION_NOT_OPENAPI", /HAR/],
    ["anything", { a: 1 }, "DESCRIPTION_NOT_OPENAPI", /neither "openapi" nor "swagger"/],
    ["a version to come", { openapi: "4.0.0" }, "DESCRIPTION_NOT_OPENAPI", /version "4.0.0"/],
    ["a version that is no text", { openapi: {} }, "DESCRIPTION_NOT_OPENAPI", /neither/],
    ["no operation", { openapi: "3.1.0", paths: {} }, "DESCRIPTION_EMPTY", /has no operations/],
    ["paths that are a list", { openapi: "3.1.0", paths: [{ get: {} }] }, "DESCRIPTION_EMPTY", /has no operations/],
    ["bytes", Buffer.from([0xc3, 0x28]), "DESCRIPTION_UNREADABLE", "api.yaml is not UTF-8 text."],
    ["broken YAML", "openapi: 3.0.0\npaths:\n  /a: [1\n  b: c\n", "DESCRIPTION_SYNTAX", /^api.yaml:4:3: this is not valid YAML: /],
    ["broken JSON", '{"openapi": "3.0.0",\n "paths": {]}', "DESCRIPTION_SYNTAX", /^api.yaml:2:\d+: this is not valid JSON or YAML: /],
    ["a key that is a list", `${HEAD}? [a, b]\n: 1\n`, "DESCRIPTION_SYNTAX", /^api.yaml:4:3: /],
    [
      "an alias within itself",
      `${HEAD}x-a: &a [*a]\n`,
      "DESCRIPTION_SYNTAX",
      "api.yaml:4:10: the alias *a is inside the part that it refers to.",
    ],
    ["an alias of nothing", `${HEAD}x-a: *a\n`, "DESCRIPTION_SYNTAX", /^api.yaml:4:6: /],
    ["a merge of a text", `${HEAD}x-a: { <<: text }\n`, "DESCRIPTION_SYNTAX", /^api.yaml:4:8: a key << merges a value that is not a map/],
  ])("%s", async (_, content, code, message) => {
    await expect(read(content)).rejects.toEqual(refused(code, message));
  });

  it("a file that is not there, a folder, one that may not be read, and what is no file", async () => {
    const cwd = folder({ "sub/a.json": {}, "closed.json": {} });
    const at = (path: string): Promise<unknown> => readDescription(path, { cwd, allowRefs: false });
    await expect(at("none.json")).rejects.toEqual(refused("DESCRIPTION_NOT_FOUND", "The file none.json does not exist."));
    await expect(at("sub/a.json/b")).rejects.toEqual(refused("DESCRIPTION_NOT_FOUND", /none|does not exist/));
    await expect(at("sub")).rejects.toEqual(refused("DESCRIPTION_UNREADABLE", "sub is a folder, not a description."));
    execFileSync("mkfifo", [join(cwd, "pipe")]);
    await expect(at("pipe")).rejects.toEqual(refused("DESCRIPTION_UNREADABLE", "pipe is a special file, not a description."));
    chmodSync(join(cwd, "closed.json"), 0);
    if (process.getuid?.() !== 0) await expect(at("closed.json")).rejects.toEqual(refused("DESCRIPTION_UNREADABLE", /permission denied/));
  });
});

describe("texts that are made to exhaust", () => {
  it("aliases of aliases", async () => {
    const laughs = Array.from({ length: 30 }, (_, n) => `x-a${n + 1}: &a${n + 1} [${Array(9).fill(`*a${n}`).join(", ")}]\n`).join("");
    await expect(read(`${HEAD}x-a0: &a0 [lol]\n${laughs}`)).rejects.toEqual(refused("DESCRIPTION_TOO_LARGE", /aliases are expanded/));
  });

  it("merges of merges", async () => {
    const merges = Array.from({ length: 60 }, (_, n) => `x-a${n + 1}: &a${n + 1} { <<: [*a${n}, *a${n}], k${n}: 1 }\n`).join("");
    const description = await read(`${HEAD}x-a0: &a0 { a: 1 }\n${merges}`);
    expect(Object.keys(description.document["x-a60"] as object)).toHaveLength(61);
  });

  it("merges of large maps", async () => {
    const keys = Array.from({ length: 2000 }, (_, n) => `k${n}: 1`).join(", ");
    const merges = Array.from({ length: size(550, 1000) }, (_, n) => `x-m${n}: { <<: *a }\n`).join("");
    await expect(read(`${HEAD}x-a: &a { ${keys} }\n${merges}`)).rejects.toEqual(refused("DESCRIPTION_SYNTAX", /make the file too large/));
  });

  it.each([
    ["JSON", `{"openapi": "3.0.0", "x": ${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`],
    ["YAML", `openapi: 3.0.0\nx: ${"[".repeat(20_000)}${"]".repeat(20_000)}`],
    ["YAML keys", `openapi: 3.0.0\nx: ${"? ".repeat(20_000)}`],
    ["schemas", JSON.stringify(withSchema(JSON.parse(`${'{"items":'.repeat(400)}{}${"}".repeat(400)}`)))],
  ])("brackets without end: %s", async (_, text) => {
    await expect(read(text)).rejects.toEqual(refused("DESCRIPTION_TOO_LARGE", /levels deep/));
  });

  it("an object that is round in a circle", () => {
    const circle: Record<string, unknown> = { openapi: "3.0.0" };
    circle["x-self"] = circle;
    expect(() => describeApi(circle)).toThrow(/levels deep/);
  });

  it("more than there may be of a file", async () => {
    await expect(read(Buffer.alloc(64 * 1024 * 1024 + 1, 32))).rejects.toEqual(refused("DESCRIPTION_TOO_LARGE", /more than 64 MB/));
  });

  it("YAML of more parts than fit, which JSON may have", async () => {
    await expect(read(`${HEAD}x-a:\n${" -\n".repeat(size(1_350_000, 1_500_000))}`)).rejects.toEqual(
      refused("DESCRIPTION_TOO_LARGE", /too large to be read as YAML/),
    );
  });

  // More than ten megabytes at full size; in the quick suite, more than any stack holds.
  it("references in a row are read, however many", async () => {
    const count = size(15_000, 150_000);
    const schemas = Object.fromEntries(
      Array.from({ length: count }, (_, n) => [`schema_${n}`, { allOf: [{ $ref: `#/components/schemas/schema_${n + 1}` }] }]),
    );
    const text = JSON.stringify(
      withSchema({ $ref: "#/components/schemas/schema_0" }, { components: { schemas: { ...schemas, [`schema_${count}`]: {} } } }),
    );
    if (full) expect(text.length).toBeGreaterThan(10_000_000);
    const description = await read(text);
    expect(description.warnings).toEqual([]);
  });
});

describe("texts that are read all the same", () => {
  it("aliases that repeat parts, more often than libraries let them", async () => {
    const paths = Array.from({ length: 500 }, (_, n) => `  /p${n}: { get: { responses: *r } }\n`).join("");
    const description = await read(
      `openapi: 3.0.0\nx-r: &r { 200: { description: ok, content: { application/json: { schema: { type: string, nullable: true } } } } }\npaths:\n${paths}`,
    );
    expect(description.operations).toHaveLength(500);
    expect(description.operations[499]!.responses[0]!.media[0]!.schema).toEqual({ type: ["string", "null"] });
  });

  it("merges, with what is beside them first", async () => {
    const description = await read(`${HEAD}x-base: &base { a: 1, b: 1 }\nx-more: { <<: *base, b: 2 }\nx-plain: { "<<": *base }\n`);
    expect(description.document["x-more"]).toEqual({ b: 2, a: 1 });
    expect(description.document["x-plain"]).toEqual({ "<<": { a: 1, b: 1 } });
  });

  it("keys that are there twice: the last holds, with a warning that says where", async () => {
    const description = await read(`${HEAD}info: { title: second }\n`);
    expect(description.title).toBe("second");
    expect(description.warnings).toEqual(['The key "info" appears twice. seqqa uses the last one (api.yaml:4:1).']);
  });

  it.each<[string, unknown]>([
    ["a mark before it", `\uFEFF${HEAD}`],
    ["UTF-16", Buffer.from(`\uFEFF${HEAD}`, "utf16le")],
    ["another document behind it", `${HEAD}---\na: 1\n`],
    [
      "comments and spare commas in JSON",
      '// c\n{"openapi": "3.0.0", /* , */ "paths": {"/a": {"get": {}, }, // c\n}, "x": "// no comment, ]"}',
    ],
    ["versions without quotes", "openapi: 3.0\npaths: { /a: { get: {} } }"],
    ["numbers, dates and null as keys", `${HEAD}x-k: { 1: a, 2020-01-01: b, null: c, true: d, 1.50: e }`],
  ])("%s", async (_, content) => {
    expect((await read(content)).operations).toHaveLength(1);
  });

  it("keys of YAML as they are written", async () => {
    const { document } = await read(`${HEAD}x-k: { 1: a, 2020-01-01: b, ~: c, true: d, 1.50: e, 0x10: f }`);
    expect(Object.keys(document["x-k"] as object)).toEqual(["1", "2020-01-01", "~", "true", "1.50", "0x10"]);
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])("%s as a name changes nothing else", async (name) => {
    const schema = `{"type": "object", "properties": {${JSON.stringify(name)}: {"type": "integer", "nullable": true}}}`;
    const operation = `{"operationId": ${JSON.stringify(name)}, "tags": [${JSON.stringify(name)}], "responses": {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/${name}"}}}}}}`;
    const text = `{"openapi": "3.0.0", "paths": {"/${name}": {"get": ${operation}}}, "components": {"schemas": {${JSON.stringify(name)}: ${schema}}}, "${name}": {"polluted": true}}`;
    for (const content of [text, text.replace("{", "{ # YAML\n ")]) {
      const description = await read(content);
      const found = description.resolve(description.operations[0]!.responses[0]!.media[0]!.schema!) as { properties: object };
      expect(Object.entries(found.properties)).toEqual([[name, { type: ["integer", "null"] }]]);
      expect(Object.getPrototypeOf(found.properties)).toBe(Object.prototype);
      expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    }
  });

  it("anything of the wrong type, anywhere, is left out or an error in a sentence", () => {
    const names = [
      "get",
      "parameters",
      "responses",
      "200",
      "content",
      "application/json",
      "schema",
      "$ref",
      "properties",
      "in",
      "name",
      "body",
      "headers",
      "links",
      "items",
      "type",
      "requestBody",
      "servers",
      "url",
      "security",
      "components",
      "schemas",
      "examples",
      "tags",
    ];
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 7, depthSize: "medium" },
        fc.constantFrom<unknown>(null, 1, "", "path", "body", "formData", "#/components/schemas/a", "#/paths", "#", true, []),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...names, "a", "__proto__"), tie("value"), { maxKeys: 6 }),
      ),
    }));
    fc.assert(
      fc.property(
        fc.constantFrom({ swagger: "2.0" }, { openapi: "3.0.0" }, { openapi: "3.1.0" }),
        value,
        value,
        value,
        value,
        (version, item, other, components, info) => {
          const document = {
            ...version,
            info,
            paths: { "/a/{a}": item, "/b": other },
            components,
            definitions: components,
            parameters: other,
            responses: item,
            securityDefinitions: item,
            servers: other,
            security: item,
          };
          const before = JSON.stringify(document);
          try {
            const description = describeApi(document);
            for (const { responses, parameters, body } of description.operations) {
              for (const { schema } of [...parameters, ...(body?.media ?? []), ...responses.flatMap(({ media }) => media)])
                expect(description.resolve(schema ?? true)).not.toHaveProperty("$ref");
            }
          } catch (error) {
            if (!(error instanceof SeqqaError)) throw error;
            expect(error.code).toBe("DESCRIPTION_EMPTY");
          }
          expect(JSON.stringify(document)).toBe(before);
        },
      ),
      { numRuns: size(24, 2000) },
    );
  });
});
