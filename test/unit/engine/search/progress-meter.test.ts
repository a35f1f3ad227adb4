import { expect, it } from "vitest";
import type { ExplorationEvent } from "../../../../src/engine/events.ts";
import { ProgressMeter } from "../../../../src/engine/search/progress-meter.ts";

it("tells what each lane executed and how often it was lost since the run began, and the budgets", () => {
  const measured = {
    committer: { steps: 7, deepest: 2, visited: { size: 4 }, findings: { violations: { size: 1 } } },
    order: { size: 3 },
    checksLeft: null,
    busy: [0, 1],
  };
  const events: ExplorationEvent[] = [];
  for (const maxTimeMs of [60_000, Infinity]) {
    const meter = new ProgressMeter(measured, { maxSteps: 50, maxTimeMs, onEvent: (event) => void events.push(event) }, performance.now());
    meter.busy(0, 5, 3);
    meter.rebuilt(1);
    meter.emit(true);
    meter.busy(0, 5, 2);
    meter.busy(1, 1);
    meter.emit(true);
  }
  const common = { kind: "progress", states: 4, steps: 7, frontier: 3, depth: 2, violations: 1, maxSteps: 50, laneRebuilds: [0, 1] };
  expect(events).toMatchObject([
    { ...common, laneSteps: [3, 0], maxTimeMs: 60_000 },
    { ...common, laneSteps: [5, 0], maxTimeMs: 60_000 },
    { ...common, laneSteps: [3, 0], maxTimeMs: null },
    { ...common, laneSteps: [5, 0], maxTimeMs: null },
  ]);
});
