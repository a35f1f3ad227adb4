import { beforeAll, expect, it } from "vitest";
import { judge } from "../../../../src/races/oracle/judge.ts";
import { loadHasher } from "../../../../src/state/index.ts";
import type { Facts } from "../../../../src/state/canonical/facts.ts";
import { call, CLOCK, facts, measure, together } from "./executions.ts";

beforeAll(() => loadHasher());

/** Entries of a Redis stream. Its server made their ids from its clock. */
const stream = (...entries: readonly (readonly [value: string, id: string])[]): Facts =>
  facts({ stream: entries.map(([value, entry], at) => ({ key: "s", id: `~${at + 1}`, at: 0, field: "n", value, entry })) });

it.each([
  [
    "other ids",
    [
      ["a", `${CLOCK + 41}-0`],
      ["b", `${CLOCK + 43}-0`],
    ],
    undefined,
  ],
  [
    "ids of one millisecond",
    [
      ["b", `${CLOCK + 41}-0`],
      ["a", `${CLOCK + 41}-1`],
    ],
    undefined,
  ],
  ["an entry that is missing", [["b", `${CLOCK + 41}-0`]], "state"],
] as const)("a race that leaves entries of a stream with %s", async (_what, raced, found) => {
  const answers = [call("a", 201, {}), call("b", 201, {})];
  const inOrder = (order: readonly number[], after: readonly Facts[]) => ({
    order,
    calls: answers,
    states: [{ merged: order, facts: after.at(-1)! }],
    broken: [],
    after,
  });
  const orders = [
    inOrder([0, 1], [stream(["a", `${CLOCK + 1}-0`]), stream(["a", `${CLOCK + 1}-0`], ["b", `${CLOCK + 3}-0`])]),
    inOrder([1, 0], [stream(["b", `${CLOCK + 21}-0`]), stream(["b", `${CLOCK + 21}-0`], ["a", `${CLOCK + 22}-0`])]),
  ];
  const verdict = await judge(together(answers, stream(...raced)), measure(facts({}), orders));
  expect(verdict?.verdict).toBe(found);
});
