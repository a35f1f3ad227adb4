import { expect, it } from "vitest";
import { EdgeLog } from "../../../src/engine/edge-log.ts";

it("keeps every edge in the order of its commit, beyond its first size", () => {
  const log = new EdgeLog();
  const count = 10_000;
  for (let edge = 0; edge < count; edge++) log.add(edge, edge % 300, edge % 5 === 0 ? -1 : edge + 1, 200 + (edge % 400), edge % 3 === 0);
  expect(log.size).toBe(count);
  const columns = [log.from(), log.to(), log.actions(), log.statuses(), log.clean()];
  for (const column of columns) expect(column).toHaveLength(count);
  for (const edge of [0, 1, 4095, 4096, 9999]) {
    expect(columns.map((column) => column[edge])).toEqual([
      edge,
      edge % 5 === 0 ? -1 : edge + 1,
      edge % 300,
      200 + (edge % 400),
      edge % 3 === 0 ? 1 : 0,
    ]);
  }
});

it("gives copies that later edges leave as they are", () => {
  const log = new EdgeLog();
  log.add(0, 0, 1, 200, true);
  const before = log.to();
  log.add(1, 0, 2, 200, true);
  expect([...before]).toEqual([1]);
});
