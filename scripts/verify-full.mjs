// `npm run verify:full [-- [--parts n] [test files]]`: runs the test suites at full size and writes verify/results.json, which is to be committed. It
// contains the machine, the commit, and the verdict and duration of each test. The work is done in parts of at most ten minutes. Finished tests are
// kept even if the command is killed, and the same command continues from there, also in another session. After a change to the repository, except to
// files with results, all tests run again. `--failed` repeats the failed tests.
// `--at <commit>` measures that commit in a separate checkout, independently of the files here. `--at last` continues with the commit of the results.
// Exits with a non-zero status if a test failed or tests are left.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { machine } from "./machine.mjs";

/** The time in milliseconds after which a part begins no further test. Each test takes at most some minutes. */
const PART_MS = 6 * 60_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const resultsFile = join(root, "verify/results.json");
const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
const PRODUCT = ["--", ".", ":!verify/results.json", ":!bench/*.json", ":!bench/*.svg"];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    parts: { type: "string", default: "Infinity" },
    failed: { type: "boolean", default: false },
    at: { type: "string" },
  },
});
const cache = join(root, "node_modules/.cache/seqqa-verify");
mkdirSync(cache, { recursive: true });
if (values.at !== undefined) process.exit(await measureAt(values.at));

// Refuse uncommitted changes, because the results name a commit.
const uncommitted = git("status", "--porcelain", ...PRODUCT);
if (uncommitted !== "") {
  console.error(`verify:full measures a commit, and there are uncommitted changes:\n${uncommitted}`);
  process.exit(2);
}
const results = resultsSoFar();
/** The file with verdicts of a part that are not in the results yet. It remains if the command is killed. */
const verdictsFile = join(cache, `${results.commit}.jsonl`);
const finishedFile = join(cache, "finished.json");
takeVerdicts();
if (values.failed) forgetFailed();

let left = Infinity;
for (let part = 0; part < Number(values.parts) && left > 0; part++) left = runPart();
const tests = results.suites.flatMap((suite) => suite.tests);
const count = (status) => tests.filter((test) => test.status === status).length;
const broken = results.suites.filter(({ errors }) => errors !== undefined);
for (const { file, errors } of broken) console.error(`${file || "the run"}: ${errors.join("\n")}`);
const rest = left > 0 ? "more left: run the command again" : positionals.length > 0 ? "none left of these files" : "none left";
console.log(
  `verify/results.json: ${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} not for this machine, ${broken.length} files with errors, ${rest}`,
);
process.exitCode = count("failed") === 0 && broken.length === 0 && left === 0 ? 0 : 1;

/** Runs the remaining tests until the part's time is up, and stores their results. Returns how many tests are left. */
function runPart() {
  const finished = results.suites.flatMap(({ file, tests }) => tests.map(({ name }) => `${file} > ${name}`));
  writeFileSync(finishedFile, JSON.stringify(finished));
  const started = Date.now();
  const exclude = results.suites.filter(({ whole }) => whole).map(({ file }) => `--exclude=${file}`);
  const { status, signal } = spawnSync(
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
  const { done, left: leftNow, failed } = takeVerdicts(started);
  console.log(`part ${results.parts.length}: ${done} tests, ${leftNow} left`);
  // The number of remaining tests is unknown if the runner was killed.
  if (signal !== null) throw new Error(`The runner was ended by ${signal}.`);
  if (status !== 0 && !failed) throw new Error("The runner failed, and no test did: see above.");
  return leftNow;
}

/**
 * Moves the verdicts of a part into the results. @param started The time at which the part began; `undefined` for a part that did not end normally.
 */
function takeVerdicts(started) {
  const lines = existsSync(verdictsFile) ? readFileSync(verdictsFile, "utf8").split("\n").filter(Boolean).map(parsed) : [];
  const verdicts = lines.filter((line) => line?.status !== undefined);
  const ended = lines.filter((line) => line?.ended);
  const leftOver = new Set(verdicts.filter(({ status }) => status === "left").map(({ file }) => file));
  for (const { file, name, status, durationMs } of verdicts) {
    if (status === "left") continue;
    const { tests } = suiteOf(file);
    const known = tests.find((test) => test.name === name);
    // Later parts skip finished tests, so a verdict for a known test is kept only if the test failed.
    if (known === undefined) tests.push({ name, status, durationMs });
    else if (status === "failed") known.status = status;
  }
  for (const { file, errors } of ended) {
    const suite = suiteOf(file);
    suite.whole = !leftOver.has(file) && file !== "";
    if (errors.length > 0) suite.errors = errors;
    else delete suite.errors;
  }
  if (lines.length > 0) {
    results.suites.sort((a, b) => (a.file < b.file ? -1 : 1));
    if (started !== undefined) {
      results.parts.push({ date: new Date(started).toISOString(), minutes: Math.round((Date.now() - started) / 6000) / 10 });
    }
    mkdirSync(dirname(resultsFile), { recursive: true });
    writeFileSync(resultsFile, `${JSON.stringify(results, null, 1)}\n`);
    rmSync(verdictsFile);
  }
  return {
    done: verdicts.filter(({ status }) => status !== "left" && status !== "skipped").length,
    left: verdicts.filter(({ status }) => status === "left").length,
    failed: verdicts.some(({ status }) => status === "failed") || ended.some(({ errors }) => errors.length > 0),
  };
}

/** Parses one verdict; `undefined` if the line is incomplete, because the runner was killed while writing it. */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** Removes failed tests from the results, so that they run again. */
function forgetFailed() {
  for (const suite of results.suites) {
    const passed = suite.tests.filter(({ status }) => status !== "failed");
    if (passed.length < suite.tests.length || suite.errors !== undefined) suite.whole = false;
    suite.tests = passed;
    delete suite.errors;
  }
  results.suites = results.suites.filter(({ file }) => file !== "");
}

function suiteOf(file) {
  const known = results.suites.find((suite) => suite.file === file);
  if (known !== undefined) return known;
  const made = { file, whole: false, tests: [] };
  results.suites.push(made);
  return made;
}

/** Returns the stored results if they belong to the same state of the repository, or else empty results. */
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

/**
 * Runs this command in a checkout of a commit, with the installed packages of this folder, and copies its results here every minute. Returns the exit
 * status.
 */
async function measureAt(wanted) {
  const commit = git("rev-parse", `${wanted === "last" ? JSON.parse(readFileSync(resultsFile, "utf8")).commit : wanted}^{commit}`);
  const tree = join(tmpdir(), `seqqa-verify-${commit}`);
  const theirs = join(tree, "verify/results.json");
  if (!existsSync(tree)) {
    git("worktree", "prune");
    git("worktree", "add", "--detach", tree, commit);
    symlinkSync(join(root, "node_modules"), join(tree, "node_modules"));
    if (JSON.parse(readFileSync(resultsFile, "utf8")).commit === commit) copyFileSync(resultsFile, theirs);
  }
  const take = () => {
    if (JSON.parse(readFileSync(theirs, "utf8")).commit === commit) copyFileSync(theirs, resultsFile);
  };
  const timer = setInterval(take, 60_000);
  const args = process.argv.slice(2).filter((arg, index, all) => arg !== "--at" && all[index - 1] !== "--at" && !arg.startsWith("--at="));
  const child = spawn(process.execPath, ["scripts/verify-full.mjs", ...args], { cwd: tree, stdio: "inherit" });
  const [status] = await once(child, "exit");
  clearInterval(timer);
  take();
  return status ?? 1;
}
