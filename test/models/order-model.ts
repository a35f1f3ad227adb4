import type { Model } from "./model.ts";

export const ORDER_BUGS = ["double_refund", "refund_canceled", "ship_unpaid", "lost_payment", "never_ships", "no_late_cancel"] as const;
export type OrderBug = (typeof ORDER_BUGS)[number] | "none";

interface Order {
  readonly status: string;
  readonly paid: boolean;
  readonly shipped: boolean;
  readonly canceled: boolean;
  readonly refunds: number;
}

/** What the API answers to a verb: the order after it, or `undefined` where it refuses. */
function serve(order: Order, verb: string, bug: OrderBug): Order | undefined {
  const { status } = order;
  switch (verb) {
    case "pay":
      if (status !== "created") return undefined;
      return bug === "lost_payment" ? order : { ...order, status: "paid", paid: true };
    case "ship":
      if (bug === "never_ships" || !(status === "paid" || (bug === "ship_unpaid" && status === "created"))) return undefined;
      return { ...order, status: "shipped", shipped: true };
    case "refund": {
      const again = (bug === "double_refund" && status === "refunded") || (bug === "refund_canceled" && status === "canceled");
      if (status !== "paid" && status !== "shipped" && !again) return undefined;
      return { ...order, status: "refunded", refunds: order.refunds + 1 };
    }
    default:
      if (status !== "created" && (status !== "paid" || bug === "no_late_cancel")) return undefined;
      return { ...order, status: "canceled", canceled: true };
  }
}

const CREATED: Order = { status: "created", paid: false, shipped: false, canceled: false, refunds: 0 };

const rulesBroken = (order: Order | null): readonly string[] =>
  order === null
    ? []
    : [
        ...(order.refunds > 1 ? ["refund_within_amount"] : []),
        ...(order.canceled && order.refunds > 0 ? ["canceled_never_refunded"] : []),
        ...(order.shipped && !order.paid ? ["shipped_means_paid"] : []),
      ];

/** One order, and every verb in every state. */
export function orderModel(bug: OrderBug = "none"): Model<Order | null> {
  return {
    initial: null,
    actions: ["create_order", "pay_order", "ship_order", "refund_order", "cancel_order"],
    step: (order, action) => {
      if (action === "create_order") return order === null ? { status: 201, state: CREATED } : { status: 409, state: order };
      if (order === null) return null;
      const after = serve(order, action.replace("_order", ""), bug);
      return after === undefined ? { status: 409, state: order } : { status: 200, state: after };
    },
    broken: rulesBroken,
  };
}

interface AtNode {
  readonly node: string;
  readonly order: Order | null;
}

/** Name -> from, to, verb. */
const EDGES: Readonly<Record<string, readonly [string, string, string]>> = {
  create_order: ["empty", "created", "create"],
  pay_order: ["created", "paid", "pay"],
  ship_order: ["paid", "shipped", "ship"],
  refund_paid: ["paid", "refunded", "refund"],
  refund_shipped: ["shipped", "refunded", "refund"],
  cancel_created: ["created", "canceled", "cancel"],
  cancel_paid: ["paid", "canceled", "cancel"],
  ship_unpaid: ["created", "created", "ship"],
  refund_again: ["refunded", "refunded", "refund"],
  refund_canceled: ["canceled", "canceled", "refund"],
};

/** The same order under the written model: a state is a node and what the store says. */
export function orderGraph(bug: OrderBug = "none"): Model<AtNode> {
  return {
    initial: { node: "empty", order: null },
    actions: Object.keys(EDGES),
    step: ({ node, order }, action) => {
      const [from, to, verb] = EDGES[action]!;
      if (node !== from) return null;
      if (order === null) return { status: 201, state: { node: to, order: CREATED } };
      const after = serve(order, verb, bug);
      return after === undefined ? { status: 409, state: { node, order } } : { status: 200, state: { node: to, order: after } };
    },
    broken: ({ node, order }) => [...rulesBroken(order), ...((order?.status ?? "empty") === node ? [] : [`${node}_denied`])],
  };
}
