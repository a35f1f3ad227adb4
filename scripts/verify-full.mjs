// `npm run verify:full [test files]`: runs the suites at their full size and writes verify/results.json, to be committed:
// the machine, and each suite's counts and duration with the commit measured. Suites that were not asked for keep their last figures.
// Takes long. Exits non-zero when anything failed.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

const measuredOn = { commit: git("rev-parse", "HEAD"), date: started.toISOString() };
const measured = report.testResults.map((suite) => ({
  file: relative(root, suite.name),
  ...measuredOn,
  status: suite.status,
  passed: suite.assertionResults.filter((test) => test.status === "passed").length,
  failed: suite.assertionResults.filter((test) => test.status === "failed").length,
  skipped: suite.assertionResults.filter((test) => test.status !== "passed" && test.status !== "failed").length,
  durationMs: Math.round(suite.endTime - suite.startTime),
  tests: suite.assertionResults.map((test) => ({ name: test.fullName, status: test.status, durationMs: Math.round(test.duration ?? 0) })),
}));

const resultsFile = join(root, "verify/results.json");
const before = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : { suites: [] };
const kept = before.suites.filter(({ file }) => existsSync(join(root, file)) && !measured.some((suite) => suite.file === file));
const suites = [...kept, ...measured].sort((a, b) => (a.file < b.file ? -1 : 1));
mkdirSync(join(root, "verify"), { recursive: true });
writeFileSync(resultsFile, `${JSON.stringify({ machine: machine(), suites }, null, 2)}\n`);
const minutes = (Date.now() - started.getTime()) / 60_000;
console.log(`verify/results.json: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${minutes.toFixed(1)} minutes`);
process.exitCode = status ?? 1;
