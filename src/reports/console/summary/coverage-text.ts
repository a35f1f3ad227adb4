import { joinedOperations, type CodeCount, type OperationCoverage } from "../../../model/results/coverage.ts";
import type { RunReport } from "../../document/run-report.ts";
import { grouped } from "../text/numbers.ts";
import { printable } from "../text/printable.ts";

/** Returns the lines about the coverage of a run; empty if no coverage was measured. */
export function coverageLines({ explorations, coverage }: Pick<RunReport, "explorations" | "coverage">): readonly string[] {
  const operations = joinedOperations(explorations.map(({ result }) => result.coverage.operations ?? []));
  const code = coverage?.code;
  return [
    ...(operations.length === 0 ? [] : [`operations   ${operationsText(operations)}`]),
    ...(code === undefined ? [] : [`code         ${code.lines.total === 0 ? "not measured" : codeText(code)}`]),
    ...(code?.notes ?? []).map((note) => `note: ${printable(note)}`),
  ];
}

/** Returns how many operations were called, and how many described statuses were seen. */
export function operationsText(operations: readonly OperationCoverage[]): string {
  const called = operations.filter(({ seen }) => seen.length > 0).length;
  const described = operations.reduce((sum, one) => sum + one.described.length, 0);
  const missing = operations.reduce((sum, one) => sum + one.missing.length, 0);
  return `${grouped(called)} of ${grouped(operations.length)} called, ${grouped(described - missing)} of ${grouped(described)} described statuses seen`;
}

/** Returns the shares of lines and branches that were executed. */
export function codeText({ lines, branches }: { readonly lines: CodeCount; readonly branches: CodeCount }): string {
  return `${share(lines)} of lines, ${share(branches)} of branches`;
}

/** Formats a share as percent. `100 %` means that everything is covered; smaller shares are rounded down. */
export function share({ total, covered }: CodeCount): string {
  return total === 0 ? "none" : `${Math.floor((covered * 100) / total)} %`;
}
