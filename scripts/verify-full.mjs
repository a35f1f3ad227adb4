// `npm run verify:full [-- [--parts n] [test files]]`: runs the suites at their full size and writes verify/results.json, to be committed: the machine, the
// commit, and each test's verdict and duration. The work is done in parts of at most ten minutes; after each, what is finished is in the file, and the
// same command goes on from there, also in another session. A change to anything but these results begins again. Exits non-zero when a test failed or tests are left.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "./machine.mjs";

/** No test begins later than this in a part; tests take at most some minutes. */
const PART_MS = 6 * 60_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const resultsFile = join(root, "verify/results.json");
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const PRODUCT = ["--", ".", ":!verify/results.json", ":!bench/*.json", ":!bench/*.svg"];

// Only what is committed can be measured under a commit's name.
const uncommitted = git("status", "--porcelain", ...PRODUCT);
if (uncommitted !== "") {
  console.error(`verify:full measures a commit, and there are uncommitted changes:\n${uncommitted}`);
  process.exit(2);
}
const { values, positionals } = parseArgs({ allowPositionals: true, options: { parts: { type: "string", default: "Infinity" } } });
const results = resultsSoFar();
const folder = mkdtempSync(join(tmpdir(), "seqqa-verify-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

let left = Infinity;
for (let part = 0; part < Number(values.parts) && left > 0; part++) left = runPart();
const tests = results.suites.flatMap((suite) => suite.tests);
const failed = tests.filter(({ status }) => status === "failed").length;
console.log(
  `verify/results.json: ${tests.length - failed} passed, ${failed} failed, ${left === 0 ? "none left" : "more left: run the command again"}`,
);
process.exitCode = failed === 0 && left === 0 ? 0 : 1;

/** Runs what is left until the part's time is up, and writes down what it finished. Returns how many tests are left. */
function runPart() {
  const [finishedFile, verdictsFile] = [join(folder, "finished.json"), join(folder, "verdicts.jsonl")];
  const finished = results.suites.flatMap(({ file, tests }) => tests.map(({ name }) => `${file} > ${name}`));
  writeFileSync(finishedFile, JSON.stringify(finished));
  writeFileSync(verdictsFile, "");
  const started = Date.now();
  const exclude = results.suites.filter(({ whole }) => whole).map(({ file }) => `--exclude=${file}`);
  const { status } = spawnSync(
    process.execPath,
    [
      join(root, "node_modules/vitest/vitest.mjs"),
      "run",
      "--passWithNoTests",
      "--reporter=default",
      "--reporter=./scripts/verify-reporter.mjs",
      ...exclude,
      ...positionals,
    ],
    {
      cwd: root,
      env: {
        ...process.env,
        SEQQA_VERIFY: "full",
        SEQQA_VERIFY_FINISHED: finishedFile,
        SEQQA_VERIFY_UNTIL: String(started + PART_MS),
        SEQQA_VERIFY_VERDICTS: verdictsFile,
      },
      stdio: ["ignore", "inherit", "inherit"],
    },
  );
  const verdicts = readFileSync(verdictsFile, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const leftOver = new Set(verdicts.filter(({ status: one }) => one === "left").map(({ file }) => file));
  for (const { file, name, status: verdict, durationMs } of verdicts) {
    const suite = suiteOf(file);
    suite.whole = !leftOver.has(file);
    if (verdict === "passed" || verdict === "failed") suite.tests.push({ name, status: verdict, durationMs });
  }
  results.suites.sort((a, b) => (a.file < b.file ? -1 : 1));
  results.parts.push({ date: new Date(started).toISOString(), minutes: Math.round((Date.now() - started) / 6000) / 10 });
  mkdirSync(join(root, "verify"), { recursive: true });
  writeFileSync(resultsFile, `${JSON.stringify(results, null, 1)}\n`);
  const done = verdicts.filter(({ status: one }) => one === "passed" || one === "failed").length;
  const leftNow = verdicts.filter(({ status: one }) => one === "left").length;
  console.log(`part ${results.parts.length}: ${done} tests, ${leftNow} left`);
  if (done === 0 && leftNow > 0 && status !== 0) throw new Error("The part finished no test: the runner ended early.");
  return leftNow;
}

function suiteOf(file) {
  const known = results.suites.find((suite) => suite.file === file);
  if (known !== undefined) return known;
  const made = { file, whole: false, tests: [] };
  results.suites.push(made);
  return made;
}

/** What earlier parts finished of the same state of the product; nothing of another one. */
function resultsSoFar() {
  if (existsSync(resultsFile)) {
    const before = JSON.parse(readFileSync(resultsFile, "utf8"));
    if (before.commit !== undefined && isSame(before.commit)) return before;
  }
  return { commit: git("rev-parse", "HEAD"), machine: machine(), parts: [], suites: [] };
}

function isSame(commit) {
  return spawnSync("git", ["diff", "--quiet", commit, "HEAD", ...PRODUCT], { cwd: root }).status === 0;
}
