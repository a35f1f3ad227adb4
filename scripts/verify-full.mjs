// `npm run verify:full [test files]`: runs the suites at their full size and writes verify/results.json, to be committed:
// the commit measured, the machine, and each suite's counts and duration. Takes long. Exits non-zero when anything failed.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { machine } from "./machine.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();

// Only what is committed can be measured under a commit's name; the results of earlier runs do not count.
const uncommitted = git("status", "--porcelain", "--", ".", ":!verify/results.json", ":!bench/results.json");
if (uncommitted !== "") {
  console.error(`verify:full measures a commit, and there are changes that are in none:\n${uncommitted}`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "seqqa-verify-"));
const reportFile = join(folder, "report.json");
const started = new Date();
const files = process.argv.slice(2);
const { status } = spawnSync(
  process.execPath,
  // One file at a time: suites measure rates and start lanes, and must not get in one another's way.
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "--no-file-parallelism",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportFile}`,
    ...files,
  ],
  { cwd: root, env: { ...process.env, SEQQA_VERIFY: "full" }, stdio: ["ignore", "inherit", "inherit"] },
);
const report = JSON.parse(readFileSync(reportFile, "utf8"));
rmSync(folder, { recursive: true, force: true });

const suites = report.testResults
  .map((suite) => ({
    file: relative(root, suite.name),
    status: suite.status,
    passed: suite.assertionResults.filter((test) => test.status === "passed").length,
    failed: suite.assertionResults.filter((test) => test.status === "failed").length,
    skipped: suite.assertionResults.filter((test) => test.status !== "passed" && test.status !== "failed").length,
    durationMs: Math.round(suite.endTime - suite.startTime),
    tests: suite.assertionResults.map((test) => ({ name: test.fullName, status: test.status, durationMs: Math.round(test.duration ?? 0) })),
  }))
  .sort((a, b) => (a.file < b.file ? -1 : 1));

mkdirSync(join(root, "verify"), { recursive: true });
const results = {
  commit: git("rev-parse", "HEAD"),
  date: started.toISOString(),
  machine: machine(),
  durationMs: Date.now() - started.getTime(),
  only: files.length > 0 ? files : undefined,
  passed: report.numPassedTests,
  failed: report.numFailedTests,
  suites,
};
writeFileSync(join(root, "verify/results.json"), `${JSON.stringify(results, null, 2)}\n`);
console.log(`verify/results.json: ${results.passed} passed, ${results.failed} failed, ${(results.durationMs / 60_000).toFixed(1)} minutes`);
process.exitCode = status ?? 1;
