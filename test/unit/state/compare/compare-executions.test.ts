import { describe, expect, it } from "vitest";
import { compareExecutions, fieldOf, NOTHING_KNOWN, tableOf, valuesAt, type Facts } from "../../../../src/state/index.ts";
import { CLOCK, facts, stored, table, uuids } from "../support.ts";

const window = { startMs: 1_000, endMs: 1_010 };
const compared = (a: Partial<Facts>, b: Partial<Facts>) =>
  compareExecutions({ facts: facts(a), window }, { facts: facts(b), window }, { known: NOTHING_KNOWN });
const probed = (value: unknown, context: Facts["context"] = {}): Partial<Facts> => ({
  systems: { probe: { kind: "value", value } },
  context,
});
const rows = (orders: readonly (readonly number[])[], context: Facts["context"]): Partial<Facts> => ({
  systems: { db: { kind: "rows", counters: {}, tables: [table("orders", "*id total", orders)] } },
  context,
});

describe("numbers that differ between two executions", () => {
  it("of a key are a counter's, and so is what moves with it elsewhere", () => {
    const { generated, unexplained } = compared(rows([[1, 5]], { order: 1 }), rows([[4, 5]], { order: 4 }));
    expect(generated.map(({ field, domain, isLoose }) => [field, tableOf(domain!), isLoose])).toEqual([
      ["orders.id", "orders", false],
      ["context.order", "orders", false],
    ]);
    expect(unexplained).toEqual([]);
  });

  it("of a key are a counter's also if it descends below zero", () => {
    const { generated, unexplained } = compared(rows([[-1, 5]], { order: -1 }), rows([[-4, 5]], { order: -4 }));
    expect(generated.map(({ field, domain }) => [field, tableOf(domain!)])).toEqual([
      ["orders.id", "orders"],
      ["context.order", "orders"],
    ]);
    expect(unexplained).toEqual([]);
  });

  it("of a key without a declared reference are those of the table that the column names, where the values agree", () => {
    const domains = (user: number, profile: number) => {
      const state = (add: number): Partial<Facts> => {
        const tables = [table("profiles", "*user_id *id", [[profile + add, 1 + add]]), table("users", "*id", [[user + add]])];
        return { systems: { db: { kind: "rows", counters: {}, tables } } };
      };
      return compared(state(0), state(3)).generated.map(({ field, domain }) => `${field} ${fieldOf(domain!)}`);
    };
    expect(domains(5, 5)).toEqual(["profiles.user_id users.id", "profiles.id profiles.id", "users.id users.id"]);
    expect(domains(5, 6)).toEqual(["profiles.user_id profiles.user_id", "profiles.id profiles.id", "users.id users.id"]);
    // Keys of two tables may have equal values by chance.
    expect(domains(1, 5)).toEqual(["profiles.user_id profiles.user_id", "profiles.id profiles.id", "users.id users.id"]);
  });

  it("of a column that is no key are none", () => {
    expect(compared(rows([[1, 5]], {}), rows([[1, 6]], {})).unexplained).toEqual([{ field: "orders.total", values: ["5", "6"] }]);
  });

  it("outside of tables are one counter where they move together, and others where they do not", () => {
    const first = probed({ orders: [{ id: 1 }, { id: 2 }], payments: [{ id: 7, order: 2 }] }, { order: 1 });
    const second = probed({ orders: [{ id: 4 }, { id: 5 }], payments: [{ id: 9, order: 5 }] }, { order: 4 });
    const { generated, unexplained } = compared(first, second);
    expect(unexplained).toEqual([]);
    expect(generated.every(({ isLoose }) => isLoose)).toBe(true);
    const orders = "systems.probe.orders[].id";
    expect(new Map(generated.map(({ field, domain }) => [field, fieldOf(domain!)]))).toEqual(
      new Map([
        [orders, orders],
        ["systems.probe.payments[].id", "systems.probe.payments[].id"],
        ["systems.probe.payments[].order", orders],
        ["context.order", orders],
      ]),
    );
  });

  it("and are not whole, or below zero, are none", () => {
    expect(compared(probed({ took: 1.5 }), probed({ took: 2.5 })).generated).toEqual([]);
    expect(compared(probed({ left: -3 }), probed({ left: -2 })).generated).toEqual([]);
  });
});

describe("members of a Set that differ between two executions", () => {
  const at = (startMs: number, members: readonly unknown[], token?: string) => {
    const state = { sessions: new Set(["admin", ...members]) };
    return { facts: facts(probed(state, token === undefined ? {} : { token })), window: { startMs, endMs: startMs + 5 } };
  };
  const found = (members: (startMs: number) => readonly unknown[], tokenAt?: number) => {
    const [a, b] = [CLOCK, CLOCK + 1_234].map((startMs) => at(startMs, members(startMs), tokenAt === undefined ? undefined : String(members(startMs)[tokenAt]))); // prettier-ignore
    return compareExecutions(a!, b!, { known: NOTHING_KNOWN });
  };
  const ids = new Map([CLOCK, CLOCK + 1_234].map((startMs) => [startMs, uuids(2)]));

  it("are generated like items of a list, and so are their copies", () => {
    const { generated, unexplained } = found((startMs) => ids.get(startMs)!, 1);
    expect(unexplained).toEqual([]);
    const places = ["systems.probe.sessions", "systems.probe.sessions", "context.token"];
    expect(generated.map(({ field, domain }) => [field, domain])).toEqual(places.map((field) => [field, undefined]));
    expect(valuesAt(at(CLOCK, ids.get(CLOCK)!).facts, generated[0]!.place)).toEqual(["admin", ...ids.get(CLOCK)!]);
  });

  it("are times, integers of a counter, or objects with such values", () => {
    expect(found((startMs) => [new Date(startMs).toISOString()]).times).toMatchObject([{ offsets: [0], base: "step" }]);
    const both = found((startMs) => [{ id: ids.get(startMs)![0], at: startMs, name: "ann" }, startMs === CLOCK ? 4 : 5]);
    expect(both.times).toMatchObject([{ offsets: [0], base: "step" }]);
    expect(both.generated.map(({ isLoose }) => isLoose)).toEqual([true, undefined]);
    expect(both.unexplained).toEqual([]);
  });

  it("are unexplained with the whole Set, if their number differs or they are not generated", () => {
    const fields = (members: (startMs: number) => readonly unknown[]) => found(members).unexplained.map(({ field }) => field);
    expect(fields((startMs) => (startMs === CLOCK ? ["a"] : ["a", "b"]))).toEqual(["systems.probe.sessions"]);
    expect(fields((startMs) => [startMs === CLOCK ? 0.25 : 0.5])).toEqual(["systems.probe.sessions"]);
    expect(fields((startMs) => [{ took: startMs === CLOCK ? 0.25 : 0.5 }])).toEqual(["systems.probe.sessions"]);
  });
});

describe("numbers with a fraction, as text", () => {
  const values = (a: string, b: string) => {
    const { generated, times, unexplained } = compared(probed({ tokens: a }), probed({ tokens: b }));
    expect(times).toEqual([]);
    return [generated.length, unexplained];
  };

  it("are no ids", () => {
    for (const [a, b] of [
      ["1.0000083", "1.0000091"],
      ["2", "1.0000083"],
      ["1e-7", "2.5e-7"],
    ] as const)
      // prettier-ignore
      expect(values(a, b)).toEqual([0, [{ field: "systems.probe.tokens", values: [`"${a}"`, `"${b}"`] }]]);
  });

  it("are not dropped if they are part of a longer text", () => {
    expect(values("v-1.483920", "v-1.105839")).toEqual([1, []]);
  });

  it.each([
    ["in different seconds", "1795000000.483920", "1795000001.105839"],
    ["within one second", "1795000000.103920", "1795000000.905839"],
    ["of which one has no fraction by chance", "1795000000.9058", "1795000002"],
  ])("are times if they are times in seconds: %s", (_what, a, b) => {
    for (const aheadMs of [0, 600_000]) {
      const at = (text: string) => {
        const startMs = Math.floor(Number(text) * 1_000) - aheadMs;
        return { facts: facts({ context: { at: text, queue: { at: text } } }), window: { startMs, endMs: startMs + 5 } };
      };
      const { generated, times, unexplained } = compareExecutions(at(a), at(b), { known: NOTHING_KNOWN });
      expect([generated, unexplained]).toEqual([[], []]);
      expect(times).toMatchObject(Array.from({ length: 2 }, () => ({ after: "", resolutionMs: 1, base: "step", offsets: [aheadMs] })));
    }
  });
});

describe("long digits", () => {
  it("are ids of their own, such as snowflakes, although they look like times in nanoseconds", () => {
    const at = (startMs: number, id: string) => ({
      facts: facts({ context: { order: id, last: id } }),
      window: { startMs, endMs: startMs + 5 },
    });
    const [a, b] = [at(1_795_000_000_000, "1571376143564800000"), at(1_795_000_000_300, "1571376144823091200")];
    const { generated, times, unexplained } = compareExecutions(a, b, { known: NOTHING_KNOWN });
    expect(generated.map(({ field, domain }) => [field, domain])).toEqual([
      ["context.order", undefined],
      ["context.last", undefined],
    ]);
    expect([...times, ...unexplained]).toEqual([]);
  });
});

describe("ids that are made from the time, as text", () => {
  it.each([
    ["milliseconds", 1, true],
    ["microseconds", 1_000, false],
  ])("are ids where they are keys, and so are their copies: %s", (_what, factor, isCounter) => {
    const at = (startMs: number) => {
      const ids = [startMs + 1, startMs + 2].map((ms) => String(ms * factor));
      const tables = [table("items", "*id at", ids.map((id) => [id, new Date(startMs + 1).toISOString()])), table("uses", "*n item>items.id", [[1, ids[1]!]])]; // prettier-ignore
      return { facts: { ...stored(...tables), context: { item: ids[0]! } }, window: { startMs, endMs: startMs + 5 } };
    };
    const { generated, times, unexplained } = compareExecutions(at(CLOCK), at(CLOCK + 1_234), { known: NOTHING_KNOWN });
    const domain = isCounter ? "items.id" : undefined;
    const found = new Map(generated.map((one) => [one.field, one.domain && fieldOf(one.domain)]));
    expect(found).toEqual(new Map(["items.id", "uses.item", "context.item"].map((field) => [field, domain])));
    expect(times.map(({ place }) => fieldOf(place))).toEqual(["items.at"]);
    expect(unexplained).toEqual([]);
  });
});

describe("places", () => {
  it("are named as ignore takes them", () => {
    const fields = ([a, b]: readonly [Partial<Facts>, Partial<Facts>]): readonly string[] =>
      compared(a, b).unexplained.map(({ field }) => field);
    expect(fields([probed({ items: [{ "a.b": true }] }), probed({ items: [{ "a.b": false }] })])).toEqual(['systems.probe.items[]."a.b"']);
    expect(fields([{ context: { on: true } }, { context: { on: false } }])).toEqual(["context.on"]);
  });

  it("lead to their values", () => {
    const known = facts(probed({ items: [{ id: 1 }, { id: 2 }], by: { x: 5, y: 6 }, text: '{"n":[7]}' }));
    const at = (...segments: string[]): readonly unknown[] => valuesAt(known, JSON.stringify(["systems", "probe", ...segments]));
    expect(at("items", "[]", "id")).toEqual([1, 2]);
    expect(at("by", "*")).toEqual([5, 6]);
    expect(at("by", "#key")).toEqual(["x", "y"]);
    expect(at("text", "{}", "n", "[]")).toEqual([7]);
    expect(at("items", "nothing")).toEqual([]);
    expect(valuesAt(known, JSON.stringify(["tables", "db", "orders", "id"]))).toEqual([]);
  });
});

describe("a time in the notation of a language", () => {
  it.each([
    ["en-US", (date: Date) => date.toLocaleString("en-US", { timeZone: "UTC" }), ""],
    ["de-DE", (date: Date) => date.toLocaleString("de-DE", { timeZone: "UTC" }), ""],
    ["en-GB, inside a text", (date: Date) => `saved ${date.toLocaleString("en-GB", { timeZone: "UTC" })}`, "saved"],
    ["String(date)", String, ""],
    ["String(date), inside a text", (date: Date) => `saved ${String(date)}`, "saved"],
  ])("%s is a time also if its minute changes", (_what, textOf, after) => {
    const at = (startMs: number) => ({
      facts: facts({ context: { seen: textOf(new Date(startMs)) } }),
      window: { startMs, endMs: startMs + 5 },
    });
    const start = Date.UTC(2025, 10, 21, 12, 35, 58);
    for (const apartMs of [1_100, 3_300]) {
      const { generated, times, unexplained } = compareExecutions(at(start), at(start + apartMs), { known: NOTHING_KNOWN });
      expect([generated, unexplained]).toEqual([[], []]);
      expect(times).toMatchObject([{ after, resolutionMs: 1_000, base: "step", offsets: [0] }]);
    }
  });
});

describe("a time that is equal in executions in different seconds", () => {
  const start = Date.UTC(2025, 10, 21, 12);
  const at = (startMs: number) => {
    const json = JSON.stringify({ until: "2027-06-01T00:00:00Z", today: "2025-11-21T00:00:00Z" });
    const prices = table("prices", "*id valid_to options", [
      [1, "9999-12-31T23:59:59Z", json],
      [2, new Date(startMs).toISOString(), json],
    ]);
    return { facts: { ...stored(prices), context: { seen: [{ at: 1_900_000_000 }] } }, window: { startMs, endMs: startMs + 5 } };
  };
  const constants = (apartMs: number) =>
    compareExecutions(at(start), at(start + apartMs), { known: NOTHING_KNOWN }).constants.map(({ place, ms }) => [fieldOf(place), ms]);

  it("is a constant of its place, if it is not near its step", () => {
    expect(constants(1_100)).toEqual([
      ["prices.valid_to", Date.UTC(9999, 11, 31, 23, 59, 59)],
      ["prices.options", Date.UTC(2027, 5, 1)],
      ["prices.options", Date.UTC(2027, 5, 1)],
      ["context.seen[].at", 1_900_000_000_000],
    ]);
  });

  it("is none, if both steps may have run in one second", () => {
    expect(constants(1_000)).toEqual([]);
  });

  it.each([
    ["the end of today", 7 * 61_000 + 300, () => "2025-11-21T23:59:59.999Z", true],
    ["the end of today, in seconds", 5 * 60_000, () => "2025-11-21T23:59:59Z", true],
    ["a time of this evening", 7 * 61_000 + 300, () => "2025-11-21T20:01:00Z", true],
    ["the end of this minute", 7 * 60_000 + 300, (ms: number) => new Date(Math.ceil(ms / 60_000) * 60_000 - 1).toISOString(), false],
    ["the end of ten seconds", 7 * 60_000 + 41_300, (ms: number) => new Date(Math.ceil(ms / 10_000) * 10_000).toISOString(), false],
    ["the time at which the target began", 7 * 60_000 + 300, () => "2025-11-21T12:01:17.321Z", false],
  ])(
    "is one within a day only at the beginning or the end of a minute that is not the present one: %s",
    (_what, beginMs, textOf, isOne) => {
      const executed = (startMs: number) => {
        const links = [[1, new Date(startMs + 3_600_000).toISOString()], [2, textOf(startMs)]]; // prettier-ignore
        return { facts: stored(table("links", "*id expires_at", links)), window: { startMs, endMs: startMs + 5 } };
      };
      const found = compareExecutions(executed(start + beginMs), executed(start + beginMs + 1_100), { known: NOTHING_KNOWN });
      expect(found.constants.map(({ ms }) => ms)).toEqual(isOne ? [Date.parse(textOf(0))] : []);
      expect(found.times).toMatchObject([{ offsets: [3_600_000] }]);
      expect([found.generated, found.unexplained, found.truncated]).toEqual([[], [], []]);
    },
  );
});

describe("a time that is truncated", () => {
  const MINUTE = 60_000;

  it.each([
    ["to a minute", MINUTE],
    ["to an hour", 60 * MINUTE],
  ])("%s is a time of its step, also in two executions between which the unit ends", (_what, unit) => {
    const at = (startMs: number) => ({
      facts: facts({ context: { seen: new Date(Math.floor(startMs / unit) * unit).toISOString() } }),
      window: { startMs, endMs: startMs + 5 },
    });
    const end = Date.UTC(2025, 10, 21, 13);
    const { generated, times, unexplained } = compareExecutions(at(end - 400), at(end + 800), { known: NOTHING_KNOWN });
    expect([generated, unexplained]).toEqual([[], []]);
    expect(times).toMatchObject([{ resolutionMs: unit, base: "step", offsets: [0] }]);
  });
});

it("ignores milliseconds that the lifetime of a cookie of express-session lacks, in an object and in JSON text", () => {
  const session = (originalMaxAge: number) => ({ cookie: { originalMaxAge, path: "/" }, user: 1 });
  const inBoth = (lifetime: number): Partial<Facts> => probed(session(lifetime), { text: JSON.stringify(session(lifetime)) });
  const same = compared(inBoth(86_399_999), inBoth(86_400_000));
  expect([same.unexplained, same.generated]).toEqual([[], []]);
  expect(compared(inBoth(86_400_000), inBoth(3_600_000)).generated).not.toEqual([]);
});
