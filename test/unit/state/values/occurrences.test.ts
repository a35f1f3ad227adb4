import { describe, expect, it } from "vitest";
import type { Facts } from "../../../../src/state/canonical/facts.ts";
import { JsonText } from "../../../../src/state/values/named.ts";
import { Occurrences } from "../../../../src/state/values/occurrences.ts";
import { hashes } from "../support.ts";

const facts: Facts = {
  systems: {
    probe: { kind: "value", value: { items: [{ id: 1 }, { name: "b" }], none: [], at: undefined } },
    db: { kind: "rows", tables: [], counters: {} },
    cache: hashes([["order:1", "took", "fast"]], [["order:2", "seen", "x"]]),
  },
  context: { cart: { lines: new Map([["a", { sku: 1 }]]) }, text: new JsonText({ seen: 1 }) },
  clients: { alice: { token: "t" } },
};
/** With a key that is ignored, and so is no part of the facts. */
const entries = new Map<string, unknown>([...Object.entries({ ...facts.context, text: "{}" }), ["token", { exp: 1 }]]);
const found = (...patterns: string[]): readonly string[] =>
  new Occurrences(patterns).in(facts, entries, new Set(["cart", "text", "token"])).filter((name) => !entries.has(name));

describe("what there is in a state", () => {
  it.each([
    ["context.token", true],
    ["context.token.exp", true],
    ["context.tokn", false],
    ["context.cart.lines.a.sku", true],
    ["context.cart.lines.*.sku", true],
    ["context.cart.lines.b", false],
    ["context.text.seen", true],
    ["context.*", true],
    ["cart.lines", false],
    ["tokn", false],
    ["clients.alice.token", true],
    ["clients.bob", false],
    ["systems.probe.items[].id", true],
    ["systems.probe.items[].name", true],
    ["systems.probe.items[].price", false],
    ["systems.probe.items.id", false],
    ["systems.probe.none[]", false],
    ["systems.probe.at", true],
    ["systems.db.orders", false],
    ["systems.other", false],
    ['hash.value where {"key":"order:*","field":"took"}', true],
    ['cache.hash.value where {"field":"seen"}', true],
    ['hash.value where {"key":"order:1"}', false],
    ['hash.value where {"Key":"order:*"}', false],
    ['hash.value where {"value":"fast"}', false],
    ['db.hash.value where {"key":"order:*"}', false],
    ['hash.vale where {"key":"order:*"}', false],
  ])("answers to %s: %s", (pattern, isThere) => expect(found(pattern)).toEqual(isThere ? [pattern] : []));

  it("is all keys of the context, but those that are known", () => {
    expect(new Occurrences([]).in(facts, entries, new Set(["text"]))).toEqual(["cart", "token"]);
    expect(new Occurrences(["token", "a.b"]).in(facts, new Map([["a.b", 1]]), new Set())).toEqual(["a.b"]);
  });
});
