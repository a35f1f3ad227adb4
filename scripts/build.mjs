// `npm run build`: the package in dist. Its modules are put together in few files, since loading hundreds takes longer than most commands do; what two
// entries share is in a file that both import, so that every class exists once. The declarations, which only a published package needs, come with
// `npm run build:types`, and by themselves when npm packs or publishes.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildReport } from "./build-report.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const exported = Object.values(exports).flatMap(({ default: file }) =>
  file === undefined ? [] : [file.replace(/^\.\/dist\/(.*)\.js$/, "src/$1.ts")],
);

/** Beside what is exported: the command, the entries of threads, and what scripts and tests of this repository load. */
const OWN = [
  "src/cli/index.ts",
  "src/lane-pools/threads/worker.ts",
  "src/lane-pools/journeys/journey-worker.ts",
  "src/config/schema/documentation.ts",
  "src/config/index.ts",
  "src/config/schema/json-schema.ts",
  "src/loader/index.ts",
  "src/reports/index.ts",
  "src/run/index.ts",
  "src/targets/index.ts",
];

/** Loaded by targets, as it is. */
const COVERAGE_PRELOAD = "src/targets/process/write-coverage.cjs";

// In a folder of its own until it is whole: a mistake in a source leaves the last build as it is.
const draft = join(root, "dist.new");
rmSync(draft, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [...exported, ...OWN],
  outbase: "src",
  outdir: draft,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  platform: "node",
  format: "esm",
  target: "node20",
  packages: "external",
  sourcemap: true,
  sourcesContent: false,
  // The names of classes show in what users print and in the differences that their test runners show.
  keepNames: true,
  metafile: true,
  logLevel: "warning",
});
// src/model/code-root.ts finds the package from there.
for (const [file, { inputs }] of Object.entries(metafile.outputs)) {
  if ("src/model/code-root.ts" in inputs && file.split("/").length !== 3) throw new Error(`${file} does not lie one folder below dist.`);
}
cpSync(join(root, COVERAGE_PRELOAD), join(draft, COVERAGE_PRELOAD.replace("src/", "")));
await buildReport(join(draft, "reports/html"));
writeFileSync(join(draft, ".built"), "");
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(draft, join(root, "dist"));
if (["pack", "publish"].includes(process.env.npm_command)) {
  // Standard output is npm's: `npm pack --json` is read by programs.
  execFileSync("npm", ["run", "--silent", "build:types"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
