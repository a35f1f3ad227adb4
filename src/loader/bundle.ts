import type { BuildFailure, BuildResult, Metafile } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, extname, join, resolve, isAbsolute, relative, sep } from "node:path";
import { pathToFileURL, fileURLToPath } from "node:url";
import { SeqqaError } from "../model/errors.ts";
import { esbuild } from "./esbuild.ts";
import { isBuildFailure, syntaxError } from "./load-errors.ts";
import { shownPath } from "./shown-path.ts";
import { stringLiterals } from "./string-literals.ts";
import { refuseMetadata } from "./decorator-metadata.ts";
import { externalPackages } from "./external-packages.ts";
import { ownMeta } from "./own-meta.ts";
import { NO_TEST, testGlobals, testRunners } from "./test-runners.ts";
import { isOwn, ownPath } from "./own-package.ts";

const NAMESPACE = /^[\w-]{2,}:(.*)$/;

/** The end of the file names of bundles. Stack frames in such files are mapped to the user's code. The source map is in the same folder. */
export const BUNDLE_SUFFIX = ".seqqa.mjs";

/** A module of the user in one file with all modules of the user that it imports. Any thread can import the file. */
export interface Bundle {
  readonly file: string;
  readonly source: string;
  /**
   * The distinct strings of at least 8 characters in the user's code and JSON. An id that equals one of them is a constant, not a generated value.
   */
  readonly literals: readonly string[];
  /** The SHA-256 hash of the bundled code. The hash is the same in every folder into which the code is checked out. */
  readonly hash: string;
  /** The absolute paths of the user's files that are in the bundle, the module itself included. Files of packages are left out. */
  readonly inputs: readonly string[];
}

const MIN_LITERAL_LENGTH = 8;

/** Starts the process of esbuild, so that it is ready when {@link bundle} needs it. Failures are ignored, because `bundle` reports them. */
export function startBundler(): void {
  void esbuild()
    .transform("")
    .catch(() => undefined);
}

/**
 * Bundles a module of the user into `outDir`. Packages in `node_modules` are not bundled but imported by absolute path, so CommonJS and native
 * packages work. Imports of `seqqa` use the running copy of seqqa.
 * @throws SeqqaError `LOAD_MISSING`, `LOAD_SYNTAX` (also for an import that cannot be resolved), `LOAD_METADATA`, exit status 2
 */
export async function bundle(entry: string, options: { readonly outDir: string }): Promise<Bundle> {
  const source = resolve(entry);
  if (!existsSync(source)) {
    throw new SeqqaError("LOAD_MISSING", `The file ${source} does not exist.`, { exitStatus: 2, hint: "Correct the path of the file." });
  }
  const built = await buildOnce(source, resolve(options.outDir));
  const code = built.outputFiles.find(({ path }) => path.endsWith(BUNDLE_SUFFIX));
  if (code === undefined) throw new Error(`esbuild returned no code for ${source}.`);
  refuseCommonJs(source, built.metafile);
  await refuseMetadata(dirname(source), built.metafile);
  await mkdir(dirname(code.path), { recursive: true });
  for (const { path, contents } of built.outputFiles) {
    // The bundle is written under another name and then renamed, because another run may import the same file at this moment.
    const draft = `${path}.${process.pid}.tmp`;
    await writeFile(draft, contents);
    await rename(draft, path);
  }
  return {
    file: code.path,
    source,
    literals: stringLiterals(code.text, MIN_LITERAL_LENGTH),
    hash: codeHash(code.text, source, built.metafile),
    inputs: Object.keys(built.metafile.inputs)
      .filter((input) => !NAMESPACE.test(input))
      .map((input) => resolve(dirname(source), input))
      .filter((file) => !file.split(sep).includes("node_modules")),
  };
}

/**
 * Throws an error if an exploration is a CommonJS module, because its `require("seqqa")` would load a second copy of seqqa, or fail.
 * @throws SeqqaError `LOAD_COMMONJS` (2)
 */
function refuseCommonJs(
  source: string,
  { inputs }: { readonly inputs: Readonly<Record<string, { readonly format?: "cjs" | "esm" }>> },
): void {
  if (inputs[basename(source)]?.format !== "cjs") return;
  throw new SeqqaError("LOAD_COMMONJS", `${shownPath(source)} is a CommonJS module, but seqqa reads only ES modules.`, {
    exitStatus: 2,
    hint: 'Replace require and module.exports by `import { Agent } from "seqqa"` and `export const agent = ...`.',
  });
}

async function buildOnce(source: string, outDir: string): Promise<BuildResult<{ write: false; metafile: true }>> {
  try {
    return await esbuild().build({
      entryPoints: [{ in: source, out: basename(source, extname(source)) }],
      // esbuild writes paths relative to this folder into comments of the bundle. These paths must not depend on the current folder.
      absWorkingDir: dirname(source),
      outdir: join(outDir, createHash("sha256").update(source).digest("hex").slice(0, 12)),
      entryNames: `[name]-[hash]${BUNDLE_SUFFIX.slice(0, -".mjs".length)}`,
      outExtension: { ".js": ".mjs" },
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      target: "node20",
      charset: "utf8",
      sourcemap: "linked",
      sourcesContent: false,
      logLevel: "silent",
      // Only Node's own export conditions are used, because Node itself loads the packages that are not bundled.
      conditions: [],
      mainFields: ["main"],
      // The banner defines `require` for CommonJS code of the user and for CommonJS packages, because ES modules have no `require`.
      banner: { js: `${requireBanner(source)} ${NO_TEST}` },
      define: { ...testGlobals, "import.meta": "__seqqa_meta", __dirname: "__seqqa_meta.dirname", __filename: "__seqqa_meta.filename" },
      plugins: [testRunners(), externalPackages(), ownMeta()],
    });
  } catch (error) {
    throw isBuildFailure(error) ? syntaxError(error as BuildFailure, source) : error;
  }
}

function requireBanner(source: string): string {
  return (
    `import { createRequire as __seqqa_createRequire } from "node:module";` +
    ` const require = __seqqa_createRequire(${JSON.stringify(pathToFileURL(source).href)});`
  );
}

/**
 * Returns the SHA-256 hash of bundled code. To make it the same in every folder, absolute paths in the code are replaced by paths relative to the
 * entry file, or by paths within seqqa.
 */
function codeHash(code: string, source: string, { inputs, outputs }: Metafile): string {
  const named = [
    source,
    ...Object.keys(inputs).flatMap((input) => placesOf(NAMESPACE.exec(input)?.[1] ?? resolve(dirname(source), input))),
    ...Object.values(outputs).flatMap(({ imports }) => imports.flatMap(({ path }) => placesOf(path))),
  ];
  // Replace longer paths first, because a shorter path may be the beginning of a longer one.
  const files = [...new Set(named)].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
  // Remove the comment with the name of the source map, because the name contains a hash that depends on the folder.
  let text = code.replace(/^\/\/# sourceMappingURL=.*$/m, "");
  for (const file of files) {
    const shown = isOwn(file) ? `seqqa:${ownPath(file)}` : `from:${relative(dirname(source), file)}`;
    const written = JSON.stringify(shown.split(sep).join("/")).slice(1, -1);
    for (const form of [pathToFileURL(file).href, JSON.stringify(file).slice(1, -1)]) text = text.replaceAll(`"${form}"`, `"${written}"`);
    text = text.replaceAll(`seqqa-meta:${file}`, written).replaceAll(`seqqa-commonjs:${file}`, written);
  }
  return createHash("sha256").update(text).digest("hex");
}

/** Returns the paths of a file and of its folder. Both occur in the bundle, because `import.meta.dirname` becomes the path of the folder. */
function placesOf(path: string): readonly string[] {
  const file = path.startsWith("file:") ? fileURLToPath(path) : path;
  return isAbsolute(file) ? [resolve(file), dirname(resolve(file))] : [];
}
