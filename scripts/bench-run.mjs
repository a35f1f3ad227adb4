// `npm run bench:strategies` and `npm run bench:peers`: benchmarks that write their own result files. The first argument is the name of the
// benchmark.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { bundle, commit, root } from "./bench-bundle.mjs";
import { machine } from "./machine.mjs";

const [name, ...args] = process.argv.slice(2);
const PROCESSES = { strategies: ["strategies-process"], peers: ["explore-process", "peer-process"] };

process.env.SEQQA_ROOT = root;
const out = await bundle(name, [name, ...PROCESSES[name]]);
const { default: measure } = await import(pathToFileURL(join(out, `${name}.mjs`)).href);
try {
  await measure(args, { machine: machine(), commit: commit(), date: new Date().toISOString() });
} catch (error) {
  console.error(`bench:${name}: ${error.message}`);
  process.exitCode = 2;
}
