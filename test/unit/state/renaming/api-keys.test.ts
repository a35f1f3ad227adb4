import { createHash, randomBytes, randomUUID } from "node:crypto";
import { beforeAll, describe, expect, it } from "vitest";
import { compareExecutions, loadHasher, NO_ORIGINS, NOTHING_KNOWN, type Facts, type Knowledge } from "../../../../src/state/index.ts";
import { Canonicalizer } from "../../../../src/state/canonical/canonicalizer.ts";
import { joined } from "../../../../src/state/compare/knowledge.ts";
import { CLOCK, stored, table } from "../support.ts";

beforeAll(loadHasher);

interface Key {
  readonly id: string;
  readonly key: string;
}

type Make = () => Key;

const keyOf = (id: string, before: string, between: string, secret: string): Key => ({ id, key: `${before}${id}${between}${secret}` });
const hex = (bytes: number): string => randomBytes(bytes).toString("hex");
const base64url = (bytes: number): string => randomBytes(bytes).toString("base64url");

const KINDS: readonly (readonly [name: string, make: Make])[] = [
  ["sk_<hex>.<base64url>", () => keyOf(hex(8), "sk_", ".", base64url(24))],
  ["sk_<hex>.<hex>", () => keyOf(hex(8), "sk_", ".", hex(24))],
  ["sk_<hex>:<base64url>", () => keyOf(hex(8), "sk_", ":", base64url(24))],
  ["sk_live_<hex>_<base64url>", () => keyOf(hex(8), "sk_live_", "_", base64url(24))],
  ["sk_live_<base64url>.<base64url>", () => keyOf(base64url(9), "sk_live_", ".", base64url(24))],
  ["key-<uuid>.<base64url>", () => keyOf(randomUUID(), "key-", ".", base64url(24))],
  ["<uuid>.<base64url>", () => keyOf(randomUUID(), "", ".", base64url(24))],
  ["<hex>.<base64url>", () => keyOf(hex(8), "", ".", base64url(24))],
  ["<hex>:<base64url>", () => keyOf(hex(8), "", ":", base64url(24))],
  ["ghp_<base64url>", () => ({ id: hex(8), key: `ghp_${base64url(24)}` })],
  ["sk_<hex>.<base64>", () => keyOf(hex(8), "sk_", ".", randomBytes(24).toString("base64"))],
  ["sk_<base64>", () => ({ id: hex(8), key: `sk_${randomBytes(25).toString("base64")}` })],
];

function state(keys: readonly Key[], now: string): Facts {
  const rows = keys.map(({ id, key }) => [id, createHash("sha256").update(key).digest()] as const);
  return { ...stored(table("api_keys", "*id hash", rows)), context: { now }, clients: { default: { authorization: `Bearer ${now}` } } };
}

const OPTIONS = { clockMs: CLOCK, literals: new Set<string>(), ignore: [], symmetric: [], placeholders: [], masked: [] };
const none = stored(table("api_keys", "*id hash", []));
const window = { startMs: CLOCK, endMs: CLOCK + 5 };

function learnt(make: Make): Knowledge {
  let known = NOTHING_KNOWN;
  for (let i = 0; i < 5; i++) {
    const [a, b] = [make(), make()].map((key) => ({ facts: state([key], key.key), window }));
    const { generated, unexplained } = compareExecutions(a!, b!, { known });
    expect(unexplained).toEqual([]);
    known = joined(known, { ...NOTHING_KNOWN, generated });
  }
  return known;
}

describe.each(KINDS)("an API key of the form %s", (_, make) => {
  it("is renamed completely, and equal keys stay equal", () => {
    for (let i = 0; i < 20; i++) {
      const knowledge = learnt(make);
      const canonical = new Canonicalizer(OPTIONS, knowledge);
      canonical.root(none);
      const named = (keys: readonly Key[], now: number): { readonly name: string; readonly lines: readonly string[] } => {
        const at = { exchanges: [], startMs: CLOCK, endMs: CLOCK + 5 };
        const first = canonical.renamer.observe(state(keys.slice(0, 1), keys[0]!.key), NO_ORIGINS, { action: "create", ...at });
        const { facts } = canonical.renamer.observe(state(keys, keys[now]!.key), first.origins, { action: "rotate", ...at });
        return { name: canonical.nameOf(facts), lines: canonical.describe(facts) };
      };
      const [a, b] = [
        [make(), make()],
        [make(), make()],
      ] as const;
      expect(named(b, 1), JSON.stringify([a, b, knowledge.generated.map(({ place, after }) => [place, after])])).toEqual(named(a, 1));
      expect(named(a, 0).name).not.toBe(named(a, 1).name);
    }
  });
});

describe("an API key that carries data", () => {
  const data = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const named = (knowledge: Knowledge, key: Key, body: string): string => {
    const canonical = new Canonicalizer(OPTIONS, knowledge);
    canonical.root(none);
    const exchange = { acting: "", method: "POST", path: "/keys", body, answer: key.key };
    const step = { action: "create", exchanges: [exchange], startMs: CLOCK, endMs: CLOCK + 5 };
    return canonical.nameOf(canonical.renamer.observe(state([key], key.key), NO_ORIGINS, step).facts);
  };

  it.each([".", ":"])("that no execution changes keeps the data after %s", (separator) => {
    const make = (plan: string): Key => keyOf(hex(8), "sk_", separator, data({ plan }));
    const knowledge = learnt(() => make("gold"));
    expect(named(knowledge, make("gold"), "")).toBe(named(knowledge, make("gold"), ""));
    expect(named(knowledge, make("free"), "")).not.toBe(named(knowledge, make("gold"), ""));
  });

  it("that each execution changes is told apart by the request", () => {
    const make = (plan: string): Key => keyOf(hex(8), "sk_", ".", data({ plan, nonce: hex(8) }));
    const knowledge = learnt(() => make("gold"));
    expect(named(knowledge, make("gold"), "gold")).toBe(named(knowledge, make("gold"), "gold"));
    expect(named(knowledge, make("free"), "free")).not.toBe(named(knowledge, make("gold"), "gold"));
  });
});
