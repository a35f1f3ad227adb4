// Prints "N passed, N failed" from the test runner's JSON report: files that could not be loaded count as failed.
import { readFileSync } from "node:fs";

const file = process.argv[2];
let passed = 0;
let failed = 0;
try {
  const report = JSON.parse(readFileSync(file, "utf8"));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
  failed += report.testResults.filter(
    (suite) => suite.status === "failed" && suite.assertionResults.every((test) => test.status !== "failed"),
  ).length;
  if (!report.success && failed === 0) failed = 1;
} catch (error) {
  console.error(`No test report: ${error.message}`);
  failed = 1;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
