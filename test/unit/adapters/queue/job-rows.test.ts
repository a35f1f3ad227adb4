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

  it("says nothing of when a job scheduler makes its jobs", () => {
    const at = (ms: number): Observed => {
      const opts = { prevMillis: ms, jobId: `repeat:daily:${ms}`, timestamp: ms, delay: ms % 1000, repeat: { every: 1000, count: ms % 7 } };
      const made = (one: number): readonly (readonly string[])[] => [
        [`bull:q:repeat:daily:${one}`, "data", "{}"],
        [`bull:q:repeat:daily:${one}`, "opts", JSON.stringify(opts)],
        [`bull:q:repeat:daily:${one}`, "delay", String(one % 1000)],
      ];
      const hash = table("hash", ["key", "field", "value"], ["bull:q:1", "delay", "5"], ["bull:q:repeat:daily", "ic", String(ms)]);
      const zset = table("zset", ["key", "member", "score"], ["bull:q:repeat", "daily", ms], ["bull:q:repeat", "yearly", ms + 9]);
      const list = table("list", ["key", "at", "value"], ["bull:q:wait", 0, `repeat:daily:${ms + 3}`]);
      return rows({ ...hash, added: [...hash.added, ...made(ms + 3)], removed: made(ms) }, zset, list);
    };
    const first = withoutTimes(at(1795804109596), "bull");
    expect(withoutTimes(at(1795834800007), "bull")).toEqual(first);
    const opts = (n: number) => [`bull:q:repeat:daily:${n}`, "opts", '{"repeat":{"every":1000}}'];
    expect((first as { tables: unknown }).tables).toMatchObject([
      {
        added: [["bull:q:1", "delay", "5"], ["bull:q:repeat:daily:1", "data", "{}"], opts(1)],
        removed: [["bull:q:repeat:daily:0", "data", "{}"], opts(0)],
      },
      {
        added: [
          ["bull:q:repeat", "daily", 0],
          ["bull:q:repeat", "yearly", 1],
        ],
      },
      { added: [["bull:q:wait", 0, "repeat:daily:1"]] },
    ]);
  });

  it("the number of a job counts if the scheduler makes only so many", () => {
    const opts = '{"repeat":{"every":1000,"limit":3,"count":2}}';
    const observed = rows(table("hash", ["key", "field", "value"], ["bull:q:repeat:a:1795804109596", "opts", opts]));
    expect(withoutTimes(observed, "bull")).toMatchObject({ tables: [{ added: [["bull:q:repeat:a:0", "opts", opts]] }] });
  });

  it("a table without another row is left out", () => {
    expect(withoutTimes(rows(table("hash", ["key", "field", "value"], ["bull:q:1", "finishedOn", "17"])), "bull")).toEqual(rows());
  });
});
