import { isAbsolute } from "node:path";
import { describe, expect, it } from "vitest";
import { storePart } from "../../../src/config/index.ts";
import { lackOfAdapter, storeModuleOf } from "../../../src/model/stores/store-module.ts";
import { failure, load } from "./files.ts";

const store = (more: string): string => `target: { command: node a.js }\nsystems:\n  search: { ${more} }\n`;

describe("systems.<name>.adapter", () => {
  it("lets the URL have any scheme, and passes options on as they are", () => {
    const { search } = load(
      store('adapter: "@my/search", url: "http://127.0.0.1:9200/shop_test/", options: { deep: [1, { a: b }] }'),
    ).systems;
    expect(search).toMatchObject({
      kind: undefined,
      adapter: "@my/search",
      url: "http://127.0.0.1:9200/shop_test/",
      options: { deep: [1, { a: "b" }] },
    });
    expect(["host", "port", "database"].map((part) => storePart(search!.url, part as "host"))).toEqual(["127.0.0.1", "9200", "shop_test/"]);
    expect(storePart("kv://127.0.0.1/test", "port")).toBeUndefined();
  });

  it("is a path that is resolved, or a package that is not", () => {
    const adapterOf = (adapter: string): string =>
      load(store(`adapter: ${adapter}, url: "kv://127.0.0.1/test"`)).systems["search"]!.adapter!;
    expect(isAbsolute(adapterOf("./my-store.ts"))).toBe(true);
    expect(adapterOf("my-store")).toBe("my-store");
  });

  it.each([
    ['url: "kv://127.0.0.1/test"', "CONFIG_RANGE", /systems\.search\.url is .*; it must be a URL that starts with sqlite:/],
    ['adapter: kv, url: "no url"', "CONFIG_RANGE", /systems\.search\.url is .*; it must be a URL\.$/],
    ['adapter: kv, url: "http://[1/x"', "CONFIG_RANGE", /it must be a URL\.$/],
    [
      'adapter: "a b", url: "kv://127.0.0.1/test"',
      "CONFIG_RANGE",
      /it must be the name of a package, or a path such as \.\/my-store\.ts\.$/,
    ],
    ["adapter: kv", "CONFIG_COMBINATION", /systems\.search\.url is missing\.$/],
    ['url: "sqlite:./a.db", options: { a: 1 }', "CONFIG_COMBINATION", /systems\.search\.options is set without/],
    ['adapter: kv, url: "kv://127.0.0.1/shop"', "STORE_NOT_ALLOWED", /systems\.search is the store "shop", which seqqa would use in place/],
    ['adapter: kv, url: "kv://127.0.0.1:7000"', "STORE_NOT_ALLOWED", /systems\.search is the store "127\.0\.0\.1:7000"/],
  ])("{ %s } is %s", (more, code, message) => {
    expect(failure(store(more))).toMatchObject({ code, exitStatus: 2, message: expect.stringMatching(message) as unknown });
  });

  it("is permitted to write to a store that the user names", () => {
    const config = load(store('adapter: kv, url: "kv://127.0.0.1:7000"'), { allowedStores: ["127.0.0.1:7000"] });
    expect(config.systems["search"]!.adapter).toBe("kv");
  });
});

describe("report.formats", () => {
  it("takes names and paths", () => {
    const { formats } = load("report: { formats: [JSON, ./mine.ts] }").report;
    expect(formats[0]).toBe("json");
    expect(formats[1]).toMatch(/^\/.*\/mine\.ts$/);
  });

  it("names what there is", () => {
    expect(failure("report: { formats: [htlm] }")).toMatchObject({
      code: "CONFIG_RANGE",
      message: expect.stringMatching(/it must be html, json, junit.* or a path such as \.\/mine\.ts\.$/) as unknown,
      hint: "Did you mean html?",
    });
  });
});

it("a store module is a function, or an object with open, and an adapter has its methods", () => {
  const open = (): never => {
    throw new Error("not called");
  };
  expect(storeModuleOf(open)?.open).toBe(open);
  expect(storeModuleOf({ open, stores: {} })?.open).toBe(open);
  expect([storeModuleOf(undefined), storeModuleOf(null), storeModuleOf({}), storeModuleOf("x")]).toEqual(Array(4).fill(undefined));
  expect(lackOfAdapter(null)).toBe("is null, not an object");
  expect(lackOfAdapter({ name: "x", open })).toBe("lacks root(), mark(), changed(), restore(), observe(), dump(), close(), traits");
});
