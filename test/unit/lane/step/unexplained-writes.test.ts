import { readdirSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { lost } from "../../../../src/lane/step/outcome.ts";
import { ApiResponse } from "../../../../src/model/http/response.ts";
import { WriteLedger } from "../../../../src/stores/external/write-ledger.ts";
import { laneCase, type CaseLane, type Hands, type LaneCase } from "../../../support/lane-case.ts";
import { useCurrentFolder } from "../../../support/current-folder.ts";

describe("a step that writes to a table for the first time", () => {
  const folder = useCurrentFolder();

  let ids = 0;
  const writes = (table: string): void => ledger.saw("store", [{ table, key: `id ${++ids}`, was: null, now: { id: ids } }]);
  let ledger = new WriteLedger();
  const laneWith = async (given: LaneCase): Promise<CaseLane> => {
    const one = await laneCase({ watched: true, ...given });
    ledger = new WriteLedger();
    one.lane.base.state.asks.writes = ledger;
    return one;
  };
  const change = (store: Hands["store"], status = 200): ApiResponse => {
    store.state.n++;
    return ApiResponse.of(status);
  };

  it("is not blamed for the rows that a check wrote after a step of another action", async () => {
    let checks = 0;
    const one = await laneWith({
      actions: [
        { run: ({ store }) => change(store) },
        {
          run: ({ store }) => {
            writes("log");
            return change(store);
          },
        },
      ],
      // The first check is the one of the root state.
      invariants: [{ name: "check", check: () => (checks++ === 1 && writes("log"), true) }],
    });
    await one.expand();
    expect(ledger.problem).toBeUndefined();
    expect(readdirSync(folder())).toEqual([]);
  });

  it("is not blamed if the second execution gets no answer, but its rows stay in a file", async () => {
    const one = await laneWith({ actions: [{ run: ({ store }) => (writes("log"), change(store)) }] });
    const { stepper } = one.lane.base;
    const { run } = stepper;
    vi.spyOn(stepper, "run").mockImplementation(async (action) => {
      await run.call(stepper, action);
      return lost("timeout", "no answer");
    });
    const { expansion } = await one.expand();
    expect(expansion.failure).toMatchObject({ kind: "timeout" });
    expect(ledger.problem).toBeUndefined();
    expect(readdirSync(folder())).toHaveLength(1);
  });

  it("is reported with all rows of a table that the second execution does not write, also with rows that the restore reads", async () => {
    let times = 0;
    const one = await laneWith({ actions: [{ run: ({ store }) => (times++ === 0 && writes("orders"), change(store)) }] });
    const { store } = one;
    const { restore } = store;
    store.restore = function (this: typeof store, mark: never): void {
      if (times === 1) writes("orders");
      restore.call(this, mark);
    };
    await one.expand();
    expect(ledger.problem).toMatchObject({ message: expect.stringContaining(`: orders id ${ids - 1}, orders id ${ids}. `) as string });
  });

  it("reports a divergence if the second execution has another outcome", async () => {
    let times = 0;
    const one = await laneWith({ actions: [{ run: ({ store }) => (writes("log"), change(store, times++ === 0 ? 500 : 201)) }] });
    const { expansion, rows } = await one.expand();
    expect(rows).toMatchObject([{ status: 201 }]);
    expect(expansion.divergences).toMatchObject([
      { kind: "cross_check", path: [0], differences: ["a0: the target answered 500 the first time, but 201 now", expect.any(String)] },
    ]);
    expect(ledger.problem).toBeUndefined();
  });
});
