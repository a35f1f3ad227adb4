import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { offerClientPart, type ApiClient, type ClientPart } from "../../../../src/model/http/client.ts";
import type { Resource } from "../../../../src/model/declare/resource.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { PathTemplate, segmentsOf } from "../../../../src/rules/resources/path-template.ts";
import { pathOf } from "../../../../src/rules/requests.ts";
import { collectionPath, itemPath, ResourcePaths } from "../../../../src/rules/resources/resource-paths.ts";
import { RESOURCES } from "../../../support/scripted-step.ts";
import { codePoint } from "../../../support/code-point.ts";

describe("a path template", () => {
  it("gives back what was filled in, whatever it is", () => {
    const template = new PathTemplate("/a/{x}/b/{__proto__}");
    const value = fc.string({ unit: codePoint, minLength: 1 }).filter((text) => !/^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(value, value, (x, y) => {
        const values = new Map([
          ["x", x],
          ["__proto__", y],
        ]);
        const path = template.filled(values)!;
        expect(new URL(path, "http://host").pathname).toBe(path);
        expect(template.match(segmentsOf(path)!)).toEqual(values);
      }),
    );
  });

  it("is not filled with what is no segment", () => {
    for (const value of ["", ".", "..", "\ud800"]) expect(new PathTemplate("/{x}").filled(new Map([["x", value]]))).toBeUndefined();
    expect(new PathTemplate("/{x}").filled(new Map())).toBeUndefined();
  });

  it("keeps the slash at its end, and matches paths without it", () => {
    const template = new PathTemplate("/orders/{id}/");
    expect(template.match(segmentsOf("/orders/7")!)).toEqual(new Map([["id", "7"]]));
    expect(template.filled(new Map([["id", "7"]]))).toBe("/orders/7/");
    expect(new PathTemplate("/").filled(new Map())).toBe("/");
  });

  it("takes what is only a part of a segment for text", () => {
    expect(new PathTemplate("/{x}.json").match(["a.json"])).toBeUndefined();
  });
});

describe("the paths of resources", () => {
  const paths = new ResourcePaths("rule", RESOURCES);
  const order = paths.named("order")!;

  it("say what a path is", () => {
    expect(paths.place("/customers/")).toMatchObject({ of: "collection", kind: { resource: { name: "customer" } } });
    const place = paths.place("/customers/a%20b/orders/5");
    expect(place).toMatchObject({ of: "item", kind: { resource: { name: "order" } } });
    expect([...place!.parameters]).toEqual([
      ["customer_id", "a b"],
      ["order_id", "5"],
    ]);
    for (const path of ["/", "/orders", "/customers/1/orders/5/pay", "/customers/%ff"]) expect(paths.place(path)).toBeUndefined();
  });

  it("prefer the form with fewer parameters", () => {
    const more: readonly Resource[] = [
      ...RESOURCES,
      { name: "export", collection: "/customers/exports", item: "/customers/exports/{id}", can: {} },
    ];
    expect(new ResourcePaths("rule", more).place("/customers/exports")?.kind.resource.name).toBe("export");
  });

  it("lead to items and collections", () => {
    expect(itemPath(order, new Map([["customer_id", "1"]]), "a/b")).toBe("/customers/1/orders/a%2Fb");
    expect(collectionPath(order, ["customers", "1", "orders", "5", "pay"])).toBe("/customers/1/orders");
    expect(collectionPath(order, ["customers"])).toBeUndefined();
    expect(collectionPath(order, ["sellers", "1"])).toBeUndefined();
  });

  it.each([
    [null, "`resources` is not a list"],
    [[null], "resources[0] is not an object"],
    [[{}], "resources[0] has no name"],
    [[...RESOURCES, RESOURCES[0]], 'the resource "customer" is listed twice'],
    [[{ ...RESOURCES[0], collection: "customers" }], 'the collection of the resource "customer" is not a path that begins with /'],
    [
      [{ ...RESOURCES[0], item: "/customers" }],
      'the item of the resource "customer" is not a path that begins with / and ends with a parameter',
    ],
    [[{ ...RESOURCES[0], can: undefined }], 'the resource "customer" has no object `can` that names its operations'],
    [[{ ...RESOURCES[0], id: "id" }], '`id` of the resource "customer" is not a list of names'],
    [[RESOURCES[1]], 'the resource "order" has the parent "customer", which is not one of the resources'],
  ])("are refused where they are wrong: %j", (resources, what) => {
    expect(() => new ResourcePaths("rule", resources as never)).toThrow(
      expect.objectContaining({ code: "RULE_INVALID", exitStatus: 2, message: `rule: ${what}.` }),
    );
  });
});

describe("the path of a request", () => {
  it.each([
    ["http://host/api/v1", "http://host/api/v1/orders/5?x=1", "/orders/5"],
    ["http://host/api/v1", "http://host/api/v1", "/"],
    ["http://host/api/v1", "http://host/api/v10/orders", undefined],
    ["http://host", "http://host/orders", "/orders"],
    ["http://host", "http://other/orders", undefined],
    [undefined, "http://host/orders", undefined],
  ])("below %s of %s is %s", (base, url, path) => {
    const client = {} as ApiClient;
    offerClientPart(client, { base } as ClientPart);
    expect(pathOf(client, new ApiResponse(200, "", {}, { method: "GET", url, headers: {} }))).toBe(path);
  });
});
