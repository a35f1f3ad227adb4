import { expect, test } from "vitest";
import type { Explorer } from "../../../../src/engine/search/explorer.ts";
import { placesToOrder } from "../../../../src/run/explore/learn/generation-order.ts";
import { lessonNote } from "../../../../src/run/explore/learn/lesson-note.ts";
import { reductionsOf } from "../../../../src/run/results/reductions.ts";
import { NOTHING_KNOWN, type Knowledge } from "../../../../src/state/index.ts";

const TOKEN = JSON.stringify(["context", "token"]);
const counter = "#db.orders_id_seq";
const leftOut = [{ field: "orders.id", entry: counter }];
const known: Knowledge = { ...NOTHING_KNOWN, generated: [{ place: TOKEN, after: "", domain: undefined }] };

function reason(knowledge: Knowledge): string | undefined {
  const explorer = { committer: { reductions: 2, unlinkedReductions: 0 }, audited: 1, divergences: { all: [] } };
  return reductionsOf(explorer as unknown as Explorer, knowledge, leftOut)[0]?.reason;
}

test("a reduction names the columns whose counters are left out of states, until the counters belong to states again", () => {
  expect(reason(known)).toBe("the order of context.token, orders.id");
  expect(reason({ ...known, ordered: [counter] })).toBe("the order of context.token");
  expect(reason({ ...known, ordered: [TOKEN, "*"] })).toBe("the order of orders.id");
  expect(reason({ ...known, ordered: [counter, TOKEN, "*"] })).toBe("the content of context.token");
});

test("a refuted reduction first undoes the counters, and then what experiments found", () => {
  expect(placesToOrder(known, [counter])).toEqual([counter]);
  expect(placesToOrder({ ...known, ordered: [counter] }, [counter])).toEqual([TOKEN]);
  expect(placesToOrder(known)).toEqual([TOKEN]);
});

test("the note about a new search names the counters", () => {
  const learned = { isExplained: true, divergences: [], knowledge: { ...known, ordered: [counter] } };
  expect(lessonNote({ committer: { steps: 3 } as Explorer["committer"] }, learned, known)).toMatch(
    /States now also differ by the values of these counters: db\.orders_id_seq\.$/,
  );
});
