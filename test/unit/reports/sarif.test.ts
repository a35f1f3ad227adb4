import { describe, expect, it } from "vitest";
import { sarifText } from "../../../src/reports/sarif/sarif-text.ts";
import type { RunDocument } from "../../../src/reports/index.ts";
import { sarifErrors } from "../../support/json-schemas.ts";
import { race } from "../../support/race.ts";
import { document, evil, explored, ran } from "./hostile-report.ts";
import { violation } from "../../support/results.ts";

interface Sarif {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
      readonly invocations: readonly [{ readonly executionSuccessful: boolean; readonly toolExecutionNotifications: readonly unknown[] }];
      readonly results: readonly (Readonly<Record<string, unknown>> & { readonly ruleId: string; readonly ruleIndex: number })[];
    },
  ];
}

function checked(run: RunDocument): Sarif["runs"][0] {
  const sarif = JSON.parse(sarifText(run)) as Sarif;
  expect(sarifErrors(sarif)).toEqual([]);
  const { results, tool } = sarif.runs[0];
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]!.id).toBe(ruleId);
  return sarif.runs[0];
}

it("the schema refuses what is no SARIF", () => {
  expect(sarifErrors({ version: "2.1.0", runs: [{ tool: {} }] })).not.toEqual([]);
});

describe("SARIF", () => {
  it("has a result per finding, at the user's own line, with the path and the answer", () => {
    const violations = [
      violation({ where: "qa/my shop.explore.ts:12:5" }),
      violation({ id: "2", severity: "medium", known: true, where: undefined, steps: [] }),
    ];
    const { results } = checked(document({ explorations: [explored({ violations, races: [race()] })] }));
    const at = (uri: string, region: object) => [{ physicalLocation: { artifactLocation: { uri, uriBaseId: "%SRCROOT%" }, region } }];
    expect(results).toMatchObject([
      {
        ruleId: "refund_within_amount",
        level: "error",
        locations: at("qa/my%20shop.explore.ts", { startLine: 12, startColumn: 5 }),
        partialFingerprints: { "seqqaFinding/v1": "3fa1b2c4" },
        webResponse: { statusCode: 200 },
      },
      { level: "warning", locations: at("qa/shop.explore.ts", { startLine: 1 }), suppressions: [{ kind: "external" }] },
      { ruleId: "race-state", level: "error" },
    ]);
    const text = JSON.stringify(results[0]);
    expect(text).toContain("1. refund_order: 200");
    expect(text).not.toMatch(/Bearer abc|pw-1|t-1/);
  });

  it("has failed journeys, and says why a run is not sure", () => {
    const error = { code: "ACTION_THREW", message: "boom", path: [], source: "pay", count: 1, where: "a.ts:3:1" };
    const { results, invocations } = checked(
      document({
        journeys: [ran()],
        explorations: [explored({ errors: [error], unverified: ["pay never applied."] })],
        failures: [{ file: "qa/x.explore.ts", code: "NO_AGENT", message: "m" }],
        exitStatus: 3,
      }),
    );
    expect(results).toMatchObject([{ ruleId: "journey", message: { text: expect.stringContaining("journey login: read failed") } }]);
    expect(invocations[0].executionSuccessful).toBe(false);
    expect(invocations[0].toolExecutionNotifications).toHaveLength(3);
  });

  it("is valid without anything, and whatever the target answers", () => {
    expect(checked(document({})).results).toEqual([]);
    expect(checked(document(evil)).results.length).toBeGreaterThan(2);
    expect(sarifText(document(evil))).not.toMatch(/[\x7f-\x9f\u202e\u2028]|[\ud800-\udbff](?![\udc00-\udfff])/); // oxlint-disable-line no-control-regex
  });
});
