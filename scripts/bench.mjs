// `npm run bench [-- [--full] part ...]`: measures the built package, prints a table and writes bench/results.json. Each part runs in its own
// process. Parts that the arguments do not name keep their last figures, with the commit on which these were measured.
import { fork } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundle, commit, root } from "./bench-bundle.mjs";
import { machine } from "./machine.mjs";

const resultsFile = join(root, "bench/results.json");
const PARTS = [
  "visited",
  "canonical",
  "memory",
  "ten-million",
  "http",
  "http-ledger",
  "two-packets",
  "limit",
  "lanes",
  "cpu",
  "stores",
  "store-ledger",
  "report",
  "run-store",
  "races",
  "scaffold",
  "testing",
];

const full = process.argv.includes("--full");
const wanted = process.argv.slice(2).filter((argument) => argument !== "--full");
const unknown = wanted.filter((name) => !PARTS.includes(name));
if (unknown.length > 0) {
  console.error(`There is no part named ${unknown.join(", ")}; there are ${PARTS.join(", ")}.`);
  process.exit(2);
}

const out = await bundle("parts", ["part-process", "explore-process", "peer-process", "bare-store-process", ...PARTS]);
const results = existsSync(resultsFile) ? JSON.parse(readFileSync(resultsFile, "utf8")) : { machine: undefined, parts: {} };
const measuredOn = { commit: commit(), date: new Date().toISOString(), sizes: full ? "full" : "quick" };
results.machine = machine();
let failed = false;
for (const name of PARTS) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const start = performance.now();
  try {
    const rows = await part(name);
    print(name, rows, (performance.now() - start) / 1000);
    results.parts[name] = { ...measuredOn, rows };
    writeFileSync(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  } catch (error) {
    failed = true;
    console.error(`\n${name}: ${error.message}`);
  }
}
process.exitCode = failed ? 1 : 0;

function part(name) {
  return new Promise((done, fail) => {
    const env = { ...process.env, SEQQA_ROOT: root, SEQQA_BENCH: full ? "full" : "quick" };
    const child = fork(join(out, "part-process.mjs"), [name], { cwd: root, env, execArgv: ["--enable-source-maps"] });
    let rows;
    child.on("message", (message) => (rows = message));
    child.on("exit", (code, signal) => (rows === undefined ? fail(new Error(`ended with ${signal ?? code}`)) : done(rows)));
  });
}

function print(name, rows, seconds) {
  const text = rows.map((row) => [row.name, format(row.value), row.unit, row.note ?? ""]);
  const widths = [0, 1, 2].map((column) => Math.max(...text.map((cells) => cells[column].length)));
  console.log(`\n${name}  (${seconds.toFixed(0)} s)`);
  for (const [label, value, unit, note] of text) {
    console.log(`  ${label.padEnd(widths[0])}  ${value.padStart(widths[1])} ${unit.padEnd(widths[2])}  ${note}`.trimEnd());
  }
}

function format(value) {
  return value >= 100 ? Math.round(value).toLocaleString("en") : value.toPrecision(3);
}
