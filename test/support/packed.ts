import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyFolder, root } from "./e2e.ts";

/**
 * Returns a folder outside of the repository with the package as it would be published: packed, and unpacked into node_modules. Its dependencies, and
 * the packages `more`, are links to those of the repository, because installing them compiles the SQLite driver for minutes.
 */
export function folderWithPacked(...more: readonly string[]): string {
  const folder = emptyFolder();
  const modules = join(folder, "node_modules");
  const own = join(modules, "seqqa");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  mkdirSync(own);
  must("tar", ["-xzf", packed(), "-C", own, "--strip-components=1"], folder);
  const { dependencies, bin } = JSON.parse(readFileSync(join(own, "package.json"), "utf8")) as {
    readonly dependencies: Readonly<Record<string, string>>;
    readonly bin: Readonly<Record<string, string>>;
  };
  for (const name of [...Object.keys(dependencies), ...more]) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(root, "node_modules", name), join(modules, name));
  }
  symlinkSync(join(own, bin["seqqa"]!), join(modules, ".bin/seqqa"));
  for (const name of more) {
    const program = join(root, "node_modules", name, "bin/tsc");
    if (existsSync(program)) symlinkSync(program, join(modules, ".bin/tsc"));
  }
  return folder;
}

/** The environment variable with the folder for the packed package. `setup/build.ts` sets it. */
export const PACKED_VARIABLE = "SEQQA_TEST_PACKED";

/**
 * Packs the package once for all test files of a run, and returns the file. `npm pack` runs without its scripts, because they would build again what
 * other tests are using.
 */
export function packed(): string {
  const folder = process.env[PACKED_VARIABLE]!;
  const there = (): string | undefined => readdirSync(folder).find((name) => name.endsWith(".tgz"));
  // The test files of a run are in several processes. The first process packs, and the others wait for the file.
  for (let waited = 0; ; waited++) {
    const name = there();
    if (name !== undefined) return join(folder, name);
    try {
      mkdirSync(join(folder, "packing"));
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST" || waited > 900) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
    }
  }
  const draft = join(folder, "packing");
  const said = must("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", draft], root);
  const { filename } = (JSON.parse(said) as readonly { readonly filename: string }[])[0]!;
  renameSync(join(draft, filename), join(folder, filename));
  return join(folder, filename);
}

function must(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, [...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${error?.message ?? stderr}`);
  return stdout;
}
