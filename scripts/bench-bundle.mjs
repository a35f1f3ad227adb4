// Parts that all benchmarks share: compiling TypeScript to JavaScript, and naming the commit that is measured.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Compiles the named modules of bench/, and every exploration of fixtures/ and bench/, to JavaScript. Returns the folder of the result. Exports of
 * the package are imported from dist, because its worker threads find their own files there. Inner modules are imported from dist if it has them;
 * others are compiled from src.
 */
export async function bundle(command, names) {
  const out = join(root, "node_modules/.cache/seqqa-bench", command);
  rmSync(out, { recursive: true, force: true });
  const agents = ["fixtures", "bench"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((file) => /\.explore\.(m?ts|m?js)$/.test(file))
      .map((file) => join(folder, file)),
  );
  const entryPoints = {
    ...Object.fromEntries(names.map((name) => [name, `bench/${name}.ts`])),
    ...Object.fromEntries(agents.map((file) => [`agents/${file.replace(/\.[^.]+$/, "")}`, file])),
  };
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const external = (file) => ({ path: pathToFileURL(join(root, file)).href, external: true });
  const { metafile } = await build({
    absWorkingDir: root,
    metafile: true,
    entryPoints,
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    packages: "external",
    sourcemap: true,
    logLevel: "warning",
    plugins: [
      {
        name: "built-package",
        setup({ onResolve }) {
          onResolve({ filter: /^seqqa(\/|$)/ }, ({ path }) => external(exports[path.replace(/^seqqa/, ".")].default));
          onResolve({ filter: /\/src\/.*\.ts$/ }, ({ path, resolveDir }) => {
            const file = relative(root, resolve(resolveDir, path)).replace(/^src/, "dist").replace(/ts$/, "js");
            return existsSync(join(root, file)) ? external(file) : undefined;
          });
        },
      },
    ],
  });
  // In a bundle, this module would look for the package's files beside the bundle.
  if ("src/model/code-root.ts" in metafile.inputs)
    throw new Error("A benchmark imports a module of src that finds files of the package: make it an entry in scripts/build.mjs.");
  return out;
}

/** Returns the id of the commit that is measured, marked "with changes" if the sources have uncommitted changes. */
export function commit() {
  const git = (...args) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--", "src", "bench", "fixtures", ":!bench/*.json", ":!bench/*.svg") !== "";
  return git("rev-parse", "HEAD") + (changed ? " with changes" : "");
}
