import { explorationCases, journeyCases, type Case } from "./junit-cases.ts";
import type { RunDocument } from "../document/document-types.ts";
import { element, escaped } from "./xml.ts";

interface Suite {
  readonly name: string;
  readonly file: string;
  /** The duration in milliseconds; absent if it was not measured. */
  readonly ms?: number | undefined;
  readonly cases: readonly Case[];
}

/**
 * Returns a run as JUnit XML that Jenkins' xunit plugin (junit-10.xsd) and other tools can read. A test case fails if its problem makes the run fail.
 */
export function junitText(document: RunDocument): string {
  const suites: readonly Suite[] = [
    ...document.explorations.map((entry) => ({
      name: entry.name,
      file: entry.file,
      ms: entry.durationMs,
      cases: explorationCases(entry, document.failOnSeverity),
    })),
    ...document.journeys.map((entry) => ({ name: entry.name, file: entry.file, ms: entry.durationMs, cases: journeyCases(entry) })),
    ...document.failures.map(({ file, code, message, hint }) => ({
      name: file,
      file,
      cases: [{ name: file, classname: "run", outcome: { kind: "error" as const, type: code, message, text: hint ?? "" } }],
    })),
  ];
  const all = suites.flatMap(({ cases }) => cases);
  const ms = suites.reduce((sum, suite) => sum + (suite.ms ?? 0), 0);
  const { tests, failures, errors } = counts(all);
  const body = suites.map((suite) => `  ${suiteText(suite, document.startedAt)}\n`).join("");
  const root = element("testsuites", { name: "seqqa", tests, failures, errors, time: seconds(ms) }, body === "" ? "" : `\n${body}`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}

function suiteText({ name, file, ms, cases }: Suite, startedAt: string): string {
  const timestamp = startedAt.replace(/(?:\.\d+)?Z$/, "");
  const body = cases.map((one) => `    ${caseText(one)}\n`).join("");
  return element(
    "testsuite",
    { name, ...counts(cases), time: ms === undefined ? undefined : seconds(ms), timestamp, file },
    body === "" ? "" : `\n${body}  `,
  );
}

function caseText({ name, classname, ms, outcome, output }: Case): string {
  const came =
    outcome === undefined ? "" : element(outcome.kind, { type: outcome.type, message: outcome.message }, escaped(outcome.text ?? ""));
  return element(
    "testcase",
    { name, classname, time: ms === undefined ? undefined : seconds(ms) },
    came + (output === undefined ? "" : element("system-out", {}, escaped(output))),
  );
}

function counts(cases: readonly Case[]): {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
} {
  const of = (kind: string): number => cases.filter(({ outcome }) => outcome?.kind === kind).length;
  return { tests: cases.length, failures: of("failure"), errors: of("error"), skipped: of("skipped") };
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);
