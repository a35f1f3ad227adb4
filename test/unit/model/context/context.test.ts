import { describe, expect, it } from "vitest";
import { Context, KeyError } from "seqqa";
import { contextPartOf } from "../../../../src/model/context/context.ts";

const METHODS = ["get", "getRequired", "has", "set", "delete", "toJSON"] as const;

describe("reading", () => {
  it("get gives undefined or the default for a key that is not set, and the value for one that is, whatever it is", () => {
    const context = new Context<Record<string, unknown>>({ zero: 0, empty: "", none: null, nothing: undefined });
    expect(context.get("missing")).toBeUndefined();
    expect(context.get("missing", { default: 5 })).toBe(5);
    for (const [key, value] of [
      ["zero", 0],
      ["empty", ""],
      ["none", null],
      ["nothing", undefined],
    ] as const) {
      expect(context.get(key, { default: "default" })).toBe(value);
      expect(context.has(key)).toBe(true);
      expect(context[key]).toBe(value);
    }
  });

  it("getRequired throws a KeyError with the documented text", () => {
    const context = new Context();
    const error = catching(() => context.getRequired("order_id"));
    expect(error).toBeInstanceOf(KeyError);
    expect(error).toMatchObject({ name: "KeyError", key: "order_id", message: "Required context key not found: order_id" });
    context.set("order_id", 7);
    expect(context.getRequired("order_id")).toBe(7);
  });

  it("an unset key read by index throws a KeyError that names it", () => {
    const context = new Context();
    const error = catching(() => context["order_id"]);
    expect(error).toBeInstanceOf(KeyError);
    expect((error as KeyError).key).toBe("order_id");
    expect((error as KeyError).message).toContain("order_id");
    for (const key of ["toString", "constructor", "__proto__", "hasOwnProperty", "valueOf"]) {
      expect(
        catching(() => context[key]),
        key,
      ).toBeInstanceOf(KeyError);
    }
  });

  it("symbols and `then` do not throw, so that a context can be awaited, printed and compared", async () => {
    const context = new Context<Record<string, unknown>>({ a: 1 });
    expect(context["then"]).toBeUndefined();
    expect((context as never)[Symbol.iterator]).toBeUndefined();
    expect((context as never)[Symbol.toPrimitive]).toBeUndefined();
    expect(await Promise.resolve(context)).toBe(context);
    context.set("then", "later");
    expect(context["then"]).toBe("later");
  });

  it("is an instance of Context", () => {
    expect(new Context()).toBeInstanceOf(Context);
    expect({}).not.toBeInstanceOf(Context);
  });
});

describe("writing", () => {
  it("by method and by index are the same", () => {
    const context = new Context();
    context["a"] = 1;
    context.set("b", 2);
    expect([context.get("a"), context["b"]]).toEqual([1, 2]);
    expect(context.delete("a")).toBe(true);
    expect(context.delete("a")).toBe(false);
    delete context["b"];
    expect(context.has("b")).toBe(false);
    expect(() => context["b"]).toThrow(KeyError);
  });

  it.each(METHODS)("%s is a method's name and cannot be a key", (name) => {
    const context = new Context() as unknown as Record<string, unknown>;
    const wanted = { name: "TypeError", message: expect.stringContaining(`"${name}"`) as string };
    expect(catching(() => (context[name] = 1))).toMatchObject(wanted);
    expect(catching(() => (context["set"] as (key: string, value: unknown) => void)(name, 1))).toMatchObject(wanted);
    expect(catching(() => new Context({ [name]: 1 }))).toMatchObject(wanted);
    expect(typeof context[name]).toBe("function");
  });

  it.each([
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["an object with a function in it", { deep: [{ call: () => 1 }] }],
    ["a promise", Promise.resolve()],
    ["a WeakMap", new WeakMap()],
  ])("%s is a TypeError that names the key, and nothing is stored", (_what, value) => {
    const context = new Context();
    for (const write of [() => context.set("held", value), () => (context["held"] = value)]) {
      expect(catching(write)).toMatchObject({ name: "TypeError", message: expect.stringContaining('"held"') as string });
    }
    expect(context.has("held")).toBe(false);
    expect(catching(() => new Context({ held: value }))).toMatchObject({ name: "TypeError" });
  });

  it("takes everything that structuredClone takes", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    const values = [new Date(5), new Map([[1, 2]]), new Set([1]), /x/, 10n, new Uint8Array([1]), circle, new Error("e"), null, undefined];
    const context = new Context();
    values.forEach((value, i) => {
      context.set(`key${i}`, value);
      expect(context.get(`key${i}`)).toBe(value);
    });
  });
});

describe("as an object", () => {
  const context = new Context({ b: 1, a: { deep: [1, 2] } });

  it("has its keys and values alone", () => {
    expect(Object.keys(context)).toEqual(["b", "a"]);
    expect(Object.entries(context)).toEqual([
      ["b", 1],
      ["a", { deep: [1, 2] }],
    ]);
    expect({ ...context }).toEqual({ b: 1, a: { deep: [1, 2] } });
    expect(context.toJSON()).toEqual({ b: 1, a: { deep: [1, 2] } });
    expect(JSON.stringify(context)).toBe('{"b":1,"a":{"deep":[1,2]}}');
    const { b, ...rest } = context;
    expect([b, rest]).toEqual([1, { a: { deep: [1, 2] } }]);
  });

  it("`in` and for-in see keys, not methods", () => {
    expect("a" in context).toBe(true);
    expect("missing" in context).toBe(false);
    expect("get" in context).toBe(false);
    const seen: string[] = [];
    for (const key in context) seen.push(key);
    expect(seen).toEqual(["b", "a"]);
    expect(Object.hasOwn(context, "a")).toBe(true);
  });

  it("Object.assign writes into it", () => {
    const target = new Context();
    Object.assign(target, { x: 1, y: 2 });
    expect(target.toJSON()).toEqual({ x: 1, y: 2 });
    expect(() => Object.assign(target, { get: 1 })).toThrow(TypeError);
  });

  it("takes a copy of the keys that it starts with", () => {
    const initial: Record<string, number> = { a: 1 };
    const own = new Context(initial);
    initial["a"] = 2;
    initial["b"] = 3;
    expect(own.toJSON()).toEqual({ a: 1 });
  });
});

describe("putting back", () => {
  it("undoes writes, deletes and changes made in place, any number of times", () => {
    const context = new Context<Record<string, unknown>>({ plain: 1, list: [1, { deep: true }] });
    const part = contextPartOf(context as never);
    const saved = part.save();
    for (let round = 0; round < 3; round++) {
      (context["list"] as unknown[]).push("more");
      ((context["list"] as unknown[])[1] as { deep: boolean }).deep = false;
      context.set("plain", 2);
      context.set("new", { a: 1 });
      if (round === 1) context.delete("list");
      part.restore(saved);
      expect(context.toJSON()).toEqual({ plain: 1, list: [1, { deep: true }] });
    }
  });

  it("what was saved is not touched by later changes in place of the restored value", () => {
    const context = new Context<{ list: number[] }>();
    const part = contextPartOf(context as never);
    context.set("list", [1]);
    const saved = part.save();
    context.getRequired("list").push(2);
    for (let round = 0; round < 2; round++) {
      part.restore(saved);
      expect(context.toJSON()).toEqual({ list: [1] });
      context.getRequired("list").push(3);
    }
  });

  it("says by its version that something was written, and by `mutable` that something may have been changed in place", () => {
    const context = new Context<Record<string, unknown>>();
    const part = contextPartOf(context as never);
    const begun = part.version;
    expect([context.has("a"), context.get("a"), part.version]).toEqual([false, undefined, begun]);
    context.set("a", 1);
    expect(part.version).toBeGreaterThan(begun);
    expect(part.mutable).toBe(false);
    context.set("a", {});
    expect(part.mutable).toBe(true);
    context.set("a", 2);
    expect(part.mutable).toBe(false);
    context.set("a", {});
    context.delete("a");
    expect(part.mutable).toBe(false);
  });
});

it("without new is an error that says so", () => {
  expect(() => (Context as unknown as () => unknown)()).toThrow(/new Context\(\)/);
});

function catching(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}
