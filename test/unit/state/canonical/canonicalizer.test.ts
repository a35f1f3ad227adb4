import { createHash, randomBytes, randomUUID } from "node:crypto";
import { inspect } from "node:util";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { size } from "../../../sizes.ts";
import { loadHasher, opaqueTokens, rowsEntry, type Canonicalizer } from "../../../../src/state/index.ts";
import type { Facts } from "../../../../src/state/canonical/facts.ts";
import { canonicalizer, CLOCK, facts, permutations, print, stored, table, uuids, valued, type Rows } from "../support.ts";

beforeAll(loadHasher);

let draws = 0;
/** Like random bytes, but the same in every run: one token in a thousand is missed by chance. */
const drawn = (bytes: number): Buffer => createHash("sha512").update(String(draws++)).digest().subarray(0, bytes);

const iso = (ms: number): string => new Date(ms).toISOString();

/** A UUIDv7 whose time is `age` ms before the clock. */
function uuid7(age: number): string {
  const time = (CLOCK - age).toString(16).padStart(12, "0");
  const rest = randomBytes(10).toString("hex");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${rest.slice(0, 3)}-a${rest.slice(3, 6)}-${rest.slice(6, 18)}`;
}

describe("ids drawn at random", () => {
  test.each([4, 5])("%i commuting creates give 2^N states", (count) => {
    const canonical = canonicalizer();
    const seen = new Set<string>();
    for (const order of permutations(Array.from({ length: count }, (_, k) => k))) {
      const rows: string[][] = [];
      seen.add(print(canonical, stored()));
      for (const k of order) {
        rows.push([randomUUID(), `name ${k}`]);
        seen.add(print(canonical, stored(table("orders", "*id name", rows))));
      }
    }
    expect(seen.size).toBe(2 ** count);
  });

  test("identical creates differ only in number", () => {
    const canonical = canonicalizer();
    const seen = new Set<string>();
    for (let count = 0; count <= 6; count++) {
      for (let time = 0; time < 10; time++)
        seen.add(
          print(
            canonical,
            stored(
              table(
                "orders",
                "*id n",
                uuids(count).map((id) => [id, 1]),
              ),
            ),
          ),
        );
    }
    expect(seen.size).toBe(7);
  });

  test("the same id in rows, context, clients and longer strings keeps its identity", () => {
    const canonical = canonicalizer();
    const state = (pick: number): string => {
      const [a, b] = uuids(2) as [string, string];
      return print(canonical, {
        systems: {
          db: {
            kind: "rows",
            counters: {},
            tables: [
              table("orders", "*id status", [
                [a, "paid"],
                [b, "new"],
              ]),
            ],
          },
        },
        context: { next: `/orders/${[a, b][pick]}/items?x=1`, json: JSON.stringify({ id: [a, b][pick] }) },
        clients: { "": { token: [a, b][pick] } },
      });
    };
    expect(state(0)).toBe(state(0));
    expect(state(0)).not.toBe(state(1));
  });

  test("spelling: capitals, no dashes and bytes are the same id, written otherwise", () => {
    const canonical = canonicalizer();
    const state = (write: (id: string) => unknown, other = false): string => {
      const id = randomUUID();
      return print(canonical, valued([id, write(other ? randomUUID() : id)]));
    };
    const spellings = [
      (id: string) => id.toUpperCase(),
      (id: string) => id.replaceAll("-", ""),
      (id: string) => Buffer.from(id.replaceAll("-", ""), "hex"),
    ];
    for (const write of spellings) {
      expect(state(write)).toBe(state(write));
      expect(state(write)).not.toBe(state(write, true));
      expect(state(write)).not.toBe(state((id) => id));
    }
  });

  test.each([
    ["hex of 16 bytes", () => drawn(16).toString("hex")],
    ["hex of 32 bytes", () => drawn(32).toString("hex")],
    ["base64url", () => drawn(32).toString("base64url")],
    ["base64", () => drawn(33).toString("base64").replace(/^./, "+")],
    ["with a prefix", () => `sess_${drawn(16).toString("hex")}`],
    ["in a header", () => `Bearer ${drawn(32).toString("hex")}`],
  ])("random tokens are renamed: %s", (_, draw) => {
    const canonical = canonicalizer();
    expect(print(canonical, valued(draw()))).toBe(print(canonical, valued(draw())));
  });

  test.each([
    ["PaymentIntentSucceeded", "PaymentIntentCancelled"],
    ["my-long-product-name-2024", "my-long-product-name-2025"],
    ["4242424242424242", "4000056655665556"],
    ["00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"],
    ["waiting_for_confirmation", "waiting_for_confirmations"],
    ["SKU-2024-ABCD-1234", "SKU-2024-ABCD-1235"],
    ["deadbeefdeadbeef", "cafebabecafebabe"],
    ["https://example.org/some/long/path/to/things", "https://example.org/some/long/path/to/thongs"],
    ["6ba7b810-9dad-31d1-80b4-00c04fd430c8", "6ba7b811-9dad-51d1-80b4-00c04fd430c8"],
  ])("what people write is not renamed: %s", (a, b) => {
    const canonical = canonicalizer();
    expect(print(canonical, valued(a))).not.toBe(print(canonical, valued(b)));
  });

  test("a signed token is read: two users differ, two tokens of one user do not", () => {
    const canonical = canonicalizer();
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = (sub: string, iat: number): string =>
      `Bearer ${part({ alg: "HS256" })}.${part({ sub, iat, exp: iat + 1e6 })}.${randomBytes(32).toString("base64url")}`;
    expect(print(canonical, valued(token("alice", 1)))).toBe(print(canonical, valued(token("alice", 2))));
    expect(print(canonical, valued(token("alice", 1)))).not.toBe(print(canonical, valued(token("bob", 1))));
  });

  test("maps, sets and objects keyed by ids are sets of entries", () => {
    const canonical = canonicalizer();
    const shapes: ((entries: [string, unknown][]) => unknown)[] = [
      (e) => Object.fromEntries(e),
      (e) => new Map(e),
      (e) => new Set(e.map(([k, v]) => [k, v])),
    ];
    for (const shape of shapes) {
      const build = (statuses: string[], pick: number): unknown => {
        const entries = uuids(statuses.length).map((id, k): [string, unknown] => [id, { id, status: statuses[k], tags: new Set([id]) }]);
        return { orders: shape(entries), picked: entries[pick]![0] };
      };
      expect(print(canonical, valued(build(["a", "b", "b"], 0)))).toBe(print(canonical, valued(build(["b", "b", "a"], 2))));
      expect(print(canonical, valued(build(["a", "b", "b"], 0)))).not.toBe(print(canonical, valued(build(["a", "b", "b"], 1))));
      expect(print(canonical, valued(build(["a", "b"], 0)))).not.toBe(print(canonical, valued(build(["a", "a"], 0))));
    }
  });
});

describe("constants", () => {
  test("orders of two seeded users are different states, and lanes that seeded other ids agree", () => {
    const lane = (): string[] => {
      const [a, b, c] = uuids(3) as [string, string, string];
      const canonical = canonicalizer();
      const users: Rows = [
        [a, "ann", 7],
        [b, "bob", 7],
        [c, "cyd", 7],
      ];
      const root = canonical.root(
        stored(
          table(
            "users",
            "*id name age",
            users.toSorted(() => Math.random() - 0.5),
          ),
        ),
      );
      const order = (user: string): string => print(canonical, stored(table("orders", "*id user>users.id", [[randomUUID(), user]])));
      return [`${root.lo} ${root.hi}`, order(a), order(b), order(c), print(canonical, facts({ context: { me: b } }))];
    };
    const first = lane();
    expect(new Set(first).size).toBe(5);
    expect(lane()).toEqual(first);
  });

  test("roots that differ have different fingerprints", () => {
    const root = (name: string): number => canonicalizer().root(stored(table("users", "*id name", [[randomUUID(), name]]))).lo;
    expect(root("ann")).toBe(root("ann"));
    expect(root("ann")).not.toBe(root("bob"));
  });

  test("roots that differ only in a value that is left out are equal, but no state is copied between their lanes", () => {
    const root = (seen: number, options: object): readonly [number, string] => {
      const canonical = canonicalizer({ byAppearance: false, ...options });
      const { lo } = canonical.root(stored(table("users", "*id name seen", [["1", "ann", seen]])));
      return [lo, canonical.renamer.rootValues];
    };
    for (const options of [{ ignore: ["users.seen"] }, { masked: ["users.seen"] }]) {
      const [one, other, same] = [root(1, options), root(2, options), root(1, options)];
      expect(other[0]).toBe(one[0]);
      expect(other[1]).not.toBe(one[1]);
      expect(same).toEqual(one);
    }
    expect(root(1, {})[1]).toBe(root(2, {})[1]);
  });

  test("roots that differ only in when they were made are equal, and it is known that their rows differ", () => {
    const root = (madeMs: number): readonly unknown[] => {
      const canonical = canonicalizer({ byAppearance: false });
      const { lo } = canonical.root(stored(table("users", "*id made", [["1", madeMs]])));
      return [lo, canonical.renamer.rootValues, canonical.renamer.rootStores];
    };
    const now = CLOCK;
    const [one, other] = [root(now - 5_000), root(now - 3_000)];
    expect(other.slice(0, 2)).toEqual(one.slice(0, 2));
    expect(other[2]).not.toBe(one[2]);
    expect(root(now - 5_000)).toEqual(one);
  });

  test("tokens of the root that differ only in when the user logged in have one name, also for two logins in one second", () => {
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const token = (sub: string, iat: number): string =>
      `${part({ alg: "HS256" })}.${part({ sub, iat, exp: iat + 3600, jti: randomUUID() })}.${drawn(32).toString("base64url")}`;
    const lane = (first: string, second: string, context = {}) => {
      const canonical = canonicalizer({ byAppearance: false });
      const root = facts({ clients: { "": { token: first }, admin: { headers: { authorization: `Bearer ${second}` } } }, context });
      const { lo } = canonical.root(root);
      const { rootValues, rootTokens, hasTokensInContext } = canonical.renamer;
      return { root: lo, state: print(canonical, canonical.renamer.constant(root)), rootValues, rootTokens, hasTokensInContext };
    };
    const [one, other] = [
      lane(token("1", 1_795_000_000), token("2", 1_795_000_000)),
      lane(token("1", 1_795_000_007), token("2", 1_795_000_009)),
    ];
    expect([other.root, other.state, other.rootValues]).toEqual([one.root, one.state, one.rootValues]);
    expect(other.rootTokens).not.toBe(one.rootTokens);
    const same = token("1", 1_795_000_000);
    expect(lane(same, same).state).toBe(lane(token("1", 1_795_000_001), token("1", 1_795_000_002)).state);
    expect(lane(same, token("2", 1_795_000_000)).state).not.toBe(lane(same, same).state);
    expect([one.hasTokensInContext, lane(same, same, { token: same }).hasTokensInContext]).toEqual([false, true]);
  });

  test("interchangeable ids of the root are named in the order of the observation", () => {
    const lane = (): string => {
      const [a, b] = uuids(2) as [string, string];
      const canonical = canonicalizer();
      canonical.root(
        stored(
          table("users", "*id name", [
            [a, "x"],
            [b, "x"],
          ]),
        ),
      );
      expect(print(canonical, valued(a))).not.toBe(print(canonical, valued(b)));
      return print(canonical, valued(a));
    };
    expect(lane()).toBe(lane());
  });

  test("ids that stand literally in the user's code", () => {
    const [a, b] = uuids(2) as [string, string];
    const key = `key_${randomBytes(16).toString("hex")}`;
    const source = `const A = "${a}"; await api.get(\`/users/${b.toUpperCase()}/x\`, { key: '${key}' });`;
    const literals = opaqueTokens(source);
    const canonical = canonicalizer({ literals });
    const prints = [a, b, key, randomUUID()].map((value) => print(canonical, valued(value)));
    expect(new Set(prints).size).toBe(4);
    expect(prints[0]).toBe(print(canonicalizer({ literals }), valued(a)));
    expect(opaqueTokens("export function createOrderFromTemplate() { return someOtherFunctionName12; }").size).toBe(0);
  });
});

describe("ids that carry time keep their order", () => {
  const objectId = (age: number): string => Math.floor((CLOCK - age) / 1000).toString(16) + randomBytes(8).toString("hex");
  const ulid = (age: number): string => {
    const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let text = "";
    for (let ms = CLOCK - age, k = 0; k < 10; k++, ms = Math.floor(ms / 32)) text = alphabet[ms % 32]! + text;
    return text + Array.from(randomBytes(16), (byte) => alphabet[byte % 32]!).join("");
  };
  const uuid1 = (age: number): string => {
    const ticks = ((BigInt(CLOCK - age) + 12_219_292_800_000n) * 10_000n).toString(16).padStart(15, "0");
    return `${ticks.slice(7)}-${ticks.slice(3, 7)}-1${ticks.slice(0, 3)}-9abc-${randomBytes(6).toString("hex")}`;
  };
  test.each([
    ["UUIDv7", uuid7],
    ["ULID", ulid],
    ["ObjectId", objectId],
    ["UUIDv1", uuid1],
    ["Date.now() as a key", (age: number) => CLOCK - age],
  ])("%s", (_, draw: (age: number) => string | number) => {
    const canonical = canonicalizer();
    const state = (older: string, newer: string): string => {
      // An hour apart, so that the low bits of UUIDv1 turn over in between.
      const [old, young] = [draw(7_200_000 + Math.floor(Math.random() * 1000)), draw(Math.floor(Math.random() * 1000))] as const;
      const rows: Rows = [
        [old, older],
        [young, newer],
      ];
      return print(canonical, { ...stored(table("orders", "*id status", rows)), context: { last: young } });
    };
    expect(state("paid", "new")).toBe(state("paid", "new"));
    expect(state("paid", "new")).not.toBe(state("new", "paid"));
  });
});

describe("times", () => {
  test.each([
    ["ISO 8601", (ms: number) => iso(ms)],
    ["a blank for the T", (ms: number) => iso(ms).slice(0, 19).replace("T", " ")],
    ["a zone", (ms: number) => iso(ms).replace("Z", "+02:00")],
    ["in a text", (ms: number) => `{"at":"${iso(ms)}","x":1}`],
    ["seconds", (ms: number) => Math.floor(ms / 1000)],
    ["milliseconds", (ms: number) => ms],
    ["microseconds", (ms: number) => ms * 1000 + 7],
    ["nanoseconds", (ms: number) => BigInt(ms) * 1_000_000n + 1n],
    ["digits", (ms: number) => String(ms)],
    ["digits in JSON", (ms: number) => `{"at":${ms}}`],
    ["a Date", (ms: number) => new Date(ms)],
    ["an HTTP date", (ms: number) => new Date(ms).toUTCString()],
  ])("near the clock are one mark, others are not: %s", (_, write: (ms: number) => unknown) => {
    const canonical = canonicalizer();
    const at = (ms: number): string => print(canonical, valued(write(ms)));
    expect(at(CLOCK - 1_000_000)).toBe(at(CLOCK + 9_000_000));
    expect(at(CLOCK)).not.toBe(at(CLOCK - 3 * 86_400_000));
    expect(at(CLOCK - 4 * 86_400_000)).not.toBe(at(CLOCK - 3 * 86_400_000));
    expect(at(CLOCK)).not.toBe(print(canonical, valued(null)));
  });

  test("a NULL time differs from a set one, and a row that changed only its time did not change", () => {
    const canonical = canonicalizer();
    const row = (id: number, time: string | null): Rows => [[id, time]];
    const state = (added: Rows, removed: Rows = []): string => print(canonical, stored(table("orders", "*id paid_at", added, removed)));
    expect(state(row(1, null))).not.toBe(state(row(1, iso(CLOCK))));
    expect(state(row(1, iso(CLOCK)), row(1, iso(CLOCK - 5000)))).toBe(state([]));
    expect(state(row(1, iso(CLOCK)), row(1, null))).not.toBe(state([]));
    expect(state(row(1, iso(CLOCK)), row(1, "2001-01-01T00:00:00Z"))).not.toBe(state([]));
  });
});

describe("ties", () => {
  const graph = (edges: readonly (readonly [number, number])[], count: number): ReturnType<typeof stored> => {
    const ids = uuids(count);
    return stored(
      table(
        "friends",
        "a b",
        edges.map(([a, b]) => [ids[a]!, ids[b]!]).toSorted(() => Math.random() - 0.5),
      ),
    );
  };
  const all = (count: number): [number, number][] =>
    Array.from({ length: count }, (_, a) => Array.from({ length: count }, (__, b): [number, number] => [a, b])).flat();

  test("eight users who all befriend each other: bounded, in time, and one fingerprint all the same", { timeout: 20_000 }, () => {
    const canonical = canonicalizer();
    const clique = all(8).filter(([a, b]) => a !== b);
    const first = print(canonical, graph(clique, 8));
    expect(canonical.wasBounded).toBe(true);
    expect(print(canonical, graph(clique, 8))).toBe(first);
    const [, ...oneLess] = clique;
    expect(print(canonical, graph(oneLess, 8))).not.toBe(first);
    print(canonical, stored());
    expect(canonical.wasBounded).toBe(false);
  });

  test("a cycle of twelve, and two cycles of six", () => {
    const canonical = canonicalizer();
    const ring = (from: number, length: number): [number, number][] =>
      Array.from({ length }, (_, k) => [from + k, from + ((k + 1) % length)]);
    const twelve = print(canonical, graph(ring(0, 12), 12));
    expect(canonical.wasBounded).toBe(false);
    expect(print(canonical, graph(ring(0, 12), 12))).toBe(twelve);
    const twice = [...ring(0, 6), ...ring(6, 6)];
    expect(print(canonical, graph(twice, 12))).not.toBe(twelve);
    expect(print(canonical, graph(twice, 12))).toBe(print(canonical, graph(twice, 12)));
    expect(canonical.wasBounded).toBe(false);
  });

  test("two strongly regular graphs that colours cannot tell apart are not merged", () => {
    // The 4x4 rook's graph and Shrikhande's: srg(16, 6, 2, 2).
    const at = (k: number): [number, number] => [k >> 2, k & 3];
    const rook = all(16).filter(([a, b]) => a !== b && (at(a)[0] === at(b)[0] || at(a)[1] === at(b)[1]));
    const steps = new Set(["0,1", "0,3", "1,0", "3,0", "1,1", "3,3"]);
    const shrikhande = all(16).filter(([a, b]) => steps.has(`${(at(a)[0] - at(b)[0]) & 3},${(at(a)[1] - at(b)[1]) & 3}`));
    const canonical = canonicalizer();
    const bounded: boolean[] = [];
    const prints = [rook, shrikhande, shrikhande].map((edges) => {
      const fingerprint = print(canonical, graph(edges, 16));
      bounded.push(canonical.wasBounded);
      return fingerprint;
    });
    // The rook's graph has 1,152 symmetries, too many to try; the other 192.
    expect(bounded).toEqual([true, false, false]);
    expect(prints[2]).toBe(prints[1]);
    expect(prints[0]).not.toBe(prints[1]);
  });

  test("forty tied ids in a tangle end in time", { timeout: 30_000 }, () => {
    const canonical = canonicalizer();
    print(
      canonical,
      graph(
        all(40).filter(([a, b]) => a !== b),
        40,
      ),
    );
    expect(canonical.wasBounded).toBe(true);
  });
});

describe("options", () => {
  test("a lane's own URL, port and paths", () => {
    const lane = (port: number, dir: string, last: string): string =>
      print(
        canonicalizer({
          placeholders: [
            [String(port), "port"],
            [`http://127.0.0.1:${port}`, "url"],
            [dir, "dir"],
          ],
        }),
        valued([`http://127.0.0.1:${port}/a/${last}`, `port ${port}`, `${dir}/x.png`]),
      );
    expect(lane(41_234, "/tmp/lane-0", "x")).toBe(lane(51_999, "/tmp/lane-11", "x"));
    expect(lane(41_234, "/tmp/lane-0", "x")).not.toBe(lane(41_234, "/tmp/lane-0", "y"));
    const canonical = canonicalizer({ placeholders: [["4123", "port"]] });
    expect(print(canonical, valued("id 41234"))).not.toBe(print(canonical, valued("id 41235")));
    expect(print(canonical, valued("4123"))).not.toBe(print(canonical, valued("{port}")));
  });

  test("symmetric keys are renamed with what refers to them", () => {
    const state = (ids: readonly [number, number], pick: 0 | 1, context = {}): ReturnType<typeof facts> => ({
      ...stored(
        table("items", "*n order_id>orders.id", [[1, ids[pick]]]),
        table("orders", "*id status", [
          [ids[0], "paid"],
          [ids[1], "new"],
        ]),
      ),
      context,
    });
    const canonical = canonicalizer({ symmetric: ["orders.id"] });
    expect(print(canonical, state([1, 2], 0))).toBe(print(canonical, state([2, 1], 0)));
    expect(print(canonical, state([1, 2], 0))).not.toBe(print(canonical, state([1, 2], 1)));
    expect(print(canonicalizer(), state([1, 2], 0))).not.toBe(print(canonicalizer(), state([2, 1], 0)));
    // What the context may refer to is not renamed under it.
    expect(print(canonical, state([1, 2], 0, { order: 1 }))).not.toBe(print(canonical, state([2, 1], 0, { order: 1 })));
  });

  test("ignore leaves out, masked keeps whether there is a value", () => {
    const state = (seen: number | null, key: number, name: string): ReturnType<typeof facts> => ({
      ...stored(table("users", "*id seen", [[1, seen]])),
      context: { key, user: { name, visits: [{ at: key }] } },
    });
    const ignoring = canonicalizer({ ignore: ["users.seen", "key", "context.user.visits[].at"] });
    expect(print(ignoring, state(1, 1, "a"))).toBe(print(ignoring, state(null, 2, "a")));
    expect(print(ignoring, state(1, 1, "a"))).not.toBe(print(ignoring, state(1, 1, "b")));
    const masking = canonicalizer({ masked: ["db.users.seen", "context.key", "context.user.visits[].at"] });
    expect(print(masking, state(1, 1, "a"))).toBe(print(masking, state(2, 2, "a")));
    expect(print(masking, state(1, 1, "a"))).not.toBe(print(masking, state(null, 1, "a")));
  });

  test("ignore names a client's part also after an action has set it", () => {
    const canonical = canonicalizer({ ignore: ["clients.alice.token"] });
    const acting = (alice: unknown): string => print(canonical, facts({ clients: { alice } }));
    expect(acting([{ token: "a", role: "user" }, "login"])).toBe(acting([{ token: "b", role: "user" }, "login"]));
    expect(acting([{ token: "a", role: "user" }, "login"])).not.toBe(acting([{ token: "a", role: "admin" }, "login"]));
    expect(acting([{ token: "a" }, "login"])).not.toBe(acting([{ token: "a" }, "reset"]));
  });

  test("a row that changed only in an ignored column did not change", () => {
    const canonical = canonicalizer({ ignore: ["users.seen"] });
    expect(print(canonical, stored(table("users", "*id seen", [[1, 5]], [[1, 4]])))).toBe(print(canonical, stored()));
    expect(print(canonical, stored(table("users", "*id seen", [[2, 5]], [[1, 4]])))).not.toBe(print(canonical, stored()));
  });
});

describe("values", () => {
  const different: readonly unknown[] = [
    undefined,
    null,
    true,
    false,
    0,
    1,
    "1",
    1.5,
    "",
    "a",
    "null",
    [],
    {},
    [1],
    ["1"],
    [[1]],
    [1, 2],
    [2, 1],
    { a: 1 },
    { a: [1] },
    { a: undefined },
    { b: 1 },
    NaN,
    "NaN",
    Infinity,
    -Infinity,
    2 ** 53,
    10n ** 20n,
    1e9 + 0.5,
    new Uint8Array([1]),
    new Uint8Array([1, 2]),
    new Date(0),
    new Date(NaN),
    new Map(),
    new Set(),
    new Map([["a", 1]]),
    new Set(["a"]),
    new Set([1, 2]),
    new Map([[1, "a"]]),
    /a/g,
    new Float32Array([1]),
    "\ud800",
    "\udc00",
    "\ufffd",
    '"\\ud800"',
    "\u0000",
    "ab",
    ["a", "b"],
    ["ab", ""],
    ["", "ab"],
    '["a"',
    { a: { b: 1 } },
    { "a.b": 1 },
    { a: 1, b: 1 },
    { "a#1;": 1 },
    "x".repeat(100_000),
    `${"x".repeat(99_999)}y`,
    "@u",
    "T",
    "K1;",
    new Error("a"),
    JSON.parse('{"__proto__": {"a": 1}}'),
    JSON.parse('{"__proto__": {"a": 2}}'),
    { constructor: 1 },
    { toString: "x" },
    { zero: 0 },
    { zero: -0 },
  ];
  test("that differ never read the same, as words or as text", () => {
    for (const options of [{}, { ignore: ["context.nothing"] }]) {
      const canonical = canonicalizer(options);
      const seen = new Map<string, unknown>();
      for (const value of different) {
        const fingerprint = print(canonical, valued(value));
        expect(seen.has(fingerprint), `${inspect(value)} against ${inspect(seen.get(fingerprint))}`).toBe(false);
        seen.set(fingerprint, value);
      }
    }
  });

  test("that are JSON with an ignored part keep the order of the other keys, and their numbers", () => {
    const canonical = canonicalizer({ ignore: ["context.value.seen"] });
    const texts = ['{"seen":1,"2":1,"1":1}', '{"seen":1,"1":1,"2":1}', '{"seen":1,"1":1.0,"2":1}'];
    expect(new Set(texts.map((text) => print(canonical, valued(text)))).size).toBe(3);
    expect(print(canonical, valued(texts[0]!.replace('seen":1', 'seen":2.0')))).toBe(print(canonical, valued(texts[0])));
    const shown = canonical.withoutLeftOut(valued(texts[0])).context["value"];
    expect(shown).toBe('{"2":1,"1":1}');
  });

  test("that are equal read the same", () => {
    const canonical = canonicalizer();
    const same = (a: unknown, b: unknown): void => expect(print(canonical, valued(a))).toBe(print(canonical, valued(b)));
    same(1, 1n);
    same(2 ** 60, 2n ** 60n);
    same(1e22, 10n ** 22n);
    same(5e9, 5_000_000_000n);
    same([1, new Map()], [1n, new Map()]);
    same({ a: 1, b: 2 }, { b: 2, a: 1 });
    same(
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
      new Map([
        ["b", 2],
        ["a", 1],
      ]),
    );
    same(new Set([1, "1"]), new Set(["1", 1]));
    same(new Uint8Array([1, 2]), Buffer.from([1, 2]));
    same(Object.assign(Object.create(null), { a: 1 }), { a: 1 });
  });

  test("structure follows equality on any JSON", () => {
    const canonical = canonicalizer();
    const seen = new Map<string, string>();
    const sorted = (value: unknown): unknown =>
      typeof value !== "object" || value === null
        ? value
        : Array.isArray(value)
          ? value.map(sorted)
          : Object.entries(value)
              .sort(([a], [b]) => (a < b ? -1 : 1))
              .map(([key, item]) => ["k", key, sorted(item)]);
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as unknown;
        const text = JSON.stringify([Array.isArray(plain), sorted(plain)]);
        const fingerprint = print(canonical, valued(plain));
        expect(seen.get(fingerprint) ?? text).toBe(text);
        seen.set(fingerprint, text);
        expect(print(canonical, valued(structuredClone(plain)))).toBe(fingerprint);
      }),
      { numRuns: size(30, 2000) },
    );
  });

  test("hostile rows do not run into each other", () => {
    const canonical = canonicalizer();
    const rows: Rows[] = [
      [["a", "b"]],
      [['a"1:b', ""]],
      [["a"], ["b"]],
      [["]", "["]],
      [["][", ""]],
      [[null, "n"]],
      [["n", null]],
      [["a,0", "1"]],
      [["a", ",01"]],
    ];
    const prints = rows.map((added) => print(canonical, stored(table("t", added[0]!.length === 1 ? "a" : "a b", added))));
    expect(new Set(prints).size).toBe(rows.length);
    const one = print(canonical, stored(table("t", "a", [["x"]]), table("u", "a", [])));
    expect(one).not.toBe(print(canonical, stored(table("t", "a", []), table("u", "a", [["x"]]))));
    expect(print(canonical, stored(table("t", "a", [["x"]])))).not.toBe(print(canonical, stored(table("t", "a", [], [["x"]]))));
    const random = randomUUID();
    const holed = [
      ["@u", random],
      [random, "@u"],
      [`${random},0`, "a"],
      [random, ",0"],
    ].map((row) => print(canonical, stored(table("t", "a b", [row]))));
    expect(new Set(holed).size).toBe(holed.length);
  });

  test("the order of rows belongs to the state where it has a meaning", () => {
    const canonical = canonicalizer({ ignore: ["queue.seen"] });
    const nameOf = (added: Rows, removed: Rows, inPlace?: number): string =>
      print(canonical, stored({ ...table("queue", "job seen", added, removed), ...(inPlace !== undefined && { inPlace }) }));
    const [a, b] = [
      ["a", 0],
      ["b", 0],
    ];
    expect(nameOf([a, b], [])).toBe(nameOf([b, a], []));
    expect(nameOf([a, b], [], 0)).not.toBe(nameOf([b, a], [], 0));
    expect(nameOf([a], [b], 0)).not.toBe(nameOf([a], [b], 1));
    expect(nameOf([["a", 1]], [a], 1)).toBe(nameOf([], [], 0));
    expect(nameOf([["a", 1], b], [a, ["c", 0]], 2)).toBe(nameOf([b], [["c", 0]], 1));
  });

  test("the order in which rows with a key are read belongs only to the strict hash, unless an audit showed that it matters", () => {
    const read = (...names: readonly string[]): Facts => {
      const sorted = names.toSorted();
      const readOrder = names.map((name) => sorted.indexOf(name));
      return stored({
        ...table(
          "tags",
          "name",
          sorted.map((name) => [name]),
        ),
        readOrder,
      });
    };
    const [loose, strict] = [canonicalizer(), canonicalizer({ ordered: [rowsEntry("db", "tags")] })];
    const hashes = (canonical: Canonicalizer, facts: Facts): readonly [string, number, number] => {
      const name = print(canonical, facts);
      return [name, canonical.strict, canonical.forgotten.size];
    };
    const [first, second] = [hashes(loose, read("a", "b")), hashes(loose, read("b", "a"))];
    expect(second[0]).toBe(first[0]);
    expect(second[1]).not.toBe(first[1]);
    expect([first[2], hashes(loose, read("a"))[2]]).toEqual([1, 0]);
    expect(hashes(strict, read("a", "b"))[0]).not.toBe(hashes(strict, read("b", "a"))[0]);
    expect(hashes(strict, read("a", "b"))[2]).toBe(0);
  });

  test("it belongs to the state which of several equal rows of the root state was changed, where their order has a meaning", () => {
    const canonical = canonicalizer({ ignore: ["queue.seen"] });
    const nameOf = (added: Rows, removed: Rows, ...at: readonly number[]): string => {
      const positions = { added: at.slice(0, added.length), removed: at };
      return print(canonical, stored({ ...table("queue", "job seen", added, removed), inPlace: added.length, positions }));
    };
    const [open, done] = [
      ["open", 0],
      ["done", 0],
    ];
    expect(nameOf([done], [open], 1)).not.toBe(nameOf([done], [open], 2));
    expect(nameOf([], [open], 1)).not.toBe(nameOf([], [open], 2));
    // The rows changed places.
    expect(nameOf([done, open], [open, done], 1, 2)).not.toBe(nameOf([], []));
    expect(nameOf([["open", 1]], [open], 1)).toBe(nameOf([], []));
  });

  test("counters belong to the state", () => {
    const canonical = canonicalizer();
    const state = (counters: Record<string, number | bigint | null>): string =>
      print(canonical, facts({ systems: { db: { kind: "rows", tables: [], counters } } }));
    expect(new Set([state({}), state({ orders: 1 }), state({ orders: 2 }), state({ users: 1 }), state({ orders: null })]).size).toBe(5);
    expect(state({ a: 1, b: 2n })).toBe(state({ b: 2, a: 1n }));
  });

  test("too deep, circular or not data is one clear error", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 10_000; depth++) deep = depth % 2 === 0 ? [deep] : { deep };
    const circle: Record<string, unknown> = {};
    circle["self"] = new Map([["again", circle]]);
    const canonical = canonicalizer();
    for (const value of [deep, circle])
      expect(() => print(canonical, valued(value))).toThrow(/nested deeper than 1000 levels, or contains a reference to itself/);
    expect(() =>
      print(
        canonical,
        valued(() => 1),
      ),
    ).toThrow(/value of type function/);
    expect(() => print(canonical, valued(Symbol("x")))).toThrow(/value of type symbol/);
  });

  test("thousands of distinct ids and strings leave names as they were", () => {
    const canonical = canonicalizer();
    const state = (): ReturnType<typeof facts> => valued({ a: randomUUID(), b: [randomUUID(), "x"] });
    const before = print(canonical, state());
    for (let k = 0; k < 36; k++) print(canonical, valued(uuids(2_000)));
    expect(print(canonical, state())).toBe(before);
  });
});

describe("the other hash", () => {
  const checkOf = (canonical: ReturnType<typeof canonicalizer>, state: Parameters<typeof print>[1]): readonly [string, number] => [
    print(canonical, state),
    canonical.check,
  ];

  test("is the same where the fingerprint is, whatever ids, times and orders the facts have", () => {
    const canonical = canonicalizer();
    const [a, b] = [randomUUID(), randomUUID()];
    const pairs = [
      [
        stored(
          table("orders", "*id name", [
            [a, "x"],
            [b, "y"],
          ]),
        ),
        stored(
          table("orders", "*id name", [
            [a, "y"],
            [b, "x"],
          ]),
        ),
      ],
      [valued({ at: iso(CLOCK - 5), n: 1 }), valued({ n: 1, at: iso(CLOCK - 99) })],
      [valued(new Set([1, 2])), valued(new Set([2, 1]))],
    ] as const;
    for (const [one, other] of pairs) expect(checkOf(canonical, one)).toEqual(checkOf(canonical, other));
  });

  test("is another one for other facts, but for one case in 65,535", () => {
    const canonical = canonicalizer();
    fc.assert(
      fc.property(fc.uniqueArray(fc.jsonValue(), { minLength: 2, maxLength: 20, comparator: "SameValueZero" }), (values) => {
        const known = new Map<string, number>();
        for (const value of values) {
          const [fingerprint, check] = checkOf(canonical, valued(value));
          expect(check).toBeGreaterThan(0);
          expect(check).toBeLessThanOrEqual(0xffff);
          expect(known.get(fingerprint) ?? check).toBe(check);
          known.set(fingerprint, check);
        }
      }),
    );
    // By chance 19,999 states would have some 15,000 or more of 65,535 values; far fewer would be no hash.
    const seen = new Set<number>();
    for (let n = 1; n < 20_000; n++) seen.add(checkOf(canonical, valued({ n, name: `name ${n % 7}` }))[1]);
    expect(seen.size).toBeGreaterThan(16_500);
    expect(seen.size).toBeLessThan(17_800);
  });

  test("tells strings and keys apart that would share the hash by which they are in the words", () => {
    const canonical = canonicalizer();
    const seen = new Set(["a", "b", "c"].map((text) => checkOf(canonical, valued({ text }))[1]));
    for (const key of ["x", "y"]) seen.add(checkOf(canonical, valued({ [key]: "a" }))[1]);
    expect(seen.size).toBe(5);
  });
});

test.each(["masked", "ignore"] as const)("a rule on a whole store covers calls that a third party received in one step: %s", (option) => {
  const state = (amounts: readonly number[], steps: readonly number[]): string => {
    const value = { calls: amounts.map((amount) => ({ path: "/charges", amount })) };
    return print(
      canonicalizer({ [option]: ["systems.payments"] }),
      facts({ systems: { payments: { kind: "value", value, received: "calls", steps } } }),
    );
  };
  expect(new Set([state([], []), state([1], [1]), state([1, 2], [2]), state([3, 4], [2])]).size).toBe(1);
});

test("calls that a third party received in one step have no order, also if no other store is observed", () => {
  const state = (amounts: readonly number[], steps: readonly number[]): string => {
    const value = { calls: amounts.map((amount) => ({ path: "/charges", amount })) };
    return print(canonicalizer(), facts({ systems: { payments: { kind: "value", value, received: "calls", steps } } }));
  };
  expect(state([1, 2], [2])).toBe(state([2, 1], [2]));
  expect(state([1, 2], [1, 1])).not.toBe(state([2, 1], [1, 1]));
  expect(state([1, 2], [2])).not.toBe(state([1, 2], [1, 1]));
});
