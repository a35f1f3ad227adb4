import { execFile } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { root } from "../support/e2e.ts";

/** The dependencies of the servers, too, are those of this day. */
const DAY = "2026-04-30";

/** Installs a package from the npm registry once, outside of the repository's own packages. Returns the folder. `compiled`: packages whose scripts are run. */
export async function install(name: string, version: string, compiled: readonly string[] = []): Promise<string> {
  const folder = join(root, "node_modules/.cache/seqqa-real", `${name}-${version}`);
  const done = join(folder, "installed");
  if (existsSync(done)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { [name]: version } }));
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", `--before=${DAY}`];
  await promisify(execFile)("npm", ["install", ...options], { cwd: folder });
  if (compiled.length > 0) await promisify(execFile)("npm", ["rebuild", ...compiled], { cwd: folder });
  writeFileSync(done, "");
  return folder;
}
