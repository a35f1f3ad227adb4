import type { Model } from "./model.ts";

interface Order {
  readonly status: string;
  readonly shipped: boolean;
  readonly refunded: number;
}

/** Orders in the order of their making; actions work on the last one. */
export type Shop = readonly Order[];

export interface ShopBugs {
  readonly doubleRefund?: boolean;
  readonly cancelAfterShip?: boolean;
}

/** The shop: up to two orders of 100, where only the one made last can still change. */
export function shop(bugs: ShopBugs = {}): Model<Shop> {
  const allowed: Readonly<Record<string, readonly string[]>> = {
    pay_order: ["created"],
    ship_order: ["paid"],
    refund_order: bugs.doubleRefund ? ["paid", "shipped", "refunded"] : ["paid", "shipped"],
    cancel_order: bugs.cancelAfterShip ? ["created", "paid", "shipped"] : ["created", "paid"],
  };
  return {
    initial: [],
    actions: ["create_order", "pay_order", "ship_order", "refund_order", "cancel_order"],
    step: (state, action) => {
      if (action === "create_order") {
        if (state.length === 2) return { status: 409, state };
        return { status: 201, state: [...state, { status: "created", shipped: false, refunded: 0 }] };
      }
      const order = state.at(-1);
      if (order === undefined) return null;
      if (!allowed[action]?.includes(order.status)) return { status: 409, state };
      return { status: 200, state: [...state.slice(0, -1), changed(order, action)] };
    },
    broken: (state) => [
      ...(state.some((order) => order.refunded > 100) ? ["refund_within_amount"] : []),
      ...(state.some((order) => order.status === "cancelled" && order.shipped) ? ["cancelled_never_shipped"] : []),
    ],
  };
}

function changed(order: Order, action: string): Order {
  switch (action) {
    case "pay_order":
      return { ...order, status: "paid" };
    case "ship_order":
      return { ...order, status: "shipped", shipped: true };
    case "refund_order":
      return { ...order, status: "refunded", refunded: order.refunded + 100 };
    default:
      return { ...order, status: "cancelled" };
  }
}
