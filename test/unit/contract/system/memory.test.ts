import { describe, expect, it, test } from "vitest";
import { MemoryAdapter } from "../../../../src/adapters/memory/index.ts";
import { size } from "../../../sizes.ts";
import type { Random } from "../../../contract/system/random.ts";
import { systemContract, type Subject } from "../../../contract/system/system-contract.ts";

interface Order {
  id: number;
  status: string;
  tags: string[];
  paid?: number | null;
}

interface Shop {
  next: number;
  orders: Order[];
  users: Record<string, { readonly name: string }>;
  /** An element of `orders`, not a copy. */
  open?: Order | undefined;
  seen?: Set<number>;
  at?: Date;
}

function lane(laneIndex: number, classes: boolean): Promise<Subject> {
  const shop: Shop = {
    next: 2,
    orders: [{ id: 1, status: "new", tags: [] }],
    users: {},
    ...(classes ? { seen: new Set(), at: new Date(0) } : {}),
  };
  const system = new MemoryAdapter<Shop>({ state: shop });
  system.open({ name: "memory", laneIndex, inProcess: true, borrowed: false });
  return Promise.resolve({ system, write: async (random) => change(system, random), close: async () => system.close() });
}

/** An API that changes its state in place, and one that replaces it. */
function change(system: MemoryAdapter<Shop>, random: Random): void {
  const { state } = system;
  const order = state.orders.length === 0 ? undefined : random.pick(state.orders);
  random.pick([
    () => state.orders.push({ id: state.next++, status: "new", tags: ["a"] }),
    () => order !== undefined && (order.status = random.pick(["new", "paid", "shipped"])),
    () => order?.tags.push(`t${random.below(3)}`),
    () => order !== undefined && (order.paid = random.pick([null, 0, 5])),
    () => order !== undefined && delete order.paid,
    () => state.orders.splice(random.below(3), 1),
    () => (state.users[`u${random.below(3)}`] = { name: "x" }),
    () => state.seen !== undefined && (state.open = order),
    () => (state.open = order && { ...order, tags: [] }),
    () => state.open !== undefined && (state.open.status = random.pick(["new", "paid"])),
    () => state.seen?.add(random.below(5)),
    () => state.at !== undefined && (state.at = new Date(random.below(3))),
    () => (system.state = { ...state, next: state.next + 1 }),
  ])();
}

describe("memory, values of any class", () => {
  systemContract({ lane: (index) => lane(index, true), cycles: size(6, 10_000), cautious: true });
});

describe("memory, plain data", () => {
  systemContract({ lane: (index) => lane(index, false), cycles: size(6, 10_000), seed: 2 });
});

test.each([{ n: 0 }, [0]])("0 and -0 are two values", (state) => {
  const store = new MemoryAdapter<unknown>({ state });
  const zero = store.mark();
  store.state = Array.isArray(state) ? [-0] : { n: -0 };
  expect(store.changed(zero)).toBe(true);
  const negative = store.mark();
  expect(store.changed(negative)).toBe(false);
  store.restore(zero);
  expect(store.changed(negative)).toBe(true);
  expect(store.state).toEqual(state);
});

describe("memory, objects with several references", () => {
  const shared = (): { readonly orders: { status: string }[]; open: { status: string } } => {
    const order = { status: "new" };
    return { orders: [order], open: order };
  };

  it("a restore keeps them one object", () => {
    const store = new MemoryAdapter({ state: { ...shared(), at: new Map() } });
    store.state.at.set("first", store.state.orders[0]);
    store.restore(store.mark());
    store.write(store.capture());
    expect(store.state.open).toBe(store.state.orders[0]);
    expect(store.state.at.get("first")).toBe(store.state.orders[0]);
  });

  it("a reference to a copy with equal contents is a change, in both directions", () => {
    const store = new MemoryAdapter({ state: shared() });
    const one = store.mark();
    store.state.open = { ...store.state.open };
    expect(store.changed(one)).toBe(true);
    const two = store.mark();
    expect(store.changed(two)).toBe(false);
    store.state.open = store.state.orders[0]!;
    expect(store.changed(two)).toBe(true);
  });

  it("references back end the copy soon", () => {
    const customer: { orders: object[] } = { orders: [] };
    customer.orders.push({ customer }, { customer });
    const store = new MemoryAdapter({ state: customer });
    store.restore(store.mark());
    expect(store.state.orders).toHaveLength(2);
    expect(store.state.orders[0]).toEqual({ customer: store.state });
  }, 5_000);
});

describe("memory, instances of classes", () => {
  class Line {
    amount = 2;
  }
  class Cart {
    lines: Line[] = [new Line()];
    total(): number {
      return this.lines.reduce((sum, { amount }) => sum + amount, 0);
    }
  }

  it("with methods are refused, because a copy has none", () => {
    const store = new MemoryAdapter({ state: { carts: new Map([["ann", { cart: new Cart() }]]) } });
    expect(() => store.mark()).toThrow(
      expect.objectContaining({
        code: "STATE_NOT_DATA",
        exitStatus: 2,
        message: "A MemoryAdapter cannot restore state.carts.ann.cart: a copy of a Cart has no methods.",
      }),
    );
  });

  it("without methods are restored as plain data", () => {
    const store = new MemoryAdapter({ state: { line: new Line(), at: new Date(3), error: new RangeError("x") } });
    store.restore(store.mark());
    expect(store.state).toMatchObject({ line: { amount: 2 }, at: new Date(3), error: new RangeError("x") });
  });
});
