import { describe, expect, it } from "vitest";
import { resourceHierarchy } from "../../../src/rules/index.ts";
import { judged, RESOURCES, type Answer, type Script } from "../../support/scripted-step.ts";

const PARENTS = { "GET /customers": [200, [{ id: 1 }, { id: 2 }, { id: 3 }]] } as const;
const [OWN, OTHER] = ["GET /customers/1/orders/5", "GET /customers/2/orders/5"];
const created = (after: Script["after"], before: Script["before"] = {}): Script => ({
  sends: ["POST /customers/1/orders"],
  during: { "POST /customers/1/orders": [201, { id: 5 }] },
  after: { ...PARENTS, [OWN]: [200, { id: 5 }], ...after },
  before,
});
const MADE = "act: after POST /customers/{customer_id}/orders";

describe("resourceHierarchy", () => {
  const rule = resourceHierarchy({ resources: RESOURCES }) as never;

  it("is broken by a child that is read under another parent, where it was not before", async () => {
    const { said, asked } = await judged(rule, created({ [OTHER]: [200, { id: 5 }] }));
    expect(said).toBe(
      `${MADE}, GET /customers/{customer_id}/orders/{order_id} of the created item under another customer was answered 200`,
    );
    expect(asked).toEqual(["GET /customers", OTHER, `before: ${OTHER}`]);
  });

  it("holds where the other parent had one of that id already", async () => {
    expect((await judged(rule, created({ [OTHER]: [200, { id: 5 }] }, { [OTHER]: [200, { id: 5 }] }))).said).toBe(true);
  });

  it("is broken by a child that is deleted under another parent", async () => {
    let there = true;
    const remove = (): number => {
      there = false;
      return 204;
    };
    const { said } = await judged(rule, created({ [OWN]: () => (there ? [200, { id: 5 }] : 404), "DELETE /customers/2/orders/5": remove }));
    expect(said).toBe(
      `${MADE}, DELETE /customers/{customer_id}/orders/{order_id} of the created item under another customer was answered 204 and deleted the item`,
    );
  });

  it.each([200, [200, null], [200, { data: null }], [200, { ok: false }]] as Answer[])(
    "judges an API that answers %j for a missing item",
    async (missing) => {
      const served: Answer = [200, { id: 5 }];
      expect((await judged(rule, created({ [OTHER]: served }, { [OTHER]: missing }))).said).toContain(
        "under another customer was answered 200",
      );
      expect((await judged(rule, created({ [OTHER]: missing }))).said).toBe(true);
      let there = true;
      const remove = (): number => ((there = false), 204);
      const after = { [OTHER]: missing, [OWN]: () => (there ? served : missing), "DELETE /customers/2/orders/5": remove };
      expect((await judged(rule, created(after, { [OTHER]: missing }))).said).toContain("was answered 204 and deleted the item");
    },
  );

  it("holds where a DELETE of nothing is answered 204, with one parent, and without a list of parents", async () => {
    expect((await judged(rule, created({ "DELETE /customers/2/orders/5": 204 }))).said).toBe(true);
    expect(await judged(rule, created({ "GET /customers": [200, [{ id: 1 }]] }))).toEqual({ said: true, asked: ["GET /customers"] });
    expect(await judged(rule, created({ "GET /customers": 403 }))).toEqual({ said: true, asked: ["GET /customers"] });
  });

  it("asks nothing of kinds without parents, and of steps that create nothing", async () => {
    const quiet = [
      { sends: ["POST /customers"], during: { "POST /customers": [201, { id: 1 }] as const } },
      { sends: ["PUT /customers/1/orders/5"] },
    ];
    for (const script of quiet) expect(await judged(rule, script)).toEqual({ said: true, asked: [] });
  });
});
