import { describe, expect, it } from "vitest";
import type { ExplorationResult, Race } from "../../../../src/model/results/result.ts";
import { statusOfResult, unverifiedIfCut } from "../../../../src/reports/index.ts";
import { result, violation } from "../../../support/results.ts";

const race = (changes: Partial<Race>): Race => ({ severity: "medium", ...changes }) as Race;
const error = (source: string) => ({ code: "ACTION_THREW", message: "m", path: [], source, stack: undefined, count: 1 });
const divergence = { kind: "merge", path: [], message: "m", differences: [], hint: undefined } as const;

describe("the exit status of a result", () => {
  it.each([
    [0, {}],
    [1, { violations: [violation()] }],
    [3, { violations: [violation({ confirmed: false })] }],
    [0, { violations: [violation({ known: true })] }],
    [0, { violations: [violation({ severity: "low" })] }],
    [1, { races: [race({})] }],
    [0, { races: [race({ severity: "low" })] }],
    [0, { races: [race({ known: true })] }],
    [3, { divergences: [divergence] }],
    [3, { errors: [error("pay")] }],
    [1, { violations: [violation()], errors: [error("pay")], divergences: [divergence] }],
    [130, { stopReason: "interrupted", violations: [violation()] }],
    // Nobody interrupted it: it could not go on.
    [3, { stopReason: "interrupted", errors: [error("run")] }],
    [1, { stopReason: "max_steps", violations: [violation(), violation({ confirmed: false })] }],
  ] as const satisfies readonly (readonly [number, Partial<ExplorationResult>])[])("is %i of %o", (status, changes) => {
    expect(statusOfResult(result(changes), "medium")).toBe(status);
  });

  it("says nothing of findings where none fails a run", () => {
    expect(statusOfResult(result({ violations: [violation()], races: [race({ severity: "critical" })] }), "none")).toBe(0);
    expect(statusOfResult(result({ violations: [violation()], errors: [error("pay")] }), "none")).toBe(3);
  });
});

it("a run that ended at its first finding is unverified if this finding does not fail it", () => {
  const ended = (severity: "low" | "high", changes: Partial<ExplorationResult> = {}): ExplorationResult =>
    unverifiedIfCut(result({ stopReason: "first_violation", violations: [violation({ severity })], ...changes }), "medium");
  const cut = ended("low");
  expect(statusOfResult(cut, "medium")).toBe(3);
  expect(cut.unverified).toEqual([expect.stringContaining("Run it without --bail, or lower fail_on_severity.")]);
  expect(cut.toJSON()).toMatchObject({ unverified: cut.unverified });
  expect(ended("high").unverified).toEqual([]);
  expect(ended("low", { stopReason: "exhausted" }).unverified).toEqual([]);
});
