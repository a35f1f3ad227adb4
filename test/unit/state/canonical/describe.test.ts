import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { size } from "../../../sizes.ts";
import {
  compareExecutions,
  differences,
  differingFields,
  hashText,
  loadHasher,
  NOTHING_KNOWN,
  responseHash,
  rowKinds,
  type Execution,
} from "../../../../src/state/index.ts";
import type { facts } from "../support.ts";
import { canonicalizer, CLOCK, stored, table, uuids } from "../support.ts";
import { codePoint } from "../../../support/code-point.ts";

beforeAll(loadHasher);

test("a state in lines", () => {
  const seeded = randomUUID();
  const order = randomUUID();
  const canonical = canonicalizer({ placeholders: [["http://127.0.0.1:4", "url"]], ignore: ["orders.seen"], masked: ["orders.code"] });
  canonical.root(stored(table("users", "*id name", [[seeded, "ann"]])));
  const lines = canonical.describe({
    systems: {
      db: {
        kind: "rows",
        counters: { orders: 1 },
        tables: [
          table("orders", "*id user status at seen code", [[order, seeded, "paid", new Date(CLOCK).toISOString(), 5, "x7"]]),
          table("gone", "*n", [], [[7]]),
        ],
      },
      model: { kind: "value", value: { list: [1, { a: "b" }], none: null } },
    },
    context: { link: `http://127.0.0.1:4/orders/${order}` },
    clients: { admin: { token: "hunter2 is secret", cookies: [{ name: "session_data", value: "hunter2", path: "/" }] } },
  });
  expect(lines).toEqual([
    'clients.admin.cookies[0].name = "session_data"',
    'clients.admin.cookies[0].path = "/"',
    expect.stringMatching(/^clients\.admin\.cookies\[0\]\.value = "<text [0-9a-f]+>"$/),
    expect.stringMatching(/^clients\.admin\.token = "<text [0-9a-f]+>"$/),
    'context.link = "{url}/orders/#1"',
    "systems.db.gone - {n: 7}",
    'systems.db.orders + {id: #1, user: root#1, status: "paid", at: <time>, code: <masked>}',
    "systems.db.orders counter = 1",
    "systems.model.list[0] = 1",
    'systems.model.list[1].a = "b"',
    "systems.model.none = null",
  ]);
});

test("differences: what is missing, then what is new, the rest counted", () => {
  expect(differences(["a", "b", "b"], ["b", "c"])).toEqual(["- a", "- b", "+ c"]);
  expect(differences(["a"], ["a"])).toEqual([]);
  expect(differences([], ["a", "b", "c"], 2)).toEqual(["+ a", "+ b", "... and 1 more"]);
});

test("fields that differ between two executions of one path, and masking them makes the executions equal", () => {
  const execution = (n: number): ReturnType<typeof facts> => {
    const [a, b] = uuids(2) as [string, string];
    return {
      systems: {
        db: {
          kind: "rows",
          counters: {},
          tables: [
            table("orders", "*id code status", [
              [a, `c, "${n}`, "new"],
              [b, `d${n}`, "paid"],
            ]),
          ],
        },
        model: { kind: "value", value: { orders: [{ pin: n, id: a }], byId: { [a]: { pin: n } }, "odd.key": n } },
      },
      context: { pin: `p${n}`, same: 1, id: b },
      clients: { "": { nonce: n } },
    };
  };
  const fields = differingFields(canonicalizer().describe(execution(1)), canonicalizer().describe(execution(2)));
  expect(fields).toEqual([
    'clients."".nonce',
    "context.pin",
    "orders.code",
    'systems.model."odd.key"',
    "systems.model.byId.*.pin",
    "systems.model.orders[].pin",
  ]);
  const masked = canonicalizer({ masked: fields });
  const [a, b] = [1, 2].map((n) => {
    const out = { lo: 0, hi: 0 };
    masked.fingerprint(execution(n), out);
    return out;
  });
  expect(a).toEqual(b);
});

describe("a table whose rows are of different kinds", () => {
  /** Hashes: two orders and a page, each with fields; `n` is drawn anew. */
  const hashes = (cells: readonly (readonly [key: string, field: string, value: string])[]): ReturnType<typeof facts> => {
    const columns = [{ name: "key", key: true, kind: true }, { name: "field", key: true, kind: true }, { name: "value" }];
    return {
      systems: { db: { kind: "rows", counters: {}, tables: [{ name: "hash", columns, added: cells, removed: [] }] } },
      context: {},
      clients: {},
    };
  };
  const shop = (n: number, status = "new", views = "3"): ReturnType<typeof facts> =>
    hashes([
      ["order:1", "code", `c${n}x`],
      ["order:1", "status", status],
      ["order:2", "code", n % 2 === 0 ? "same" : `d${n}x`],
      ["order:2", "status", "paid"],
      ["page:start", "code", views],
      [`cart:${uuids(1)[0]!}`, "code", `e${n}x`],
    ]);
  const print = (one: ReturnType<typeof facts>, masked: readonly string[], ignore: readonly string[] = []): string => {
    const out = { lo: 0, hi: 0 };
    canonicalizer({ masked, ignore }).fingerprint(one, out);
    return `${out.lo} ${out.hi}`;
  };
  const executed = (one: ReturnType<typeof facts>, ignore: readonly string[]): Execution => ({
    facts: canonicalizer({ ignore }).withoutLeftOut(one),
    window: { startMs: 0, endMs: 1 },
  });
  const found = (): readonly string[] =>
    differingFields(canonicalizer().describe(shop(1)), canonicalizer().describe(shop(2)), rowKinds(shop(1)));

  test("names what differs by the kind of its rows: numbers and ids in them do not tell kinds apart", () => {
    expect(found()).toEqual(['hash.value where {"key":"cart:*","field":"code"}', 'hash.value where {"key":"order:*","field":"code"}']);
  });

  test("loses no state but that: the same field of another key, and another field of the same key, count", () => {
    const fields = found();
    expect(print(shop(1), fields)).toBe(print(shop(7), fields));
    expect(print(shop(1), fields)).not.toBe(print(shop(1, "paid"), fields));
    expect(print(shop(1), fields)).not.toBe(print(shop(1, "new", "4"), fields));
    // Without kinds all are one.
    expect(print(shop(1), ["hash.value"])).toBe(print(shop(1, "paid", "4"), ["hash.value"]));
    const shown = canonicalizer({ masked: fields }).describe(shop(1));
    expect(shown.filter((line) => line.includes("<masked>"))).toHaveLength(3);
  });

  test.each(["", "db."])("the names can be ignored, with the prefix '%s': the same values are left out, and no other", (system) => {
    const ignore = found().map((field) => `${system}${field}`);
    expect(print(shop(1), [], ignore)).toBe(print(shop(7), [], ignore));
    expect(print(shop(1), [], ignore)).not.toBe(print(shop(1, "paid"), [], ignore));
    expect(print(shop(1), [], ignore)).not.toBe(print(shop(1, "new", "4"), [], ignore));
    const shown = canonicalizer({ ignore }).describe(shop(1));
    expect(shown.filter((line) => !line.includes("value: "))).toHaveLength(3);
    expect(compareExecutions(executed(shop(1), ignore), executed(shop(7), ignore), { known: NOTHING_KNOWN }).unexplained).toEqual([]);
  });

  test("two rows that each took the other's value are not taken for one that was renamed", () => {
    const [one, other] = [
      hashes([
        ["a", "x", "5"],
        ["b", "x", "6"],
      ]),
      hashes([
        ["a", "x", "6"],
        ["b", "x", "5"],
      ]),
    ];
    expect(differingFields(canonicalizer().describe(one), canonicalizer().describe(other), rowKinds(one))).toEqual([
      'hash.value where {"key":"a","field":"x"}',
      'hash.value where {"key":"b","field":"x"}',
    ]);
  });

  test("a pattern that a description shows is that of the row, whatever is in the key", () => {
    const key = fc.oneof(
      fc.string({ unit: codePoint, maxLength: 40 }),
      fc.constantFrom(
        "user:#1",
        "<time>",
        'a"b',
        "root#t12",
        "where {}",
        "*",
        "\u{F0000}",
        "k:2024-01-01T00:00:00Z",
        uuids(1)[0]!,
        `x:${uuids(1)[0]!}:7`,
      ),
    );
    fc.assert(
      fc.property(key, key, (name, field) => {
        const masked = differingFields(
          canonicalizer().describe(hashes([[name, field, "a"]])),
          canonicalizer().describe(hashes([[name, field, "b"]])),
          rowKinds(hashes([[name, field, "a"]])),
        );
        expect(masked).toHaveLength(1);
        expect(print(hashes([[name, field, "a"]]), masked)).toBe(print(hashes([[name, field, "b"]]), masked));
      }),
      { numRuns: size(16, 100) },
    );
  });
});

test("responses: ids by first occurrence, times and the lane's own address do not count", () => {
  const body = (port: number, status: string, swap = false): string => {
    const [a, b] = uuids(2);
    return JSON.stringify({
      id: a,
      other: b,
      again: swap ? b : a,
      url: `http://127.0.0.1:${port}/x`,
      at: new Date().toISOString(),
      status,
    });
  };
  const hash = (port: number, status: string, code = 200, swap = false): number =>
    responseHash(code, body(port, status, swap), [[`http://127.0.0.1:${port}`, "url"]]);
  expect(hash(4001, "paid")).toBe(hash(4002, "paid"));
  expect(new Set([hash(4001, "paid"), hash(4001, "new"), hash(4001, "paid", 201), hash(4001, "paid", 200, true)]).size).toBe(4);
  expect(responseHash(200, "", [])).not.toBe(responseHash(204, "", []));
});

test("hashText is xxHash64 in two halves, and lone surrogates count", () => {
  const out = { lo: 0, hi: 0 };
  hashText("", out);
  // The published value of xxHash64("", 0).
  expect([out.hi >>> 0, out.lo >>> 0]).toEqual([0xef46db37, 0x51d8e999]);
  const of = (text: string): string => {
    hashText(text, out);
    return `${out.hi} ${out.lo}`;
  };
  expect(new Set(["\ud800", "\ud801", "\ufffd"].map(of)).size).toBe(3);
});
