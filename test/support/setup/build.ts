import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKED_VARIABLE } from "../packed.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** The files and folders from which the package is built. */
const SOURCES = ["src", "scripts/build.mjs", "scripts/build-report.mjs", "package.json", "tsconfig.json", "tsconfig.build.json"];
/** The last file that a build writes or touches. */
const BUILT = "dist/.built";
/** A file of the declarations, which each build removes. */
const DECLARATIONS = "dist/index.d.ts";

/**
 * Global set-up of the project `e2e`, whose tests run the built package. Builds the package if a source is newer than the build, and creates the
 * folder in which all files share the packed package.
 */
export default function setUp(): () => void {
  const run = (script: string): unknown => execFileSync("npm", ["run", "--silent", script], { cwd: root, stdio: "inherit" });
  if (!isBuilt()) run("build");
  // The declarations are needed for type-checking scaffolded folders, and are part of the packed package.
  if (!existsSync(join(root, DECLARATIONS))) run("build:types");
  const folder = mkdtempSync(join(tmpdir(), "seqqa-packed-"));
  process.env[PACKED_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function isBuilt(): boolean {
  const built = join(root, BUILT);
  return existsSync(built) && SOURCES.every((path) => newestIn(join(root, path)) < statSync(built).mtimeMs);
}

/** Returns the time of the last change of a file, or of a folder and everything in it. Removing a file changes the time of its folder. */
function newestIn(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), stat.mtimeMs);
}
