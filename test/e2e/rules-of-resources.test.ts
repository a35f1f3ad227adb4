import { describe, expect, it } from "vitest";
import { full, laneCounts } from "../sizes.ts";
import { documentOf, emptyFolder, only, seqqa, type Explored } from "../support/e2e.ts";

async function explored(defect: string, ...args: readonly string[]): Promise<Explored> {
  const command = ["run", "fixtures/rules", "--reporter", "json", "--output", emptyFolder(), ...args];
  const ran = await seqqa(command, { env: { DEFECT: defect } });
  expect(ran.stderr).toBe("");
  return only(documentOf(ran));
}

interface Defect {
  readonly defect: string;
  /** By rule. */
  readonly found: Readonly<Record<string, string>>;
  readonly path: string;
  /** What the rule asked in the state that the step led to. */
  readonly asked: readonly string[];
}

const PRODUCT = "/shops/{shop_id}/products/{product_id}";
const CREATED = "create_product: after POST /shops/{shop_id}/products";
const DEFECTS: readonly Defect[] = [
  {
    defect: "use_after_free",
    found: {
      use_after_free: `delete_product: DELETE ${PRODUCT} was answered 204, but GET ${PRODUCT} of the deleted item was then answered 200`,
    },
    path: "create_shop create_product delete_product",
    asked: ["GET /shops/1/products/1 200"],
  },
  {
    defect: "orphans",
    found: {
      use_after_free:
        "delete_shop: DELETE /shops/{shop_id} was answered 204, but GET /shops/{shop_id}/products below the deleted item was then answered 200 with 1 item",
    },
    path: "create_shop create_product delete_shop",
    asked: ["GET /shops/1 404", "GET /shops/1/products 200"],
  },
  {
    defect: "unavailable",
    found: {
      created_means_available: `create_product: POST /shops/{shop_id}/products was answered 201, but GET ${PRODUCT} was then answered 404`,
    },
    path: "create_shop create_product",
    asked: ["GET /shops/1/products/1 404", "GET /shops/1/products/1 404"],
  },
  {
    defect: "hierarchy",
    found: { resource_hierarchy: `${CREATED}, GET ${PRODUCT} of the created item under another shop was answered 200` },
    path: "create_shop create_shop create_product",
    asked: ["GET /shops 200", "GET /shops/1/products/1 200"],
  },
  {
    defect: "hierarchy_delete",
    found: {
      resource_hierarchy: `${CREATED}, DELETE ${PRODUCT} of the created item under another shop was answered 204 and deleted the item`,
    },
    path: "create_shop create_shop create_product",
    asked: [
      "GET /shops 200",
      "GET /shops/1/products/1 404",
      "GET /shops/2/products/1 200",
      "DELETE /shops/1/products/1 204",
      "GET /shops/2/products/1 404",
    ],
  },
  {
    // What a refused create leaves is a change by a refused call, too.
    defect: "leak",
    found: {
      leakage: "create_free_product: POST /shops/{shop_id}/products was refused with 422, and the list has 1 more item",
      rejected_means_unchanged: "create_free_product was refused with status 422 and changed the stores: db.products: 1 row added",
    },
    path: "create_shop create_free_product",
    asked: ["GET /shops/1/products 200"],
  },
  {
    defect: "adds_up",
    found: {
      idempotent:
        "update_product: PUT /shops/{id}/products/{id} was sent again and answered 200, and the second request changed the stores: db.products: 1 row changed (products.stock)",
    },
    path: "create_shop create_product update_product",
    asked: ["PUT /shops/1/products/1 200"],
  },
  {
    defect: "stale_list",
    found: { list_agrees_with_item: `update_product: GET /shops/{shop_id}/products and GET ${PRODUCT} of an item in it differ in "price"` },
    path: "create_shop create_product update_product",
    asked: [
      "GET /shops 200",
      "GET /shops/1 200",
      "GET /shops/1/products 200",
      "GET /shops/1/products/1 200",
      "GET /shops/1/products/1 200",
      "GET /shops/1/products 200",
    ],
  },
  {
    defect: "charges_again",
    found: {
      retry_safe:
        "pay: POST /payments with the same Idempotency-Key was answered 201 the first time and 201 the second time, and the second request changed the stores: db.payments: 1 row added",
    },
    path: "pay",
    asked: ["POST /payments 201"],
  },
];

describe("rules about resources, over a real store", () => {
  it("say nothing of an API that keeps them, to exhaustion", async () => {
    const clean = await explored("");
    expect(clean).toMatchObject({ stopReason: "exhausted", violations: [], errors: [], divergences: [] });
    expect(Object.values(clean.coverage.actions).every(({ applied }) => applied > 0)).toBe(true);
  });

  // In the quick suite e2e/rules finds one on two lanes.
  const lanesOf = full ? laneCounts : ["1"];

  // In the quick suite two of them: e2e/scaffold-run, rules-new-ids and rules-on-clean find one of each other rule, and unit/rules has all.
  it.each(full ? DEFECTS : DEFECTS.filter(({ defect }) => ["unavailable", "stale_list"].includes(defect)))(
    "find $defect, and nothing else",
    async ({ defect, found, path, asked }) => {
      const runs = [];
      for (const lanes of lanesOf) runs.push(await explored(defect, "--parallel", lanes));
      const [one] = runs as [Explored];
      expect(one).toMatchObject({ stopReason: "exhausted", errors: [], divergences: [] });
      expect(new Set(runs.map(({ digest }) => digest)).size).toBe(1);
      for (const { violations } of runs) {
        expect(Object.fromEntries(violations.map(({ invariant, message }) => [invariant, message]))).toEqual(found);
        expect(violations.map(({ reproductionPath, confirmed }) => [reproductionPath.join(" "), confirmed])).toContainEqual([path, true]);
        expect(violations.every(({ confirmed }) => confirmed)).toBe(true);
      }
      const first = one.violations.find(({ reproductionPath }) => reproductionPath.join(" ") === path);
      expect(first?.checks?.map(shown)).toEqual(asked);
    },
  );
});

function shown({ request, response }: NonNullable<Explored["violations"][number]["checks"]>[number]): string {
  return `${request.method} ${new URL(request.url).pathname} ${response?.status}`;
}
