import { describe } from "vitest";
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
    () => state.seen?.add(random.below(5)),
    () => state.at !== undefined && (state.at = new Date(random.below(3))),
    () => (system.state = { ...state, next: state.next + 1 }),
  ])();
}

describe("memory, values of any class", () => {
  systemContract({ lane: (index) => lane(index, true), cycles: size(16, 10_000), cautious: true });
});

describe("memory, plain data", () => {
  systemContract({ lane: (index) => lane(index, false), cycles: size(16, 10_000), seed: 2 });
});
