import { expect, it } from "vitest";
import { checkShards } from "../../../../src/run/prepare/check-shards.ts";
import type { StoredRun } from "../../../../src/run-log/index.ts";
import { knowledgeText, NOTHING_KNOWN, type Knowledge } from "../../../../src/state/index.ts";

/** A finished shard that learned something about the target's values. */
function shard(index: number, knowledge: Partial<Knowledge>): StoredRun {
  return {
    id: `run${index + 1}`,
    file: "",
    seqqa: "1",
    startedAt: new Date(0),
    config: new Map(),
    environment: [],
    hasJourneys: false,
    skipped: [],
    explorations: [
      {
        id: 0,
        name: "a",
        file: "a.explore.ts",
        outcome: "ended",
        strategy: "bfs",
        seed: 0,
        stopReason: "exhausted",
        steps: 1,
        states: 1,
        depth: 1,
        isCut: false,
        findingIds: [],
        actions: [],
        beginning: {
          code: "c0de",
          clocksMs: [],
          knowledge: knowledgeText({ ...NOTHING_KNOWN, ...knowledge }),
          maxDepth: null,
          shard: { index, of: 2 },
          violationPolicy: null,
          references: [],
          root: { wholeLo: 0, wholeHi: 0, rootLo: 0, rootHi: 0, lines: [], broken: [] },
          stages: [],
        },
      },
    ],
  };
}

const place = (column: string) => ({ place: JSON.stringify(["systems", "db", "orders", column]), after: "", domain: undefined });

it("accepts shards that learned the same in another order, or saw other values of it", () => {
  const [id, token] = [place("id"), place("token")];
  const one = { generated: [{ ...id, leastLength: 9 }, token], dropped: [{ field: "orders.ms", values: ["1", "2"] as const }] };
  const other = { generated: [token, { ...id, leastLength: 8 }], dropped: [{ field: "orders.ms", values: ["3", "4"] as const }] };
  expect(() => checkShards([shard(0, one), shard(1, other)])).not.toThrow();
});

it("says which values only one shard knows, and what to do", () => {
  const other = { generated: [place("id")], background: ["orders.seen_at"] };
  expect(() => checkShards([shard(0, {}), shard(1, other)])).toThrow(
    expect.objectContaining({
      code: "MERGE_REFUSED",
      exitStatus: 2,
      message: expect.stringMatching(
        /^seqqa cannot merge these runs: runs run1 and run2 use different rules to tell whether two states of a\.explore\.ts are equal, because only run2 found out that these values differ when calls are repeated: \S*orders\S*id, orders\.seen_at\.$/,
      ) as string,
      hint: expect.stringContaining("list the named values under `ignore`") as string,
    }),
  );
});
