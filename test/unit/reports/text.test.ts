import pc from "picocolors";
import { describe, expect, it } from "vitest";
import { printable, summaryLines, verdictOf, violationText } from "../../../src/reports/index.ts";
import { HOSTILE, result, violation } from "../../support/results.ts";

// oxlint-disable-next-line no-control-regex -- what must not be printed is what the test is about
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;

describe("violationText", () => {
  it("is the documented block", () => {
    expect(String(violation())).toBe(`[CRITICAL] refund_within_amount
  refunded more than was paid
  path      create_order -> refund_order -> refund_order
  request   POST http://127.0.0.1:3000/orders/1/refund
  response  200 {"id":1,"refunded":200}`);
  });

  it("marks flaky ones, names the root state, and leaves out what there is not", () => {
    const text = violationText(
      violation({ confirmed: false, reproductionPath: [], request: undefined, response: undefined, severity: "low" }),
    );
    expect(text).toBe(`[LOW] refund_within_amount (flaky: not seen again from a clean start)
  refunded more than was paid
  path      (the root state)`);
  });

  it.each([
    ["max_time", "max_time ran out before seqqa replayed the finding from a clean start"],
    ["interrupted", "the run was interrupted before seqqa replayed the finding from a clean start"],
    ["no_target", "seqqa could not start a target to replay the finding"],
    // Of a run that did not say why.
    [undefined, "the finding was not replayed from a clean start"],
  ] as const)("says why one is not confirmed: %s", (notReplayedReason, why) => {
    const [head] = violationText(violation({ confirmed: false, notReplayed: true, notReplayedReason })).split("\n");
    expect(head).toBe(`[CRITICAL] refund_within_amount (not confirmed: ${why})`);
  });

  it("cuts the body after 500 characters, never inside a pair", () => {
    const body = (text: string): string =>
      violationText(violation({ response: { status: 200, headers: {}, body: text } })).split("response  200 ")[1] ?? "";
    expect(body("x".repeat(500))).toBe("x".repeat(500));
    expect(body("x".repeat(501))).toBe(`${"x".repeat(500)}...`);
    expect(body(`${"x".repeat(499)}😀y`)).toBe(`${"x".repeat(499)}...`);
  });

  it("lets nothing through that a terminal would act on", () => {
    const text = violationText(
      violation({
        invariant: HOSTILE,
        message: HOSTILE,
        reproductionPath: [HOSTILE],
        request: { method: "GET", url: HOSTILE, headers: {} },
        response: { status: 200, headers: {}, body: HOSTILE },
      }),
    );
    expect(text).not.toMatch(UNSAFE);
    expect(text.split("\n")).toHaveLength(5);
    expect(Buffer.from(text).toString()).toBe(text); // no half of a surrogate pair
    expect(text).toMatchSnapshot();
  });
});

describe("printable", () => {
  it("keeps letters of every script and writes the rest as escapes", () => {
    expect(printable("grün 東京 😀")).toBe("grün 東京 😀");
    expect(printable("\x1b[31m\ud800\0\u202e\n")).toBe("\\x1b[31m\\ud800\\x00\\u202e\\n");
  });
});

describe("the summary", () => {
  it("says that everything was seen", () => {
    expect(verdictOf(result())).toEqual({ complete: true, text: "exhaustive: 14,425 states, 0 open", exceptions: [] });
    expect(verdictOf(result({ stopReason: "max_steps", open: 311, completeToDepth: 6, statesVisited: 1 }))).toEqual({
      complete: false,
      text: "complete to depth 6, 311 open (1 state)",
      exceptions: [],
    });
    expect(verdictOf(result({ stopReason: "exhausted", open: 2, completeToDepth: 3 })).text).toContain("complete to depth 3, 2 open");
  });

  it("says what was left out", () => {
    const exceptions = [
      { kind: "violating_states", count: 3, text: "states behind 3 violating states" },
      { kind: "dropped_field", count: 1, text: "orders.latency_ms (differs between executions)" },
    ] as const;
    expect(verdictOf(result({ statesVisited: 21 }), exceptions)).toEqual({
      complete: false,
      text: "exhaustive except states behind 3 violating states; orders.latency_ms (differs between executions) (21 states, 0 open)",
      exceptions,
    });
    expect(verdictOf(result({ stopReason: "max_time", open: 4, completeToDepth: 2, statesVisited: 9 }), exceptions.slice(0, 1)).text).toBe(
      "complete to depth 2, 4 open (9 states), except states behind 3 violating states",
    );
  });

  it("has the seed last", () => {
    const lines = summaryLines("ledger", result(), { verbose: false, colours: pc.createColors(false) });
    expect(lines.at(-1)).toBe("  seed          7");
    expect(lines.join("\n")).toMatchSnapshot();
    expect(
      summaryLines("x", result({ stopReason: "interrupted", bounded: 1, durationMs: 3_725_000 }), {
        verbose: true,
        colours: pc.createColors(false),
      }).join("\n"),
    ).toMatchSnapshot();
  });
});
