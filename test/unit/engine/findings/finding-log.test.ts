import { describe, expect, it } from "vitest";
import { FindingLog, groupOf, partsOf, withoutGraph, type CommittedViolation } from "../../../../src/engine/findings/finding-log.ts";
import type { ErrorEvent } from "../../../../src/messages/lane-messages.ts";

const threw = (message: string, source = "pay"): ErrorEvent => ({ code: "ACTION_THREW", source, message, stack: undefined });

function logOf(errors: readonly ErrorEvent[]): readonly { readonly message: string; readonly count: number }[] {
  const log = new FindingLog();
  errors.forEach((error, index) => log.addError(error, [index]));
  return [...log.errors.values()].map(({ error, count }) => ({ message: error.message, count }));
}

it("takes errors for one whose messages differ in ids and times alone", () => {
  const message = (): string => `order ${crypto.randomUUID()} is odd since ${new Date(Math.random() * 1e12).toISOString()}`;
  const all = [message(), message(), message()];
  expect(logOf(all.map((one) => threw(one)))).toEqual([{ message: all[0], count: 3 }]);
});

it("tells errors apart by code, source and what else their messages say", () => {
  const all = [
    threw("answered 404 and not 200"),
    threw("answered 500 and not 200"),
    threw("answered 500 and not 200", "ship"),
    { ...threw("answered 500 and not 200"), code: "OTHER" },
  ];
  expect(logOf(all).map(({ count }) => count)).toEqual([1, 1, 1, 1]);
});

it("keeps a bounded number of one source, says so, and counts all", () => {
  const found = logOf([...Array.from({ length: 1000 }, (_, n) => threw(`only ${n} left`)), threw("elsewhere", "ship")]);
  expect(found).toHaveLength(21);
  expect(found[0]).toEqual({ message: "only 0 left", count: 1 });
  expect(found[19]!.message).toMatch(/^only 19 left \(The count includes /);
  expect(found[19]!.count).toBe(981);
  expect(found[20]).toEqual({ message: "elsewhere", count: 1 });
});

describe("a group of violations with different fields", () => {
  const violation = (from: number, fields: readonly string[]): CommittedViolation => ({
    finding: { invariant: "retry_safe", severity: "high", message: "sent again", fields },
    lastAction: "pay",
    status: 200,
    path: [from, 0],
    draws: undefined,
    state: from + 1,
    stepEvents: { unit: 0, action: 0, findings: [], errors: [], exchanges: [] } as never,
    from,
  });

  it("has no state of an abandoned search, in none of its parts", () => {
    const log = new FindingLog();
    for (const one of [violation(1, ["jobs.tick"]), violation(2, ["payments.id"])]) log.addViolation(one);
    const found = withoutGraph([...log.violations.values()][0]!);
    for (const part of [...partsOf(found), groupOf(partsOf(found).slice(1)), groupOf(partsOf(found))])
      expect(part).toMatchObject({ state: null, stepEvents: undefined, from: [] });
  });
});
