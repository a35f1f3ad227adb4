// `npm run bench:known [-- name ...]`: explores published defects of servers from npm. Each pair names a version with the defect and a version with
// the fix. Both are installed once (node_modules/.cache/seqqa-known) and explored with the configuration in bench/known/<name>, without flags. For
// each version, the script prints if the defect was found, the number of steps and states, the time, and the findings. A finding in the fixed version
// is a false alarm. Exits with 1 if a defect is missed or there is a false alarm.
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PAIRS } from "../bench/known/pairs.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !PAIRS.some((pair) => pair.name === name));
if (unknown !== undefined) {
  console.error(`There is no pair "${unknown}". There are: ${PAIRS.map(({ name }) => name).join(", ")}.`);
  process.exit(2);
}

let isWrong = false;
for (const pair of PAIRS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  const { name, package: package_, versions, advisory } = pair;
  console.log(`${name}: ${package_} ${versions.join(" / ")} (${advisory})`);
  for (const [index, version] of versions.entries()) {
    const explored = explore(pair, install(pair, version));
    const expected = index === 0;
    const verdict =
      explored.problem ??
      (expected ? (explored.found.length > 0 ? "found" : "MISSED") : explored.found.length === 0 ? "nothing reported" : "FALSE ALARM");
    if (verdict !== "found" && verdict !== "nothing reported") isWrong = true;
    console.log(
      `  ${version.padEnd(8)} ${verdict}; ${explored.steps ?? "no"} steps, ${explored.states ?? "no"} states, ${explored.seconds} s`,
    );
    for (const one of explored.found) console.log(`           ${one}`);
  }
}
process.exitCode = isWrong ? 1 : 0;

/** Installs one version of a pair, with the packages that the pair needs beside it. Does nothing if it is already installed. Returns its folder. */
function install({ package: package_, beside = {}, overrides, compiled = [], before }, version) {
  const folder = join(root, "node_modules/.cache/seqqa-known", `${package_.replace("/", "+")}-${version}`);
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const dependencies = { [package_]: version, ...(typeof beside === "function" ? beside(version) : beside) };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module", dependencies, overrides }));
  const options = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-package-lock",
    "--legacy-peer-deps",
    ...(before === undefined ? [] : [`--before=${before}`]),
  ];
  execFileSync("npm", ["install", ...options], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  if (compiled.length > 0) execFileSync("npm", ["rebuild", ...compiled], { cwd: folder, stdio: "ignore" });
  writeFileSync(done, "");
  return folder;
}

/** Runs seqqa on one version of a pair. */
function explore(pair, server) {
  const output = mkdtempSync(join(tmpdir(), "seqqa-known-"));
  const template = pair.template === undefined ? undefined : makeTemplate(pair.template, server);
  const begun = performance.now();
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(root, "bin/seqqa.js"), "run", join(root, "bench/known", pair.folder ?? pair.name), "--output", output],
      {
        cwd: root,
        env: { ...process.env, SERVER: server, TEMPLATE: template?.url ?? "" },
        encoding: "utf8",
        timeout: 15 * 60_000,
      },
    );
    const seconds = Math.round((performance.now() - begun) / 100) / 10;
    const file = join(output, "results.json");
    if (!existsSync(file))
      return { found: [], seconds, problem: `exit code ${status}: ${stderr.trim().split("\n").slice(0, 3).join(" ")}` };
    const explorations = JSON.parse(readFileSync(file, "utf8")).explorations;
    const found = explorations.flatMap(({ violations, races }) => [
      ...violations.map(({ invariant, reproductionPath, message }) => `${invariant}: ${reproductionPath.join(" -> ")}: ${message}`),
      ...races.map(({ first, second, prefix, message }) => `${[...prefix, `(${first} || ${second})`].join(" -> ")}: ${message}`),
    ]);
    const sum = (key) => explorations.reduce((total, one) => total + one[key], 0);
    const errors = explorations.flatMap(({ errors: all }) => all.map(({ message }) => message));
    const problem =
      status === 3 && found.length === 0
        ? `UNVERIFIED (${[...errors, ...explorations.map(({ verdict }) => verdict.text)].join("; ").slice(0, 300)})`
        : undefined;
    return { found, seconds, steps: sum("steps"), states: sum("statesVisited"), problem };
  } finally {
    template?.remove();
    rmSync(output, { recursive: true, force: true });
  }
}

/** Creates a database from which the stores of the lanes are copied, prepared as the pair requires. */
function makeTemplate({ kind, prepare }, server) {
  const name = `seqqa_known_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;
  if (kind !== "postgres") throw new Error(`No template of ${kind} can be made here.`);
  const psql = (sql) => execFileSync("psql", ["-h", "127.0.0.1", "-U", "postgres", "-qc", sql], { stdio: ["ignore", "ignore", "inherit"] });
  psql(`CREATE DATABASE ${name}`);
  const url = `postgresql://postgres@127.0.0.1:5432/${name}`;
  const remove = () => psql(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  try {
    prepare?.(server, url);
  } catch (error) {
    remove();
    throw error;
  }
  return { url, remove };
}
