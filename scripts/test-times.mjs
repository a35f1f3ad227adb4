// `npm run test:times`: prints how long the last test run took, for each project, and its slowest files and tests. The figures are from the report
// that the test runner writes.
import { existsSync, readFileSync, statSync } from "node:fs";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { REPORT } from "./test-report.mjs";

const SHOWN = 15;
const root = fileURLToPath(new URL("..", import.meta.url));

if (!existsSync(REPORT)) {
  console.error("There is no test run to report on. Run the tests first: npm test");
  process.exit(2);
}
const { testResults, startTime, numPassedTests, numFailedTests } = JSON.parse(readFileSync(REPORT, "utf8"));
const files = testResults.map(({ name, startTime: start, endTime: end, assertionResults: tests }) => ({
  name: relative(root, name),
  project: relative(root, name).split("/")[1],
  start,
  end,
  tests,
}));
const seconds = (ms) => (ms / 1000).toFixed(1).padStart(8);
const table = (title, rows) => {
  console.log(`\n${title}`);
  for (const row of rows) console.log(`  ${row}`);
};
const longestFirst = (rows) => rows.toSorted((a, b) => b.ms - a.ms).slice(0, SHOWN);

const projects = new Set(files.map(({ project }) => project));
table(
  "project      files  tests  seconds of its files, added up",
  Array.from(projects, (project) => {
    const own = files.filter((file) => file.project === project);
    const tests = own.reduce((sum, file) => sum + file.tests.length, 0);
    const ms = own.reduce((sum, { start, end }) => sum + end - start, 0);
    return `${project.padEnd(10)} ${String(own.length).padStart(5)}  ${String(tests).padStart(5)}  ${seconds(ms)}`;
  }),
);
table(
  "slowest files",
  longestFirst(files.map(({ name, start, end }) => ({ ms: end - start, name }))).map(({ ms, name }) => `${seconds(ms)} s  ${name}`),
);
table(
  "slowest tests",
  longestFirst(files.flatMap(({ name, tests }) => tests.map(({ duration, fullName }) => ({ ms: duration ?? 0, name, fullName })))).map(
    ({ ms, name, fullName }) => `${seconds(ms)} s  ${name} > ${fullName}`,
  ),
);
const wall = Math.max(...files.map(({ end }) => end)) - startTime;
console.log(
  `\n${numPassedTests} passed, ${numFailedTests} failed in ${(wall / 1000).toFixed(0)} s, without start-up; run of ${statSync(REPORT).mtime.toISOString()}`,
);
