import type { Model, Outcome } from "./model.ts";

/** `[status, refunded, shipped]`, or `null`: not created yet. */
type Order = readonly [status: string, refunded: number, shipped: boolean] | null;
export type Ledger = readonly [Order, Order, Order];

const actions = ["create", ...[1, 2, 3].flatMap((order) => ["pay", "ship", "refund", "cancel"].map((verb) => `${verb}_${order}`))];

/** The ledger: three orders with a lifecycle each. `bug`: a shipped order may be cancelled. */
export function ledger(bug: boolean): Model<Ledger> {
  return {
    initial: [null, null, null],
    actions,
    step: (state, action) => {
      if (action === "create") {
        const free = state.indexOf(null);
        return free < 0 ? { status: 409, state } : { status: 201, state: replaced(state, free, ["created", 0, false]) };
      }
      const [verb, number] = action.split("_") as [string, string];
      return onOrder(state, Number(number) - 1, verb, bug);
    },
    broken: (state) =>
      state.some((order) => order?.[0] === "cancelled" && order[2])
        ? ["cancelled_never_shipped", "customer_sees_no_shipped_cancellation"]
        : [],
  };
}

function onOrder(state: Ledger, at: number, verb: string, bug: boolean): Outcome<Ledger> {
  const order = state[at] ?? null;
  if (order === null) return { status: 404, state };
  const [status, refunded, shipped] = order;
  const next = ((): Order => {
    if (verb === "pay") return status === "created" ? ["paid", refunded, shipped] : null;
    if (verb === "ship") return status === "paid" ? ["shipped", refunded, true] : null;
    if (verb === "refund") return /^(paid|shipped)$/.test(status) && refunded < 100 ? [status, refunded + 10, shipped] : null;
    return status === "created" || (bug && status === "shipped") ? ["cancelled", refunded, shipped] : null;
  })();
  return next === null ? { status: 409, state } : { status: 200, state: replaced(state, at, next) };
}

function replaced(state: Ledger, at: number, order: Order): Ledger {
  return state.map((old, index) => (index === at ? order : old)) as unknown as Ledger;
}
