import { expect, it } from "vitest";
import { DivergenceLog } from "../../../../src/engine/commit/divergence-log.ts";

it("divergences of a result have names of actions, and nothing that only lanes need", () => {
  const log = new DivergenceLog(["log_in", "pay"]);
  const told = { kind: "merge", message: "Two paths differ", differences: ["pay: 200, 409"] } as const;
  log.add({ ...told, path: [0, 1], calls: [0, 1], reduced: true, unlinked: true, seconds: true, seen: [] });
  expect(log.all).toEqual([{ ...told, path: ["log_in", "pay"] }]);
});

const late = (field: string) =>
  ({ kind: "late_write", path: [0], message: `wrote ${field} late`, differences: [], fields: [field] }) as const;

it("late writes of other fields are one divergence, and all their fields are known", () => {
  const log = new DivergenceLog(["log_in"]);
  expect([log.add(late("tasks.reminded")), log.add(late("tasks.seen"))]).toEqual([true, false]);
  expect(log.all).toHaveLength(1);
  expect([["tasks.reminded", "tasks.seen"], ["tasks.reminded", "tasks.status"], []].map((fields) => log.areLate(fields))).toEqual([
    true,
    false,
    false,
  ]);
});

it.each([
  ["the row", "+ systems.db.tasks + {id: 1, reminded: 1}", true],
  ["the field", "tasks.reminded: 0 the first time, 1 the second time", true],
  ["another column", "+ systems.db.tasks + {id: 1, status: 1}", false],
  ["another table", "+ systems.db.jobs + {id: 1, reminded: 1}", false],
])("a difference that names %s of a late write may come from a timer", (_what, line, isTimer) => {
  const log = new DivergenceLog(["log_in"]);
  log.add({ kind: "cross_check", path: [0], message: "memory", differences: [line], hint: "Restart." });
  log.add(late("tasks.reminded"));
  const { hint } = log.all.find(({ kind }) => kind === "cross_check")!;
  if (isTimer) expect(hint).toMatch(/^The target also wrote tasks\.reminded after it had answered\. If a timer .* Otherwise: Restart\.$/);
  else expect(hint).toBe("Restart.");
});
