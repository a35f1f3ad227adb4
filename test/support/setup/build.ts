import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKED_VARIABLE } from "../packed.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** What the package is built from. */
const SOURCES = ["src", "scripts/build.mjs", "scripts/build-report.mjs", "package.json", "tsconfig.json", "tsconfig.build.json"];
/** The last file that a build writes or touches. */
const BUILT = "dist/.built";
/** A build takes them away. */
const DECLARATIONS = "dist/index.d.ts";

/** Global set-up of the project `e2e`, whose tests run the built package: builds it where a source is newer. What is packed from it is shared by all files. */
export default function setUp(): () => void {
  const run = (script: string): unknown => execFileSync("npm", ["run", "--silent", script], { cwd: root, stdio: "inherit" });
  if (!isBuilt()) run("build");
  // Scaffolded folders are type-checked against them, and packages packed with them.
  if (!existsSync(join(root, DECLARATIONS))) run("build:types");
  const folder = mkdtempSync(join(tmpdir(), "seqqa-packed-"));
  process.env[PACKED_VARIABLE] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

function isBuilt(): boolean {
  const built = join(root, BUILT);
  return existsSync(built) && SOURCES.every((path) => newestIn(join(root, path)) < statSync(built).mtimeMs);
}

/** When a file, or a folder or anything in it, was changed last. A removed file changes its folder. */
function newestIn(path: string): number {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((newest, name) => Math.max(newest, newestIn(join(path, name))), stat.mtimeMs);
}
