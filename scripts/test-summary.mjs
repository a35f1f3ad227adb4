// Prints "N passed, N failed" from the test runner's JSON report of the last run. A file that could not be loaded counts as failed. The lines before
// name each failed test, for readers who see only the end of the output, and each test that passed only when it was repeated, with its first error:
// such a test has to be fixed.
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { REPORT } from "./test-report.mjs";

let passed = 0;
let failed = 0;
const flaky = [];
const broken = [];
try {
  const report = JSON.parse(readFileSync(REPORT, "utf8"));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
  for (const suite of report.testResults) {
    const file = relative(process.cwd(), suite.name);
    for (const test of suite.assertionResults) {
      if (test.status === "failed") broken.push({ file, ...test });
      if (test.status === "passed" && test.failureMessages.length > 0) flaky.push({ file, ...test });
    }
    if (suite.status !== "failed" || suite.assertionResults.some((test) => test.status === "failed")) continue;
    failed++;
    broken.push({ file, fullName: "cannot be loaded", failureMessages: [suite.message] });
  }
  if (!report.success && failed === 0) failed = 1;
} catch (error) {
  console.error(`No test report: ${error.message}`);
  failed = 1;
}
for (const { file, fullName, failureMessages } of broken)
  console.log(`FAILED ${file} > ${fullName}\n${indented(failureMessages[0] ?? "")}`);
for (const { file, fullName, failureMessages } of flaky) console.log(`FLAKY ${file} > ${fullName}\n${indented(failureMessages[0])}`);
if (flaky.length > 0) console.log(`${flaky.length} flaky: passed when tried again, to be mended`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

/** Returns the first lines of a text, indented and with limited length. */
function indented(text) {
  const lines = text.split("\n").slice(0, 12);
  return lines.map((line) => `  ${line.length > 300 ? `${line.slice(0, 300)}...` : line}`).join("\n");
}
