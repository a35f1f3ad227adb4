import { expect, it } from "vitest";
import { DivergenceLog } from "../../../../src/engine/commit/divergence-log.ts";

it("divergences of a result have names of actions, and nothing that only lanes need", () => {
  const log = new DivergenceLog(["log_in", "pay"]);
  const told = { kind: "merge", message: "Two paths differ", differences: ["pay: 200, 409"] } as const;
  log.add({ ...told, path: [0, 1], calls: [0, 1], reduced: true, unlinked: true, seconds: true, seen: [] });
  expect(log.all).toEqual([{ ...told, path: ["log_in", "pay"] }]);
});
