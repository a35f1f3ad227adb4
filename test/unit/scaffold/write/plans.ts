import type { PlannedAction, PlannedValue, ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import type { HttpMethod, Operation } from "../../../../src/openapi/operations/description.ts";

export function operation(method: HttpMethod, path: string, more: Partial<Operation> = {}): Operation {
  return {
    method,
    path,
    id: undefined,
    tags: [],
    summary: undefined,
    description: undefined,
    deprecated: false,
    parameters: [],
    body: undefined,
    responses: [],
    security: [],
    pointer: "",
    ...more,
  };
}

export function action(name: string, of: Operation, more: Partial<PlannedAction> = {}): PlannedAction {
  return {
    operation: of,
    name,
    group: "orders",
    kind: "other",
    resource: undefined,
    parameters: [],
    body: undefined,
    needs: [],
    produces: [],
    frees: [],
    ...more,
  };
}

export function plan(actions: readonly PlannedAction[], more: Partial<ScaffoldPlan> = {}): ScaffoldPlan {
  return {
    title: "Shop",
    baseUrl: "http://127.0.0.1:3000",
    actions,
    keys: [],
    resources: [],
    login: undefined,
    notInferred: [],
    pathParameters: { all: 0, inferred: 0 },
    warnings: [],
    ...more,
  };
}

export const constant = (value: Extract<PlannedValue, { readonly kind: "constant" }>["value"]): PlannedValue => ({
  kind: "constant",
  value,
});
export const fromContext = (key: string): PlannedValue => ({ kind: "context", key });
export const drawn = (call: Extract<PlannedValue, { readonly kind: "drawn" }>["call"]): PlannedValue => ({ kind: "drawn", call });
const inPath = (name: string, key: string, why: string): PlannedAction["parameters"][number] => ({
  name,
  in: "path",
  value: fromContext(key),
  why,
});

const email = drawn("email");
const order = inPath("order_id", "order_id", "id of create_order's answer");

export const createCustomer: PlannedAction = action(
  "create_customer",
  operation("post", "/customers", { tags: ["Customers"], summary: "Sign up" }),
  {
    group: "customers",
    kind: "create",
    resource: "customer",
    body: {
      as: "json",
      mediaType: "application/json",
      value: {
        kind: "object",
        entries: [
          ["email", email],
          ["name", drawn("name")],
          ["newsletter", constant(false)],
        ],
      },
    },
    produces: [
      { key: "customer_id", from: "body", path: ["id"] },
      { key: "customer_email", from: "sent", value: email },
    ],
  },
);
export const createOrder: PlannedAction = action(
  "create_order",
  operation("post", "/orders", { tags: ["Orders"], summary: "Place an order" }),
  {
    kind: "create",
    resource: "order",
    needs: ["customer_id"],
    body: {
      as: "json",
      mediaType: "application/json",
      value: {
        kind: "object",
        entries: [
          ["customer_id", fromContext("customer_id")],
          ["amount", constant(100)],
        ],
      },
    },
    produces: [{ key: "order_id", from: "body", path: ["id"] }],
  },
);
export const listOrders: PlannedAction = action("list_orders", operation("get", "/orders", { tags: ["Orders"] }), {
  kind: "list",
  resource: "order",
  parameters: [{ name: "limit", in: "query", value: constant(20), why: "default" }],
});
export const readOrder: PlannedAction = action(
  "read_order",
  operation("get", "/orders/{order_id}", { tags: ["Orders"], summary: "Look at an order." }),
  {
    kind: "read",
    resource: "order",
    parameters: [order],
    needs: ["order_id"],
  },
);
export const deleteOrder: PlannedAction = action(
  "delete_order",
  operation("delete", "/orders/{order_id}", { tags: ["Orders"], deprecated: true }),
  {
    kind: "delete",
    resource: "order",
    parameters: [order],
    needs: ["order_id"],
    frees: ["order_id"],
  },
);

/** A shop: customers that place orders. */
export const shop: ScaffoldPlan = plan([createCustomer, createOrder, listOrders, readOrder, deleteOrder], {
  keys: [
    { key: "customer_id", type: "string" },
    { key: "customer_email", type: "string" },
    { key: "order_id", type: "number" },
  ],
  resources: [
    { name: "customer", collection: "/customers", item: "/customers/{customer_id}", can: { create: true } },
    { name: "order", collection: "/orders", item: "/orders/{order_id}", can: { create: true, list: true, read: true, delete: true } },
  ],
  login: {
    kind: "operation",
    action: action("log_in", operation("post", "/login"), {
      body: {
        as: "json",
        mediaType: "application/json",
        value: {
          kind: "object",
          entries: [
            ["username", { kind: "environment", name: "SHOP_USER", otherwise: "alice" }],
            ["password", { kind: "environment", name: "SHOP_PASSWORD", otherwise: "secret" }],
          ],
        },
      },
    }),
    userField: "username",
    passwordField: "password",
    token: ["access_token"],
  },
  pathParameters: { all: 2, inferred: 2 },
});
