import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ApiDescription, Schema } from "../../../src/openapi/operations/description.ts";
import { readDescription } from "../../../src/openapi/index.ts";
import { folder, withSchema } from "../../support/openapi-folder.ts";

type Json = Readonly<Record<string, unknown>>;

const read = (path: string, allowRefs = false): Promise<ApiDescription> => readDescription("api.json", { cwd: path, allowRefs });
const bodySchema = (description: ApiDescription): Schema => description.operations[0]!.responses[0]!.media[0]!.schema!;
const property = (description: ApiDescription, schema: Schema, name: string): Json =>
  description.resolve((description.resolve(schema) as { properties: Record<string, Schema> }).properties[name]!) as Json;

describe("references into other files", () => {
  it("are taken in, in JSON and YAML, next to it and below, back to it and round in circles", async () => {
    const path = folder({
      "api.json": withSchema(
        { $ref: "./schemas/node.yaml#/Node" },
        { components: { schemas: { Root: { title: "root", type: "object" } } } },
      ),
      "schemas/node.yaml":
        'Node:\n  type: object\n  properties:\n    next: { $ref: "#/Node" }\n    root: { $ref: "../api.json#/components/schemas/Root" }\n    leaf: { $ref: leaf.json }\n',
      "schemas/leaf.json": { title: "leaf", properties: { up: { $ref: "node.yaml#/Node" } } },
    });
    const description = await read(path);
    expect(description.warnings).toEqual([]);
    const node = bodySchema(description);
    expect(property(description, node, "next")).toBe(description.resolve(node));
    expect(property(description, node, "root")).toMatchObject({ title: "root" });
    const leaf = property(description, node, "leaf");
    expect(leaf).toMatchObject({ title: "leaf" });
    expect(property(description, leaf, "up")).toBe(description.resolve(node));
    expect(JSON.stringify(description.document)).not.toMatch(/"\$ref":"[^#]/);
  });

  it("are paths, parameters, bodies and answers, too, of 2.0 as well", async () => {
    const path = folder({
      "api.json": { swagger: "2.0", info: {}, paths: { "/a/{id}": { $ref: "paths.json#/~1a" } }, definitions: { T: { type: "integer" } } },
      "paths.json": {
        "/a": {
          parameters: [{ $ref: "#/id" }],
          put: {
            parameters: [{ in: "body", name: "b", required: true, schema: { $ref: "api.json#/definitions/T" } }],
            responses: { "200": { $ref: "#/ok" } },
          },
        },
        id: { in: "path", name: "id", required: true, type: "string" },
        ok: { description: "", schema: { $ref: "api.json#/definitions/T" } },
      },
    });
    const description = await read(path);
    expect(description.warnings).toEqual([]);
    const [operation] = description.operations;
    expect(operation).toMatchObject({
      method: "put",
      path: "/a/{id}",
      pointer: "/paths/~1a~1{id}/put",
      parameters: [{ name: "id", in: "path", schema: { type: "string" } }],
    });
    expect(description.resolve(operation!.body!.media[0]!.schema!)).toMatchObject({ type: "integer" });
    expect(description.resolve(operation!.responses[0]!.media[0]!.schema!)).toMatchObject({ type: "integer" });
  });

  it("are taken over into the mappings of discriminators", async () => {
    const animal = {
      oneOf: [{ $ref: "cat.json" }, { $ref: "#/Dog" }, { $ref: "./pets.json#/Cow" }],
      discriminator: { propertyName: "kind", mapping: { feline: "./cat.json", canine: "#/Dog", Cow: "Cow", bird: "not-there.json" } },
    };
    const type = (name: string): Json => ({ type: "object", properties: { kind: { type: "string" }, [name]: { type: "integer" } } });
    const path = folder({
      "api.json": withSchema({ $ref: "pets.json#/Animal" }),
      "pets.json": { Animal: animal, Dog: type("tricks"), Cow: type("milk") },
      "cat.json": type("lives"),
    });
    const description = await read(path);
    const { oneOf, discriminator } = description.resolve(bodySchema(description)) as unknown as typeof animal;
    const [cat, dog] = oneOf.map(({ $ref }) => $ref);
    expect(discriminator.mapping).toEqual({ feline: cat, canine: dog, Cow: "Cow", bird: "not-there.json" });
  });

  it("are read only where a reference may be: not in examples, defaults or extensions", async () => {
    const value = { $ref: "not-there.json" };
    const schema = {
      type: "object",
      example: value,
      default: value,
      enum: [value],
      const: value,
      "x-more": value,
      properties: { $ref: { type: "string" } },
    };
    const description = await read(folder({ "api.json": withSchema(schema, { "x-more": value }) }));
    expect(bodySchema(description)).toEqual(schema);
  });

  it("that lead nowhere within a file that is there are left out, with a warning", async () => {
    const description = await read(folder({ "api.json": withSchema({ $ref: "other.json#/no/such" }), "other.json": { a: 1 } }));
    expect(description.resolve(bodySchema(description))).toEqual({});
    expect(description.warnings.join("\n")).toContain("leads nowhere");
  });

  it("to a file that is not there are an error that says where", async () => {
    await expect(read(folder({ "api.json": withSchema({ $ref: "not-there.json" }) }))).rejects.toMatchObject({
      code: "DESCRIPTION_REF",
      exitStatus: 2,
      message:
        'api.json refers to "not-there.json" (at #/paths/~1a/get/responses/200/content/application~1json/schema), which seqqa cannot read: The file not-there.json does not exist.',
    });
  });

  it("that are names of schemas are taken for them, with a warning", async () => {
    const description = await read(
      folder({ "api.json": withSchema({ $ref: "Pet" }, { components: { schemas: { Pet: { title: "pet" } } } }) }),
    );
    expect(description.resolve(bodySchema(description))).toMatchObject({ title: "pet" });
    expect(description.warnings).toHaveLength(1);
  });
});

describe("references that are refused", () => {
  it.each([
    "file:///etc/passwd",
    "/etc/passwd",
    "../outside.json",
    "x/../../outside.json",
    "..%2Foutside.json",
    "%2e%2e/outside.json",
    "FILE:///etc/passwd#/a",
  ])("%s, which is outside the folder", async (ref) => {
    const path = folder({ "outside.json": { type: "string" }, "inside/api.json": withSchema({ $ref: ref }) });
    const refused = read(join(path, "inside"));
    await expect(refused).rejects.toMatchObject({ exitStatus: 2, code: expect.stringMatching(/^DESCRIPTION_REF/) as string });
    if (!/%2F/.test(ref))
      await expect(refused).rejects.toThrow(
        new RegExp(`"${ref.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")}".*outside its own folder.*--allow-refs`),
      );
  });

  it.each(["http://127.0.0.1:1/a.json", "https://example.invalid/a.json#/b"])("%s, which is on the network", async (ref) => {
    await expect(read(folder({ "api.json": withSchema({ $ref: ref }) }))).rejects.toMatchObject({
      code: "DESCRIPTION_REF_REFUSED",
      exitStatus: 2,
      message: expect.stringMatching(/which is at .*--allow-refs/) as string,
    });
  });

  it.each(["ftp://example.invalid/a", "data:application/json,{}", "javascript:alert(1)", "file://host/share", "//host/share", "http://"])(
    "%s, always",
    async (ref) => {
      await expect(read(folder({ "api.json": withSchema({ $ref: ref }) }), true)).rejects.toMatchObject({
        code: "DESCRIPTION_REF",
        exitStatus: 2,
      });
    },
  );

  it("symbolic links that lead out of the folder, of a file and of a folder; those within it are followed", async () => {
    const path = folder({
      "outside/o.json": { title: "out" },
      "in/api.json": withSchema({ $ref: "link.json" }),
      "in/real.json": { title: "in" },
    });
    symlinkSync(join(path, "outside/o.json"), join(path, "in/link.json"));
    await expect(read(join(path, "in"))).rejects.toMatchObject({ code: "DESCRIPTION_REF_REFUSED" });
    symlinkSync(join(path, "outside"), join(path, "in/dir"));
    writeFileSync(join(path, "in/api.json"), JSON.stringify(withSchema({ $ref: "dir/o.json" })));
    await expect(read(join(path, "in"))).rejects.toMatchObject({ code: "DESCRIPTION_REF_REFUSED" });
    symlinkSync("real.json", join(path, "in/own.json"));
    writeFileSync(join(path, "in/api.json"), JSON.stringify(withSchema({ $ref: "own.json" })));
    const description = await read(join(path, "in"));
    expect(description.resolve(bodySchema(description))).toMatchObject({ title: "in" });
  });

  it("a folder whose name only begins like its own", async () => {
    const path = folder({ "in/api.json": withSchema({ $ref: "../in2/o.json" }), "in2/o.json": { title: "out" } });
    await expect(read(join(path, "in"))).rejects.toMatchObject({ code: "DESCRIPTION_REF_REFUSED" });
  });

  it("nothing, where it was allowed", async () => {
    const path = folder({ "outside.json": { title: "out" }, "in/api.json": withSchema({ $ref: "../outside.json" }) });
    const description = await read(join(path, "in"), true);
    expect(description.resolve(bodySchema(description))).toMatchObject({ title: "out" });
  });

  it("what a file that was taken in refers to, by the folder of the description", async () => {
    const path = folder({
      "outside.json": {},
      "in/api.json": withSchema({ $ref: "deep/a.json" }),
      "in/deep/a.json": { $ref: "../b.json" },
      "in/b.json": { $ref: "../outside.json" },
    });
    await expect(read(join(path, "in"))).rejects.toThrow(/"\.\.\/outside\.json".*--allow-refs/);
    mkdirSync(join(path, "in/c.json"));
    writeFileSync(join(path, "in/b.json"), JSON.stringify({ $ref: "c.json" }));
    await expect(read(join(path, "in"))).rejects.toMatchObject({
      code: "DESCRIPTION_REF",
      message: expect.stringContaining("is a folder") as string,
    });
  });
});
