import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { emptyFolder, root } from "./e2e.ts";

/**
 * A folder outside of the repository in which the package lies as it would be published: packed, and unpacked into node_modules. Its
 * dependencies are those of the repository, since installing them compiles the SQLite driver for minutes; so are `more` packages.
 */
export function folderWithPacked(...more: readonly string[]): string {
  const folder = emptyFolder();
  const modules = join(folder, "node_modules");
  const own = join(modules, "seqqa");
  mkdirSync(join(modules, ".bin"), { recursive: true });
  mkdirSync(own);
  const tarball = pack(folder);
  must("tar", ["-xzf", tarball, "-C", own, "--strip-components=1"], folder);
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

/** `npm pack` without its scripts: the tests run after a build. */
function pack(folder: string): string {
  const said = must("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], root);
  return join(folder, (JSON.parse(said) as readonly { readonly filename: string }[])[0]!.filename);
}

function must(command: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(command, [...args], { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${error?.message ?? stderr}`);
  return stdout;
}
