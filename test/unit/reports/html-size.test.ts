import { expect, it } from "vitest";
import { some } from "../../sizes.ts";
import { journey, report, result, step, violation } from "../../support/results.ts";
import { htmlText, runDocument, type RunReport } from "../../../src/reports/index.ts";
import type { ExplorationResult, RecordedExchange, Violation } from "../../../src/model/results/result.ts";

const many = <T>(count: number, make: (index: number) => T): readonly T[] => Array.from({ length: count }, (_, index) => make(index));
const exchange = (body: string, header: string): RecordedExchange => ({
  request: { method: "POST", url: "http://127.0.0.1/orders", headers: { header }, body },
  response: { status: 200, headers: { header }, body },
  durationMs: 1,
});
const BODY = "b".repeat(20_000);
const HEADER = "h".repeat(4_000);
const explored = (changes: Partial<ExplorationResult>): Partial<RunReport> => ({
  explorations: [{ name: "shop", file: "shop.explore.ts", result: result(changes) }],
});
/** Findings of paths of so many steps. */
const found = (findings: number, steps: number, of: (action: string) => Violation["steps"][number]): Partial<RunReport> => {
  const path = many(steps, (index) => `action_${index}`);
  const one = (index: number): Violation => violation({ id: `id${index}`, reproductionPath: path, steps: path.map(of) });
  return explored({ violations: many(findings, one) });
};

const CASES: readonly (readonly [string, Partial<RunReport>, RegExp])[] = [
  [
    "bodies",
    found(30, 10, (action) => ({ action, status: 200, requests: [exchange(BODY, "")] })),
    /refund_within_amount[^]*action_9<[^]*more characters, left out to limit/,
  ],
  [
    "lines of what a step changed",
    found(3, 20, (action) => ({ action, status: 200, requests: [], changes: many(110, () => `+ ${HEADER}`) })),
    /refund_within_amount[^]*action_19<[^]*\d+ more lines left out to limit/,
  ],
  [
    "requests of a step",
    found(1, 4, (action) => ({ action, status: 200, requests: many(400, () => exchange("", HEADER)) })),
    /refund_within_amount[^]*action_3<[^]*\d+ more requests left out to limit/,
  ],
  [
    "what a rule asked",
    explored({ violations: [violation({ checks: many(1_500, () => exchange("", HEADER)) })] }),
    /refund_within_amount[^]*\d+ more requests left out to limit/,
  ],
  [
    "what a path was shrunk from",
    explored({ violations: many(3, () => violation({ shrunkFrom: many(300_000, () => "create_order") })) }),
    /more characters/,
  ],
  ["notes", explored({ notes: many(600, () => BODY) }), /more characters/],
  [
    "findings",
    explored({ violations: many(1_500, (index) => violation({ id: `id${index}`, message: HEADER })) }),
    /\d findings? left out|more characters/,
  ],
  ["files that failed", { failures: many(300, () => ({ file: "a.explore.ts", code: "C", message: BODY, hint: BODY })) }, /more characters/],
  [
    "journeys",
    {
      journeys: many(30, (index) => ({
        name: `journey ${index}`,
        file: "journeys/a.ts",
        notes: [],
        result: journey({ steps: many(5, () => step({ status: "failed", error: BODY, requests: [exchange(BODY, HEADER)] })) }),
      })),
    },
    /journey 29[^]*more characters/,
  ],
];

it.each(some(CASES, 1))("an HTML report is at most 10 MB, and says what it left out: %s", { timeout: 300_000 }, (_what, changes, said) => {
  const document = runDocument(report(changes), { redact: [], includeRequestResponse: true });
  expect(JSON.stringify(document).length).toBeGreaterThan(10_000_000);
  const text = htmlText({ document, graphs: [] });
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(10_000_000);
  expect(text.replace(/<script id="app">[^]*/, "")).toMatch(said);
});
