import { describe, expect, it } from "vitest";
import { faultText, judgeFault, type FaultedCall } from "../../../../src/faults/oracle/judge-fault.ts";
import { rowChanges } from "../../../../src/faults/oracle/row-changes.ts";
import { storesOnly } from "../../../../src/faults/oracle/stores-only.ts";
import type { Facts } from "../../../../src/state/canonical/facts.ts";

const CALL: FaultedCall = {
  action: "refund",
  point: { kind: "error", store: "db", write: 2, statement: "UPDATE orders" },
  answer: { status: 500, refused: false },
  plain: { status: 200, refused: false },
  isBefore: true,
  isAfter: false,
  broken: [],
  differences: "db.payments: 1 row added",
  again: { status: 200, refused: false, isAfter: true },
};

const DONE = { status: 200, refused: false };
const ERRORS = { status: 200, refused: true };
const CONFLICT = { status: 409, refused: true };

describe("the judgement of a fault", () => {
  it.each<readonly [string, Partial<FaultedCall>, string | undefined]>([
    ["nothing happened, and it was said", {}, undefined],
    ["all happened, whatever was said", { isBefore: false, isAfter: true, again: undefined }, undefined],
    ["a call that changes nothing", { isAfter: true, answer: DONE }, undefined],
    ["a part happened", { isBefore: false, again: undefined }, "torn_write"],
    ["nothing happened, and success was said", { answer: { status: 201, refused: false } }, "false_success"],
    ["a refusal is no success", { answer: CONFLICT }, undefined],
    ["errors of GraphQL are no success", { answer: ERRORS }, undefined],
    ["errors of GraphQL when it is repeated", { again: { ...ERRORS, isAfter: false } }, "no_recovery"],
    [
      "nothing happened where the call is refused anyway",
      { answer: DONE, plain: CONFLICT, again: { ...CONFLICT, isAfter: true } },
      undefined,
    ],
    ["a rule breaks", { broken: [{ invariant: "paid_once", message: "2 payments" }] }, "torn_write"],
    ["it does not work afterwards", { again: { status: 503, refused: true, isAfter: false } }, "no_recovery"],
    ["it does nothing afterwards", { again: { ...DONE, isAfter: false } }, "no_recovery"],
  ])("%s", (_what, change, verdict) => {
    expect(judgeFault({ ...CALL, ...change })?.verdict).toBe(verdict);
  });

  it("calls a second effect of a repeated request what it is", () => {
    const again = { ...CALL, point: { kind: "lost_answer" }, answer: DONE, isBefore: false, again: undefined } as const;
    expect(judgeFault(again)).toEqual({
      verdict: "repeated_write",
      severity: "high",
      message:
        "the request was sent again after its answer was lost, and changed the stores twice (refund was answered 200). Changes of both requests together: db.payments: 1 row added",
    });
    const broken = [{ invariant: "paid_once", message: "2 payments" }];
    expect(judgeFault({ ...again, isAfter: true, broken })).toMatchObject({ verdict: "repeated_write", invariant: "paid_once" });
  });

  it("names the statement and the difference", () => {
    expect(judgeFault({ ...CALL, isBefore: false, again: undefined })?.message).toBe(
      "the 2nd write of db (UPDATE orders) failed with an error: refund was answered 500, and the stores match neither the state before the call nor the state after the call without the fault: db.payments: 1 row added",
    );
    expect([1, 2, 3, 4, 11, 12, 21].map((write) => faultText({ kind: "cut", store: "db", write }).match(/\d+\w+/)![0])).toEqual([
      "1st",
      "2nd",
      "3rd",
      "4th",
      "11th",
      "12th",
      "21st",
    ]);
  });
});

const table = (name: string, added: readonly (readonly string[])[], removed: readonly (readonly string[])[] = []) => ({
  name,
  columns: [{ name: "id" }],
  added,
  removed,
});
const facts = (...tables: readonly ReturnType<typeof table>[]): Facts => ({
  systems: { db: { kind: "rows", tables, counters: { orders: 7 } } },
  context: { order: 1 },
  clients: { api: 1 },
});

describe("the part of a state that a failed call must leave alone", () => {
  it("is the stores, without tables of best effort, counters, context and credentials", () => {
    const both = facts(table("orders", [["1"]]), table("audit_log", [["x"]]));
    const only = { systems: { db: { kind: "rows", tables: [table("orders", [["1"]])], counters: {} } }, context: {}, clients: {} };
    expect(storesOnly(both, ["audit_*"])).toEqual(only);
    expect(storesOnly(both, ["db.audit_log"])).toEqual(only);
  });

  it("is without columns of best effort, and without rows that differ in them alone", () => {
    const orders = (added: readonly (readonly (string | number)[])[], columns = ["id", "version"]): Facts => ({
      ...facts(),
      systems: {
        db: {
          kind: "rows",
          tables: [{ name: "orders", columns: columns.map((name) => ({ name })), added, removed: [["1", 1].slice(0, columns.length)] }],
          counters: {},
        },
      },
    });
    const systems = (added: readonly (readonly string[])[]) => ({
      db: { kind: "rows", tables: [{ name: "orders", columns: [{ name: "id" }], added, removed: [] }], counters: {} },
    });
    for (const pattern of ["orders.version", "*.version", "db.orders.version"]) {
      expect(storesOnly(orders([["1", 3]]), [pattern]).systems).toEqual(systems([]));
      expect(
        storesOnly(
          orders([
            ["1", 3],
            ["2", 1],
          ]),
          [pattern],
        ).systems,
      ).toEqual(systems([["2"]]));
    }
  });

  it("differs by rows, which are counted by table", () => {
    const before = facts(table("orders", [["1"]]), table("gone", [["1"], ["2"]]));
    const after = facts(table("orders", [["2"], ["3"]], [["9"]]), table("gone", []));
    expect(rowChanges(before, after)).toBe("db.orders: 2 rows changed; db.gone: 2 rows removed");
    expect(rowChanges(before, before)).toBe("");
  });
});
