import { expect, it } from "vitest";
import { findFinding } from "../../../../src/cli/arguments/find-finding.ts";
import type { RunDocument } from "../../../../src/reports/index.ts";
import { violation } from "../../../support/results.ts";

const operations = [
  { action: "list", id: "aa11", count: 1 },
  { action: "read", id: "bb22", count: 1 },
];
const explorations = [{ violations: [violation({ id: "aa11", operations }), violation({ id: "cc33" })], races: [] }];
const found = (wanted: string): string | undefined => {
  const one = findFinding(wanted, "1", { explorations: explorations as unknown as RunDocument["explorations"] });
  return one.kind === "violation" ? one.violation.id : undefined;
};

it("finds a finding by its id, whole or by its beginning, and says which one has the path of another action with the same cause", () => {
  expect(["aa11", "aa", "cc"].map(found)).toEqual(["aa11", "aa11", "cc33"]);
  expect(() => found("bb")).toThrow('The path of finding "bb" was not stored, because this finding has the same cause as finding aa11.');
  expect(() => found("dd")).toThrow('Run 1 has no finding "dd".');
});
