import { describe, expect, it } from "vitest";
import { withoutTimes } from "../../../../src/adapters/queue/bullmq/job-rows.ts";
import type { Observed, ObservedTable } from "../../../../src/model/stores/store-adapter.ts";

const table = (name: string, columns: readonly string[], ...added: ObservedTable["added"]): ObservedTable => ({
  name,
  columns: columns.map((column) => ({ name: column })),
  added,
  removed: [],
});
const rows = (...tables: readonly ObservedTable[]): Observed => ({ kind: "rows", tables, counters: {} });

describe("the state of queues of BullMQ", () => {
  it("says nothing of when jobs were added, taken and finished, and all else of other keys", () => {
    const hash = ["key", "field", "value"];
    const zset = ["key", "member", "score"];
    const observed = rows(
      table("hash", hash, ["bull:q:1", "data", "{}"], ["bull:q:1", "processedOn", "17"], ["cart:1", "processedOn", "17"]),
      table("zset", zset, ["bull:q:failed", "1", 17], ["bull:q:delayed", "2", 17], ["bull:q:delayed", "4", 9], ["top:failed", "3", 17]),
    );
    expect(withoutTimes(observed, "bull")).toEqual(
      rows(
        table("hash", hash, ["bull:q:1", "data", "{}"], ["cart:1", "processedOn", "17"]),
        table("zset", zset, ["bull:q:failed", "1", 0], ["bull:q:delayed", "2", 1], ["bull:q:delayed", "4", 0], ["top:failed", "3", 17]),
      ),
    );
  });

  it("a table without another row is left out", () => {
    expect(withoutTimes(rows(table("hash", ["key", "field", "value"], ["bull:q:1", "finishedOn", "17"])), "bull")).toEqual(rows());
  });
});
