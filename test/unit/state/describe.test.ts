import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { differences, differingFields, hashText, loadHasher, responseHash } from "../../../src/state/index.ts";
import type { facts } from "./support.ts";
import { canonicalizer, CLOCK, stored, table, uuids } from "./support.ts";

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
    clients: { admin: { token: "hunter2 is secret" } },
  });
  expect(lines).toEqual([
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
