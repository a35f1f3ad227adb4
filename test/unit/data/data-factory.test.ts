import { afterEach, describe, expect, it, vi } from "vitest";
import { DataFactory } from "../../../src/data/index.ts";
import { Context } from "../../../src/model/context/context.ts";
import { loadHasher } from "../../../src/state/index.ts";
import { canonicalizer } from "../state/support.ts";

afterEach(() => {
  vi.useRealTimers();
});

const everything = (data: DataFactory): unknown[] => [
  data.user(),
  data.product(),
  data.order(),
  data.address(),
  data.payment(),
  data.email(),
  data.name(),
  data.username(),
  data.password(),
  data.phone(),
  data.company(),
  data.word(),
  data.sentence(),
  data.uuid(),
  data.boolean(),
  data.integer(1, 1_000_000),
  data.amount(),
  data.pastDate(),
  data.futureDate(),
  data.pick([1, 2, 3, 4, 5]),
];

describe("seed", () => {
  it("decides everything, at any time of the clock", () => {
    const first = everything(new DataFactory({ seed: 7 }));
    vi.useFakeTimers({ now: Date.UTC(2099, 5, 1) });
    expect(everything(new DataFactory({ seed: 7 }))).toEqual(first);
    expect(everything(new DataFactory({ seed: 8 }))).not.toEqual(first);
    expect(everything(new DataFactory({ seed: "7" }))).not.toEqual(first);
    expect(everything(new DataFactory())).toEqual(everything(new DataFactory({ seed: 0 })));
  });

  it("factories that take turns do not disturb each other", () => {
    const alone = [new DataFactory({ seed: 1 }), new DataFactory({ seed: 2 })].map((data) => [
      data.user(),
      data.uuid(),
      data.integer(0, 99),
    ]);
    const [a, b] = [new DataFactory({ seed: 1 }), new DataFactory({ seed: 2 })];
    const mixed: unknown[][] = [[], []];
    for (const draw of [
      (data: DataFactory) => data.user(),
      (data: DataFactory) => data.uuid(),
      (data: DataFactory) => data.integer(0, 99),
    ]) {
      mixed[0]!.push(draw(a));
      mixed[1]!.push(draw(b));
    }
    expect(mixed).toEqual(alone);
  });

  it.each([NaN, Infinity, null as never])("refuses %s", (seed) => {
    expect(() => new DataFactory({ seed })).toThrow(
      `The option seed of a DataFactory is ${String(seed)}, but must be a number or a string.`,
    );
  });
});

describe("values", () => {
  const many = Array.from({ length: 300 }, (_, seed) => new DataFactory({ seed }));

  it("users", () => {
    const users = many.map((data) => data.user());
    for (const user of users) {
      expect(user.email).toMatch(/^[a-z]+\.[a-z]+\.[a-z0-9]{6}@example\.com$/);
      expect(user.password).toMatch(/^[A-Z][a-z]\d![A-Za-z0-9]{8}$/);
      expect(user.birthDate).toMatch(/^(19[3-9]\d|200[0-2])-\d\d-\d\d$/);
      expect(user.phone).toMatch(/^\+1\d{3}55501\d\d$/);
    }
    expect(new Set(users.map(({ email }) => email)).size).toBe(users.length);
  });

  it("payments pass the check of their numbers and have not run out", () => {
    for (const data of many) {
      const { cardNumber, expiryYear } = data.payment();
      expect(cardNumber).toMatch(/^4\d{15}$/);
      const sum = [...cardNumber]
        .reverse()
        .reduce((all, digit, i) => all + (i % 2 === 0 ? Number(digit) : [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][Number(digit)]!), 0);
      expect(sum % 10).toBe(0);
      expect(expiryYear).toBeGreaterThanOrEqual(2040);
    }
  });

  it("an order's total is the sum of its items", () => {
    for (const data of many) {
      const { items, total } = data.order();
      expect(Math.round(total * 100)).toBe(items.reduce((sum, { quantity, unitPrice }) => sum + quantity * Math.round(unitPrice * 100), 0));
    }
  });

  it("ranges hold, both ends included", () => {
    expect(new Set(many.map((data) => data.integer(-1, 1)))).toEqual(new Set([-1, 0, 1]));
    expect(new Set(many.map((data) => data.amount(1, 1.01)))).toEqual(new Set([1, 1.01]));
    expect(many.every((data) => /^20(19|20)-/.test(data.pastDate()) && /^204\d-/.test(data.futureDate()))).toBe(true);
    expect(new DataFactory().integer(5, 5)).toBe(5);
    // 0.28 * 100 is above 28, and 1.1 * 100 above 110. 0.29 * 100 and 4.35 * 100 are below 29 and 435.
    expect(new Set(many.map((data) => data.amount(0.28, 0.29)))).toEqual(new Set([0.28, 0.29]));
    expect([1.1, 4.35, 0.07, -1.1].map((one) => new DataFactory().amount(one, one))).toEqual([1.1, 4.35, 0.07, -1.1]);
  });

  it.each([
    [2, 1],
    [0.5, 1],
    [0, NaN],
  ])("integer(%s, %s) is refused", (min, max) => {
    expect(() => new DataFactory().integer(min, max)).toThrow(`integer(${min}, ${max}) of the test data factory is not a valid range`);
  });

  it("pick of nothing and an amount between cents are refused", () => {
    expect(() => new DataFactory().pick([])).toThrow("pick() of the test data factory got an empty list.");
    expect(() => new DataFactory().amount(1.001, 1.002)).toThrow("is not a valid range");
  });

  it("a uuid is an opaque id for the state's identity, what is sent otherwise is a value", async () => {
    await loadHasher();
    const identity = canonicalizer({ clockMs: Date.now() });
    const fingerprint = (value: unknown): string => {
      const out = { lo: 0, hi: 0 };
      identity.fingerprint({ systems: {}, context: { value }, clients: {} }, out);
      return `${out.lo},${out.hi}`;
    };
    const [a, b] = [new DataFactory({ seed: 1 }), new DataFactory({ seed: 2 })];
    expect(fingerprint(a.uuid())).toBe(fingerprint(b.uuid()));
    for (const kind of ["user", "product", "order", "address", "payment"] as const)
      expect(fingerprint(a[kind]())).not.toBe(fingerprint(b[kind]()));
    for (const kind of ["email", "password", "username", "pastDate"] as const)
      expect(fingerprint(a[kind]())).not.toBe(fingerprint(b[kind]()));
  });
});

describe("records", () => {
  it("take overrides, and draw the rest as without", () => {
    const user = new DataFactory().user();
    expect(new DataFactory().user({ email: "a@b" })).toEqual({ ...user, email: "a@b" });
    expect(new DataFactory().create("user", { email: "a@b" })).toEqual({ ...user, email: "a@b" });
  });

  it("of one's own are typed, may build on others, and the later definition wins", () => {
    const data = new DataFactory()
      .define("invoice", (draw) => ({ number: draw.integer(1, 9), to: draw.user().email }))
      .define("pair", (draw) => ({ a: draw.create("invoice"), b: 1 }));
    const invoice = data.create("invoice", { to: "x" });
    // A compile-time check, too: `number` is a number, not unknown.
    expect(invoice.number + 0).toBeGreaterThan(0);
    expect(invoice.to).toBe("x");
    expect(data.create("pair").a.number).toBeTypeOf("number");
    const again = data.define("invoice", () => ({ other: true })).define("user", () => ({ mine: 1 }));
    expect(again.create("invoice")).toEqual({ other: true });
    expect(again.create("user").mine).toBe(1);
    expect(again.user()).toHaveProperty("email");
  });

  it("that nobody knows are named, with those that exist", () => {
    const data = new DataFactory().define("invoice", () => ({}));
    expect(() => data.create("invoce")).toThrow('The test data factory has no kind of record with the name "invoce".');
    expect(() => data.create("invoce")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("user, product, order, address, payment, invoice.") as string }) as Error,
    );
    expect(() => data.define("", () => ({}))).toThrow("define() of the test data factory got no name");
  });
});

describe("context.data", () => {
  it("says so where nothing is run, and is no key", () => {
    const context = new Context();
    expect(() => context.data).toThrow("context.data was read outside a step");
    expect(() => context.set("data", 1)).toThrow('"data" cannot be a context key');
    expect(Object.keys(context)).toEqual([]);
    expect(context.toJSON()).toEqual({});
  });
});
