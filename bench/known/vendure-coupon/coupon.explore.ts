import { Action, Agent, Invariant, World, type ApiClient, type Values } from "seqqa";
import { HttpClient } from "seqqa/adapters/http";
import type { PostgresAdapter } from "seqqa/adapters/postgres";

const USERS = ["ada", "bob"];
const send = (api: ApiClient, query: string) => api.post("/shop-api", { json: { query: `mutation { ${query} { __typename } }` } });
const checkOut = (as: string): Action => {
  const run = async (api: ApiClient) => {
    await send(api, `addItemToOrder(productVariantId: 1, quantity: 1)`);
    await send(api, `setCustomerForOrder(input: { firstName: "${as}", lastName: "x", emailAddress: "${as}@example.org" })`);
    await send(api, `applyCouponCode(couponCode: "ONCE")`);
    await send(api, `setOrderShippingAddress(input: { streetLine1: "Ring 1", countryCode: "AT" })`);
    await send(api, `setOrderShippingMethod(shippingMethodId: [1])`);
    return send(api, `transitionOrderToState(state: "ArrangingPayment")`);
  };
  return new Action({ name: `${as}_checks_out`, as, run });
};
const pay = (as: string): Action =>
  new Action({ name: `${as}_pays`, as, run: async (api) => send(api, `addPaymentToOrder(input: { method: "paid", metadata: {} })`) });
const USES = `SELECT o.id FROM "order" o JOIN order_promotions_promotion p ON p."orderId" = o.id WHERE o."orderPlacedAt" IS NOT NULL`;
const once = new Invariant({
  name: "coupon_is_used_once",
  message: "a coupon with a usage limit of 1 is on two placed orders",
  check: async ({ systems }) => (await (systems["db"] as PostgresAdapter).query(USES)).length <= 1,
});
export const agent: Agent = new Agent({
  name: "vendure-coupon",
  world: ({ baseUrl, systems }) =>
    new World<Values>({ clients: Object.fromEntries(USERS.map((user) => [user, new HttpClient(baseUrl)])), systems }),
  actions: USERS.flatMap((user) => [checkOut(user), pay(user)]),
  invariants: [once],
  maxDepth: 4,
});
