import { expect, it } from "vitest";
import { describe as described } from "../../../../src/openapi/index.ts";
import { planScaffold } from "../../../../src/scaffold/infer/index.ts";
import type { ScaffoldPlan } from "../../../../src/scaffold/infer/plan.ts";
import { expectSound } from "../../../support/plan-invariants.ts";

const item = { type: "object", required: ["id"], properties: { id: { type: "integer" } } };
const answers = { "200": { description: "it", content: { "application/json": { schema: item } } } };
const parametersOf = (path: string): readonly object[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "integer" } }));

/** @param calls such as `post /orders` */
function planOf(...calls: readonly string[]): ScaffoldPlan {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const call of calls) {
    const [method = "", path = ""] = call.split(" ");
    paths[path] = { ...paths[path], [method]: { operationId: call, parameters: parametersOf(path), responses: answers } };
  }
  const plan = planScaffold(described({ openapi: "3.0.3", info: { title: "Shop", version: "1" }, paths }, "test"));
  expectSound(plan);
  return plan;
}

const ORDERS = ["post /orders", "get /orders/{order_id}", "delete /orders/{order_id}"];
const actionOf = (plan: ScaffoldPlan, call: string): ScaffoldPlan["actions"][number] =>
  plan.actions.find(({ operation }) => operation.id === call)!;

it.each([
  ["post", "/orders/{order_id}/restore", "/orders/{order_id}/restore"],
  ["put", "/orders/{id}/undelete", "/orders/{order_id}/undelete"],
  // Rules know paths by whole segments.
  ["post", "/orders/{order_id}:undelete", undefined],
])("%s %s brings an order back", (method, path, restore) => {
  const plan = planOf(...ORDERS, `${method} ${path}`);
  expect(actionOf(plan, "delete /orders/{order_id}")).toMatchObject({
    frees: ["order_id"],
    keeps: [{ from: "order_id", to: "deleted_order_id" }],
  });
  expect(actionOf(plan, `${method} ${path}`)).toMatchObject({
    needs: ["order_id"],
    restores: { from: "deleted_order_id", to: "order_id" },
    parameters: [{ value: { kind: "context", key: "order_id", first: "deleted_order_id" } }],
  });
  expect(plan.keys).toEqual([
    { key: "order_id", type: "number" },
    { key: "deleted_order_id", type: "number" },
  ]);
  expect(plan.resources[0]?.restore).toBe(restore);
});

it("what is below a deleted thing does not come back with it, nor without it", () => {
  const below = "/orders/{order_id}/items";
  const plan = planOf(...ORDERS, `post ${below}`, `get ${below}/{item_id}`, `delete ${below}/{item_id}`, `post ${below}/{item_id}/restore`);
  expect(actionOf(plan, "delete /orders/{order_id}")).toMatchObject({ frees: ["order_id", "item_id", "deleted_item_id"], keeps: [] });
  expect(actionOf(plan, `post ${below}/{item_id}/restore`).restores).toEqual({ from: "deleted_item_id", to: "item_id" });
});

it.each(["post /orders/{order_id}/reopen", "get /orders/{order_id}/restore", "post /orders/restore", "post /restore/{order_id}"])(
  "%s brings nothing back",
  (call) => {
    const plan = planOf(...ORDERS, call);
    expect(plan.actions.flatMap(({ keeps = [], restores = [] }) => [keeps, restores].flat())).toEqual([]);
    expect(plan.resources.map(({ restore }) => restore)).toEqual(plan.resources.map(() => undefined));
  },
);

it("nor does what cannot be deleted come back, or where the key is taken", () => {
  const restore = "post /orders/{order_id}/restore";
  const kept = planOf("post /orders", "get /orders/{order_id}", restore);
  const taken = planOf(...ORDERS, restore, "post /deleted-orders", "get /deleted-orders/{deleted_order_id}");
  for (const plan of [kept, taken]) expect(actionOf(plan, restore).restores).toBeUndefined();
});

it("keeps the slash at the ends of paths", () => {
  const plan = planOf(
    "post /orders/",
    "post /orders/{order_id}/pay",
    "get /orders/{order_id}/",
    "delete /orders/{order_id}/",
    "post /orders/{order_id}/restore/",
  );
  expect(plan.resources).toMatchObject([{ collection: "/orders/", item: "/orders/{order_id}/", restore: "/orders/{order_id}/restore/" }]);
  expect(planOf("get /orders/", "get /orders/{order_id}", "delete /orders/{order_id}").resources).toMatchObject([
    { collection: "/orders/", item: "/orders/{order_id}" },
  ]);
});
