import { expect, test } from "vitest";
import { DetailLog } from "../../../../src/engine/commit/commit-details.ts";
import { EXCHANGES, STATES } from "../../../../src/messages/lane-messages.ts";
import type { RecordedExchange } from "../../../../src/model/results/result.ts";

const exchange = (body: string): RecordedExchange => ({
  request: { method: "POST", url: "http://127.0.0.1:3000/a", headers: {} },
  response: { status: 200, headers: {}, body },
  durationMs: 1,
});

test("keeps what lies below its limits, and asks lanes for nothing else", () => {
  const log = new DetailLog({ edges: 2, states: 1, characters: 1e6 });
  expect(log.wanted(0, 0)).toBe(EXCHANGES | STATES);
  expect(log.wanted(1, 1)).toBe(EXCHANGES);
  expect(log.wanted(2, 0)).toBe(STATES);
  for (const edge of [0, 1, 2]) log.addExchanges(edge, [exchange("a")]);
  for (const node of [0, 1]) log.addState(node, ["context.a = 1"]);
  expect([...log.exchanges.keys()]).toEqual([0, 1]);
  expect([...log.states.keys()]).toEqual([0]);
});

test("keeps nothing once its characters are used up, also when what it kept was taken out", () => {
  const log = new DetailLog({ edges: 100, states: 100, characters: 1000 });
  log.addExchanges(0, [exchange("x".repeat(900))]);
  log.exchanges.clear();
  log.addExchanges(1, [exchange("")]);
  log.addState(1, ["a"]);
  expect([...log.exchanges.keys(), ...log.states.keys()]).toEqual([]);
  expect(log.wanted(1, 1)).toBe(0);
});
