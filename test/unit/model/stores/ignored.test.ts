import { describe, expect, it } from "vitest";
import { counterLeftOut, resolveIgnored, type IgnorePattern } from "../../../../src/model/stores/ignored.ts";

const DB = [
  { name: "orders", columns: ["id", "status", "updated_at"] },
  { name: "events", columns: ["id", "updated_at"] },
  { name: "audit_log", columns: ["id"] },
  { name: "audit.trail", columns: ["what"] },
];
const schemas = new Map([
  ["db", DB],
  ["mail", [{ name: "events", columns: ["to"] }]],
]);
const ALL = { isWhole: true, isStrict: true };
const ofWorld = (...patterns: string[]): IgnorePattern[] => patterns.map((pattern) => ({ pattern, system: undefined }));
const ofStore = (system: string, ...patterns: string[]): IgnorePattern[] => patterns.map((pattern) => ({ pattern, system }));
const tables = (patterns: IgnorePattern[]): unknown =>
  Object.fromEntries([...resolveIgnored(patterns, schemas, ALL).tables].map(([name, ignored]) => [name, [...ignored]]));

describe("patterns of ignore", () => {
  it.each<[IgnorePattern[], unknown]>([
    [ofWorld("events"), { db: ["events"], mail: ["events"] }],
    [ofWorld("db.events"), { db: ["events"], mail: [] }],
    [ofWorld("systems.db.events"), { db: ["events"], mail: [] }],
    [ofWorld("audit*"), { db: ["audit_log", "audit.trail"], mail: [] }],
    [ofWorld("audit.trail"), { db: ["audit.trail"], mail: [] }],
    [ofStore("mail", "events"), { db: [], mail: ["events"] }],
    [ofStore("db", "audit_*"), { db: ["audit_log"], mail: [] }],
    [ofWorld("orders.status"), { db: [], mail: [] }],
  ])("%j name the tables %j", (patterns, expected) => expect(tables(patterns)).toEqual(expected));

  it.each<[IgnorePattern[], string[]]>([
    [ofWorld("orders.status"), ["db.orders.status", "orders.status"]],
    [ofWorld("*.updated_at"), ["db.orders.updated_at", "db.events.updated_at", "*.updated_at"]],
    [ofStore("db", "*.updated_at"), ["db.orders.updated_at", "db.events.updated_at"]],
    [ofWorld("mail.events.to"), ["mail.events.to", "mail.events.to"]],
    [ofStore("db", "audit.trail.what"), ["db.audit.trail.what"]],
    [ofStore("cache", 'hash.value where {"key":"a:*"}'), ['cache.hash.value where {"key":"a:*"}']],
    [ofStore("cache", 'hash.value where {"key":"a where {b"}'), ['cache.hash.value where {"key":"a where {b"}']],
    [
      ofWorld("cart", "context.user.seen", "clients.admin.token", "systems.probe.items[].took"),
      ["cart", "context.user.seen", "clients.admin.token", "systems.probe.items[].took"],
    ],
  ])("%j name the fields %j", (patterns, expected) => expect(resolveIgnored(patterns, schemas, ALL).fields).toEqual(expected));

  it.each<[IgnorePattern[], string, string]>([
    [
      ofWorld("order.status"),
      'The pattern "order.status" in `ignore` matches no table or column of the stores.',
      'Did you mean "orders.status"?',
    ],
    [
      ofWorld("adit_*"),
      'The pattern "adit_*" in `ignore` matches no table or column of the stores.',
      "The tables of the stores are orders, events, audit_log, audit.trail, events.",
    ],
    [ofStore("db", "event"), 'The pattern "event" in `ignore` matches no table or column of store "db".', 'Did you mean "events"?'],
    [
      ofStore("mail", "orders"),
      'The pattern "orders" in `ignore` matches no table or column of store "mail".',
      'The tables of store "mail" are events.',
    ],
    [
      ofStore("db", "orders.stauts"),
      'The pattern "orders.stauts" in `ignore` matches no table or column of store "db".',
      'Did you mean "orders.status"?',
    ],
  ])("%j are refused", (patterns, message, hint) => {
    expect(() => resolveIgnored(patterns, schemas, ALL)).toThrow(
      expect.objectContaining({ code: "IGNORE_UNKNOWN", exitStatus: 2, message, hint }) as Error,
    );
  });

  it.each(["hash.value where {}", 'hash.value where {"key":1}', "hash.value where {key: a}", "hash.value where key=a", "hash where []"])(
    "%s is refused, because no patterns follow",
    (pattern) => {
      for (const patterns of [ofWorld(pattern), ofStore("cache", pattern)])
        expect(() => resolveIgnored(patterns, new Map(), { isWhole: false, isStrict: false })).toThrow(
          expect.objectContaining({
            code: "IGNORE_UNKNOWN",
            message: `The pattern "${pattern}" in \`ignore\` has no JSON object with patterns after "where".`,
          }) as Error,
        );
    },
  );

  it("of rows of one kind are watched, so that a note names those that never occur", () => {
    const field = 'hash.value where {"key":"a:*"}';
    const some = [...ofStore("cache", field), ...ofWorld(`systems.cache.${field}`)];
    const { paths } = resolveIgnored(some, new Map(), { isWhole: false, isStrict: true });
    expect(paths).toEqual([`cache.${field}`, `cache.${field}`]);
  });

  it("of a World that no table or column answers to are keys or paths", () => {
    const paths = ["cart", "context.user.seen", "clients.admin.token", "systems.probe.items[].took"];
    expect(resolveIgnored([...ofWorld("events", "orders.status", "db.audit_*"), ...ofWorld(...paths)], schemas, ALL).paths).toEqual(paths);
    expect(resolveIgnored(ofWorld("cart.seen", "cart"), new Map(), ALL).paths).toEqual(["cart.seen", "cart"]);
    expect(resolveIgnored(ofWorld("cart.seen", "cart"), new Map(), { ...ALL, isWhole: false }).paths).toEqual(["cart"]);
  });

  it("of a World are not refused where a store does not tell its tables", () => {
    expect(resolveIgnored(ofWorld("carts.seen"), schemas, { ...ALL, isWhole: false }).fields).toEqual(["carts.seen"]);
    expect(resolveIgnored([...ofWorld("carts.seen"), ...ofStore("cache", "session:*")], new Map(), ALL).fields).toEqual(["carts.seen"]);
  });
});

describe("the counters of left-out tables", () => {
  const schema = [
    { name: "order", columns: ["id"], usesCounters: ["order_id_seq", "numbers", "shared"] },
    { name: "order_items", columns: ["id"], usesCounters: ["order_items_id_seq", "shared", "order_extra_seq"] },
    { name: "order_seq", columns: ["id"] },
    { name: "audit", columns: ["id"] },
  ];
  const isLeftOut = counterLeftOut(schema, new Set(["order", "audit"]));

  it.each(["order_id_seq", "numbers", "order", "audit", "audit_seq", "audit_log_id_seq"])("include %s", (counter) =>
    expect(isLeftOut(counter)).toBe(true),
  );
  it.each(["order_items_id_seq", "shared", "order_extra_seq", "order_items_x_seq", "order_seq", "free_seq", "pragma user_version"])(
    "do not include %s",
    (counter) => expect(isLeftOut(counter)).toBe(false),
  );
});
