// `npm run build`: the package in dist. Its modules are put together in few files, since loading hundreds takes longer than most commands do; what two
// entries share is in a file that both import, so that every class exists once. `npm run build:types` adds the declarations, which only a published package needs.
import { build } from "esbuild";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
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
  "src/expanders/threads/worker.ts",
  "src/expanders/journeys/seat-worker.ts",
  "src/config/documentation.ts",
  "src/config/index.ts",
  "src/config/json-schema.ts",
  "src/loader/index.ts",
  "src/run/index.ts",
  "src/targets/index.ts",
];

const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [...exported, ...OWN],
  outbase: "src",
  outdir: "dist",
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
// src/model/code-root.ts finds the package from there.
for (const [file, { inputs }] of Object.entries(metafile.outputs)) {
  if ("src/model/code-root.ts" in inputs && file.split("/").length !== 3) throw new Error(`${file} does not lie one folder below dist.`);
}
await buildReport();
writeFileSync(join(dist, ".built"), "");
