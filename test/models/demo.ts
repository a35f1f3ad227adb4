import type { Model } from "./model.ts";

/** `[status, paid, shipped, times refunded]` of each order; actions work on the last one. */
export type Demo = readonly (readonly [status: string, paid: boolean, shipped: boolean, refunds: number])[];

/** The shop of the demonstration, its bug included: what was paid and not cancelled can be refunded any number of times. */
export function demo(): Model<Demo> {
  return {
    initial: [],
    actions: ["create_order", "pay_order", "ship_order", "refund_order", "cancel_order"],
    step: (state, action) => {
      if (action === "create_order") {
        return state.length < 2 ? { status: 201, state: [...state, ["created", false, false, 0]] } : { status: 409, state };
      }
      const order = state.at(-1);
      if (order === undefined) return null;
      const next = changed(order, action);
      return next === null ? { status: 409, state } : { status: 200, state: [...state.slice(0, -1), next] };
    },
    broken: (state) => (state.some(([, , , refunds]) => refunds > 1) ? ["refund_within_amount"] : []),
  };
}

function changed([status, paid, shipped, refunds]: Demo[number], action: string): Demo[number] | null {
  if (action === "pay_order" && status === "created") return ["paid", true, shipped, refunds];
  if (action === "ship_order" && status === "paid") return ["shipped", paid, true, refunds];
  if (action === "refund_order" && paid && status !== "cancelled") return ["refunded", paid, shipped, refunds + 1];
  if (action === "cancel_order" && (status === "created" || status === "paid")) return ["cancelled", paid, shipped, refunds];
  return null;
}
