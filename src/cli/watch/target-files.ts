import { existsSync, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import type { Config } from "../../config/index.ts";
import type { Machinery } from "../run/machinery.ts";
import { filesOfCommand } from "./watched-files.ts";

/** The modules that a target imports, or the reason why they are unknown. */
export type TargetFiles = { readonly files: ReadonlySet<string> } | { readonly unknown: string };

/** The programs that run only the module that their command line names. Other programs, such as `next`, find modules on their own. */
const RUNNERS: ReadonlySet<string> = new Set(["node", "tsx", "ts-node", "ts-node-dev", "nodemon", "bun"]);
const MODULES: ReadonlySet<string> = new Set([".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"]);
/**
 * Matches code that may load a module whose name is not in the code, such as `import(name)`, and code that runs a module in another thread or process.
 */
const COMPUTED = /(?<![.\w])(?:import|require)\s*\((?!\s*(?:"[^"]*"|'[^']*'|`[^`$]*`)\s*[,)])|\b(?:Worker|Piscina|fork)\s*\(/;

/**
 * Returns the modules that the target imports. They are known only if the configuration names the target's module, or a command that runs one module
 * with Node or a similar program, and if this module imports no module by a computed name.
 */
export async function targetFiles({ target }: Pick<Config, "target">, importedFiles: Machinery["importedFiles"]): Promise<TargetFiles> {
  if (target === undefined) return { files: new Set() };
  const command = target.command === undefined ? "" : scriptOf(target.command, target.cwd);
  const unknown = (why: string): TargetFiles => ({ unknown: why });
  if (target.module === undefined && !isOneModule(command))
    return unknown(`seqqa cannot see which modules the command ${JSON.stringify(target.command)} runs`);
  const entries = [
    ...(target.module === undefined ? [] : [target.module]),
    ...filesOfCommand(`${command} ${target.env["NODE_OPTIONS"] ?? ""}`, target.cwd).filter((file) => MODULES.has(extname(file))),
  ];
  if (entries.length === 0) return unknown(`seqqa cannot see which modules the command ${JSON.stringify(target.command)} runs`);
  const files = new Set<string>();
  for (const entry of entries) {
    const imported = await importedFiles(entry);
    if (imported === undefined) return unknown(`seqqa cannot read all modules that ${basename(entry)} imports`);
    for (const file of imported) files.add(file);
  }
  const computing = [...files].find((file) => MODULES.has(extname(file)) && COMPUTED.test(readFileSync(file, "utf8")));
  return computing === undefined ? { files } : unknown(`${basename(computing)} of the target may load modules whose names are computed`);
}

/** For a command such as `npm run dev`, returns the shell command of the script `dev` in package.json. Returns other commands unchanged. */
function scriptOf(command: string, cwd: string): string {
  const [, name] = /^(?:npm|pnpm|yarn|bun)(?: run)? ([\w:-]+)$/.exec(command.trim()) ?? [];
  const manifest = join(cwd, "package.json");
  if (name === undefined || !existsSync(manifest)) return command;
  try {
    const { scripts = {} } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly scripts?: Readonly<Record<string, unknown>> };
    // Return the command unchanged if there is a script `pre...`, because that script may build the target from any files.
    return typeof scripts[name] === "string" && scripts[`pre${name}`] === undefined ? scripts[name] : command;
  } catch {
    // The manifest is no JSON. npm reports this error.
    return command;
  }
}

/** Returns `true` for a single shell command that runs a module with one of the {@link RUNNERS}. */
function isOneModule(command: string): boolean {
  if (/[;&|\n`]|\$\(/.test(command)) return false;
  const [program = ""] = command
    .trim()
    .replace(/^(?:\w+=\S*\s+)*(?:exec\s+)?(?:npx\s+)?/, "")
    .split(/\s/);
  return RUNNERS.has(basename(program));
}
