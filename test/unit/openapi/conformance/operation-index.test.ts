import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OperationIndex } from "../../../../src/openapi/conformance/operation-index.ts";
import { describe as describeApi } from "../../../../src/openapi/index.ts";

function index(paths: readonly string[], more: Readonly<Record<string, unknown>> = {}, base?: string): OperationIndex {
  const description = describeApi({ openapi: "3.1.0", paths: Object.fromEntries(paths.map((path) => [path, { get: {} }])), ...more });
  return new OperationIndex(description, base);
}

describe("the operation of a request", () => {
  const found = index([
    "/orders",
    "/orders/{id}",
    "/orders/last",
    "/{kind}/{id}",
    "/{kind}/last",
    "/files/{name}.json",
    "/files/{name}",
    "/a/{x}-{y}/z",
    "/",
  ]);

  it.each([
    ["/orders", "/orders"],
    ["/orders/", "/orders"],
    ["/orders/7", "/orders/{id}"],
    ["/orders/last", "/orders/last"],
    ["/orders/last?x=/y/z#/a/b", "/orders/last"],
    ["/things/7", "/{kind}/{id}"],
    ["/things/last", "/{kind}/last"],
    ["/orders/a%2Fb", "/orders/{id}"],
    ["/orders/%6Cast", "/orders/last"],
    ["/files/a.json", "/files/{name}.json"],
    ["/files/.json", "/files/{name}"],
    ["/files/a.xml", "/files/{name}"],
    ["/a/1-2/z", "/a/{x}-{y}/z"],
    ["/a/1-/z", undefined],
    ["/", "/"],
    ["", "/"],
    ["/orders/7/lines", undefined],
    ["/orders/", "/orders"],
    ["/a/b/c/d", undefined],
    ["http://127.0.0.1:3000/orders/7", "/orders/{id}"],
    ["https://u:p@host/orders", "/orders"],
  ])("%s is of %s", (path, template) => {
    expect(found.find("GET", path)?.path).toBe(template);
  });

  it("is of its method", () => {
    expect(found.find("POST", "/orders")).toBeUndefined();
    expect(found.find("get", "/orders")?.path).toBe("/orders");
  });

  it("with and without the path of a server, whatever the host; an operation's own servers hold for it", () => {
    const servers = index(["/orders"], {
      servers: [{ url: "https://api.example.com/v2/" }, { url: "/{stage}/api", variables: { stage: { default: "test" } } }],
    });
    for (const path of ["/v2/orders", "/test/api/orders", "/orders"])
      expect(servers.find("GET", `http://localhost:1${path}`)?.path).toBe("/orders");
    expect(servers.find("GET", "/v3/orders")).toBeUndefined();
    const own = new OperationIndex(
      describeApi({
        openapi: "3.1.0",
        servers: [{ url: "/v1" }],
        paths: { "/up": { post: { servers: [{ url: "https://uploads.example.com/files" }] } } },
      }),
    );
    expect(own.find("POST", "/files/up")?.path).toBe("/up");
    expect(own.find("POST", "/v1/up")).toBeUndefined();
  });

  it("below where the target has it", () => {
    expect(index(["/orders"], {}, "/behind/").find("GET", "/behind/orders")?.path).toBe("/orders");
  });

  it("for any values without a slash", () => {
    const one = index(["/shops/{shop}/orders/{id}/"]);
    const value = fc.string({ minLength: 1, unit: "grapheme" }).map(encodeURIComponent);
    fc.assert(fc.property(value, value, (shop, id) => one.find("GET", `/shops/${shop}/orders/${id}`) !== undefined));
  });

  it("for any path at all, quickly", () => {
    const many = index([`/${"{a}-".repeat(200)}{b}`]);
    expect(many.find("GET", `/${"x-".repeat(199)}`)).toBeUndefined();
    expect(many.find("GET", `/${"x-".repeat(200_000)}x`)).toBeDefined();
    fc.assert(fc.property(fc.string(), (path) => found.find("GET", path)?.path !== ""));
  });
});
