// `npm run build`: builds the package in dist. The modules are bundled into few files, because most commands take less time than loading hundreds of
// modules. Code that two entries use is in a file that both import, so that every class exists only once. Declarations are needed only for
// publishing: `npm run build:types` creates them, and npm runs it when it packs or publishes the package.
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

/** Entries in addition to the exported ones: the command, the entries of threads, and modules that scripts and tests of this repository load. */
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

/** A file that targets load. It is copied without changes. */
const COVERAGE_PRELOAD = "src/targets/process/write-coverage.cjs";

// The build is written to a separate folder until it is complete, so that an error in a source file leaves the last build unchanged.
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
  metafile: true,
  logLevel: "warning",
});
for (const file of Object.keys(metafile.outputs)) if (file.endsWith(".js")) keepNames(join(root, file));
// src/model/code-root.ts finds the package by its own location, one folder below dist.
for (const [file, { inputs }] of Object.entries(metafile.outputs)) {
  if ("src/model/code-root.ts" in inputs && file.split("/").length !== 3) throw new Error(`${file} does not lie one folder below dist.`);
}
cpSync(join(root, COVERAGE_PRELOAD), join(draft, COVERAGE_PRELOAD.replace("src/", "")));
await buildReport(join(draft, "reports/html"));
writeFileSync(join(draft, ".built"), "");
rmSync(join(root, "dist"), { recursive: true, force: true });
renameSync(draft, join(root, "dist"));

/**
 * Restores the names of classes and of functions such as `Context` that esbuild has renamed, because users see them in printed values and in the diffs
 * of their test runners. The option `keepNames` of esbuild would do it too, but it sets the name of each function at each creation, which made
 * explorations an eighth slower.
 * @throws an error if a name remains renamed, or if restoring it could break the code
 */
function keepNames(file) {
  const code = readFileSync(file, "utf8");
  let kept = code;
  for (const [, name, inner] of code.matchAll(/\bvar (\w+) = (?:class|function) (?!extends\b)(\w+)/g)) {
    if (inner === name) continue;
    const uses = new RegExp(`\\b${inner}\\b`, "g");
    // `_Context` of a class is unique in its file. `Context2` of a function may also be the name of something else.
    if (inner !== `_${name}` && code.match(uses).length > 1) throw new Error(`${file} uses ${inner}, so that its name cannot be restored.`);
    kept = kept.replace(uses, name);
  }
  if (kept !== code) writeFileSync(file, kept);
}

if (["pack", "publish"].includes(process.env.npm_command)) {
  // Write nothing to standard output, because programs read the output of `npm pack --json` there.
  execFileSync("npm", ["run", "--silent", "build:types"], { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
}
