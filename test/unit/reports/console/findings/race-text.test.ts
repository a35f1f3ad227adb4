import pc from "picocolors";
import type { RaceOutcome } from "../../../../../src/model/results/result.ts";
import { describe, expect, it } from "vitest";
import { raceText, summaryLines } from "../../../../../src/reports/index.ts";
import { gatedRace, race, raceCoverage } from "../../../../support/race.ts";
import { HOSTILE, result } from "../../../../support/results.ts";

describe("raceText", () => {
  it("is the documented block: both calls, what was observed, and each order once", () => {
    expect(String(race())).toBe(`[HIGH] refund_order || refund_order
  both calls were answered 200, and the resulting state cannot be reached by running them in either order
  race      state, 14 of 20 trials (95 % between 48 % and 86 %), 1 more did not overlap, pipelined
  path      create_order -> pay_order -> (refund_order || refund_order)
  first     POST http://127.0.0.1:3000/orders/1/refund -> 200 {"id":1,"refunded":100}
  second    POST http://127.0.0.1:3000/orders/1/refund -> 200 {"id":1,"refunded":100}
  observed  at the same time: 200, 200
            - orders (id = 1, refunded = 0, status = paid)
            + orders (id = 1, refunded = 100, status = refunded)
            + refunds (amount = 100, id = 1, order_id = 1)
            + refunds (amount = 100, id = 2, order_id = 1)
  allowed   refund_order, then refund_order: 200, 409
            - orders (id = 1, refunded = 0, status = paid)
            + orders (id = 1, refunded = 100, status = refunded)
            + refunds (amount = 100, id = 1, order_id = 1)
  differs   observed: refunds (amount = 100, id = 2, order_id = 1)`);
  });

  it("sets what was observed beside the order that comes nearest to it, value by value", () => {
    const outcome = (order: readonly number[] | null, ...changes: string[]): RaceOutcome => ({ ...race().observed, order, changes });
    const paid = (row: string): string => `+ systems.db.orders + {id: #1, user: root#1, ${row}}`;
    const text = String(
      race({
        observed: outcome(null, paid("paid: 2, by: null")),
        allowed: [outcome([0, 1], paid("paid: 1, by: null")), outcome([1, 0], "+ systems.db.events + {id: 9}", paid("paid: 5, by: 1"))],
      }),
    );
    expect(text.slice(text.indexOf("  differs"))).toBe(
      `  differs   refund_order, then refund_order: systems.db.orders {id: #1, paid: 1}
  differs   observed: systems.db.orders {id: #1, paid: 2}`,
    );
  });

  it("has a schedule in place of an interval where one was followed", () => {
    const lines = String(gatedRace()).split("\n");
    expect(lines[2]).toBe("  race      state, 3 of 3 trials, gated");
    expect(lines[3]).toBe(
      "  schedule  the first refund_order is held before its write 1 (UPDATE orders, in db) until the second refund_order is done or waits for the held call",
    );
    const others = String(
      gatedRace({ second: "cancel_order", schedule: { system: "db", held: 1, write: 2, statement: "INSERT refunds" } }),
    );
    expect(others).toContain(
      "cancel_order is held before its write 2 (INSERT refunds, in db) until refund_order is done or waits for the held call\n",
    );
    expect(String(gatedRace({ copies: 3 }))).toContain("until the others are done or wait for the held call\n");
  });

  it("names the broken rule, what is known, and answers that there were not", () => {
    const observed = { ...race().observed, broken: ["stock"], changes: [] };
    const text = String(race({ verdict: "invariant", invariant: "stock", known: true, observed: { ...observed, calls: [] } }));
    expect(text).toMatch(/^\[HIGH\] refund_order \|\| refund_order \(known\)$/m);
    expect(text).toContain("  race      invariant stock, 14 of 20");
    expect(text).toContain("  observed  at the same time: ; breaks stock\n            (the state did not change)\n");
    const silent = race({ observed: { ...observed, calls: [{ action: "refund_order", status: null, requests: [] }] } });
    expect(String(silent)).toContain("  first     refund_order -> no answer\n");
  });

  it("counts what is too much: calls, lines of a change", () => {
    const { observed } = race();
    const many = {
      ...observed,
      calls: Array.from({ length: 6 }, () => observed.calls[0]!),
      changes: Array.from({ length: 15 }, (_, line) => `+ row ${line}`),
    };
    const text = String(race({ copies: 6, observed: many, allowed: [{ ...many, order: [5, 4, 3, 2, 1, 0], changes: [] }] }));
    expect(text).toContain("[HIGH] refund_order, 6 at once\n");
    expect(text).toContain("  fourth    POST");
    expect(text).not.toContain("  fifth ");
    expect(text).toMatch(/^ {12}and 2 calls more$/m);
    expect(text).toContain("+ row 11\n            ... 3 lines more\n");
    expect(text).toContain("  allowed   refund_order, 6 times one after the other: 200, 200, 200, 200, 200, 200\n");
  });

  it("lets nothing through that a terminal would act on", () => {
    const { observed } = race();
    const exchange = {
      request: { method: HOSTILE, url: HOSTILE, headers: {} },
      response: { status: 200, headers: {}, body: HOSTILE },
      durationMs: 1,
    };
    const hostile = { ...observed, changes: [HOSTILE], broken: [HOSTILE], calls: [{ action: HOSTILE, status: 200, requests: [exchange] }] };
    const text = raceText(
      race({
        first: HOSTILE,
        second: HOSTILE,
        message: HOSTILE,
        prefix: [HOSTILE],
        invariant: HOSTILE,
        verdict: "invariant",
        observed: hostile,
      }),
    );
    // oxlint-disable-next-line no-control-regex -- what must not be printed is what the test is about
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
    const lines = text.split("\n");
    expect(lines.every((line, index) => index === 0 || line.startsWith("  "))).toBe(true);
  });
});

describe("the summary", () => {
  const rows = (changes: Parameters<typeof result>[0]): string =>
    summaryLines("shop", result(changes), { verbose: true, colours: pc.createColors(false) }).join("\n");

  it("says what was probed, how, and what was not, with reasons", () => {
    expect(rows({ races: [race()], raceCoverage: raceCoverage() })).toContain(`  races         1
  probed        14 kinds of pairs (60 pairs in all states); 122 trials in 1.2 s; 3 more did not overlap
  delivered     pipelined 100, gated 22
  not probed    read only 30, same class 16
  dismissed     2: control 2
`);
    expect(rows({ raceCoverage: raceCoverage({ skipped: {}, dismissed: {}, misses: 0, deliveries: {} }) })).toContain(`  races         0
  probed        14 kinds of pairs (60 pairs in all states); 122 trials in 1.2 s
  time `);
  });

  it("says how many races were dismissed, without `verbose`, too", () => {
    const shown = summaryLines("shop", result({ raceCoverage: raceCoverage() }), { verbose: false, colours: pc.createColors(false) });
    expect(shown).toContain("  dismissed     2: control 2");
  });

  it("says nothing of races where they were not probed", () => {
    expect(rows({})).not.toMatch(/race|probed/);
  });
});
