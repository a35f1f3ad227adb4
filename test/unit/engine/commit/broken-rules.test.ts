import { describe, expect, it } from "vitest";
import { BrokenRules } from "../../../../src/engine/commit/broken-rules.ts";
import type { FindingEvent } from "../../../../src/messages/lane-messages.ts";
import { Severity } from "../../../../src/model/declare/severity.ts";

const found = (...rules: readonly string[]): readonly FindingEvent[] =>
  rules.map((invariant) => ({ invariant, severity: Severity.HIGH, message: `${invariant} does not hold` }));
const namesOf = (findings: readonly FindingEvent[]): readonly string[] => findings.map(({ invariant }) => invariant);

const PAY = 0;
const SHIP = 1;
/** `paid` is checked after every action, `late` after `ship` alone; `seen` is a rule about steps. */
const broken = (): BrokenRules =>
  new BrokenRules({ continues: false, nonBlocking: ["paid"], invariants: { paid: null, stock: null, late: [SHIP] } });

describe("a rule that is broken", () => {
  it("is reported again only after it has held in between", () => {
    const rules = broken();
    expect(namesOf(rules.step(0, PAY, 1, true, found("paid")))).toEqual(["paid"]);
    expect(namesOf(rules.step(1, PAY, 2, true, found("paid", "stock")))).toEqual(["stock"]);
    expect(namesOf(rules.step(1, SHIP, 3, true, []))).toEqual([]);
    expect(namesOf(rules.step(3, PAY, 4, true, found("paid")))).toEqual(["paid"]);
  });

  it("in the root state is reported there alone", () => {
    const rules = broken();
    rules.root(["paid"]);
    expect(namesOf(rules.step(0, PAY, 1, true, found("paid")))).toEqual([]);
    expect(namesOf(rules.step(1, PAY, 2, true, found("paid")))).toEqual([]);
  });

  it("has not held where it was not checked", () => {
    const rules = broken();
    rules.step(0, SHIP, 1, true, found("late"));
    rules.step(1, PAY, 2, true, []);
    expect(namesOf(rules.step(2, SHIP, 3, true, found("late")))).toEqual([]);
  });

  it("counts as holding where one way to the state says so", () => {
    const rules = broken();
    rules.step(0, PAY, 1, true, found("paid"));
    rules.step(0, SHIP, 1, false, []);
    expect(namesOf(rules.step(1, PAY, 2, true, found("paid")))).toEqual(["paid"]);
  });

  it("stays broken through steps that change nothing, after which it is not checked", () => {
    const rules = broken();
    rules.step(0, PAY, 1, true, found("paid"));
    rules.step(1, SHIP, 1, false, []);
    expect(namesOf(rules.step(1, PAY, 2, true, found("paid")))).toEqual([]);
  });

  it("about steps is reported for each step", () => {
    const rules = broken();
    rules.step(0, PAY, 1, true, found("pay_server_error"));
    expect(namesOf(rules.step(1, PAY, 2, true, found("pay_server_error")))).toEqual(["pay_server_error"]);
  });
});

it("goes on behind all violations, or behind those of rules that do not block", () => {
  expect([[], ["paid"], ["paid", "stock"]].map((rules) => broken().passes(found(...rules)))).toEqual([true, true, false]);
  expect(new BrokenRules({ continues: true, nonBlocking: [], invariants: {} }).passes(found("stock"))).toBe(true);
});
