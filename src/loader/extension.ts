import { esbuild } from "./esbuild.ts";
import { existsSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { pathToFileURL } from "node:url";
import { defaultOf } from "../model/default-of.ts";
import { SeqqaError } from "../model/errors.ts";
import { bundle } from "./bundle.ts";
import { load } from "./load.ts";

export interface ExtensionPlace {
  /** The name as the user wrote it: a path that begins with `.` or `/`, or the name of a package. */
  readonly name: string;
  /** The flag or configuration key that names the module, for messages. For example `--reporter`. */
  readonly key: string;
  /** The folder from which paths and packages are resolved. */
  readonly folder: string;
  readonly outDir: string;
}

export interface Extension {
  /** The file URL of the module or its bundle. Other threads import the module by this URL. */
  readonly url: string;
  readonly value: unknown;
}

function isExtensionPath(name: string): boolean {
  return /^\.{0,2}[\\/]/.test(name) || /^[a-z]:[\\/]/i.test(name);
}

/**
 * Imports a module of the user that a flag or the configuration names. A file is bundled first, so it may be TypeScript. A package in `node_modules`
 * is imported directly.
 * @throws SeqqaError `EXTENSION_MISSING`, `EXTENSION_INVALID` without a default export, and errors of loading, exit status 2
 */
export async function loadExtension(place: ExtensionPlace): Promise<Extension> {
  const { name, key } = place;
  const source = await fileOf(place);
  const isPackage = source.split(sep).includes("node_modules");
  const file = isPackage ? source : (await bundle(source, { outDir: place.outDir })).file;
  const value = defaultOf(await load({ file }));
  if (value === undefined) {
    throw new SeqqaError("EXTENSION_INVALID", `The module ${name}, which ${key} names, has no default export.`, {
      exitStatus: 2,
      hint: "Write `export default` before the function or object that the module exports.",
    });
  }
  return { url: pathToFileURL(file).href, value };
}

async function fileOf({ name, key, folder }: ExtensionPlace): Promise<string> {
  if (isExtensionPath(name)) {
    const file = resolve(folder, name);
    if (existsSync(file)) return file;
    throw new SeqqaError("EXTENSION_MISSING", `${key} names the file ${file}, which does not exist.`, {
      exitStatus: 2,
      hint: `Correct the path in ${key}.`,
    });
  }
  const found = isInstalled(name, folder) ? await packageFile(name, folder) : undefined;
  if (found !== undefined) return found;
  throw new SeqqaError("EXTENSION_MISSING", `${key} names the package ${JSON.stringify(name)}, which is not installed for ${folder}.`, {
    exitStatus: 2,
    hint: `Install the package (npm install ${name}). To name a file instead, begin the path with ./`,
  });
}

function isInstalled(name: string, folder: string): boolean {
  const [own] = /^(?:@[^/]+\/)?[^/]+/.exec(name) ?? [];
  if (own === undefined) return false;
  for (let above = resolve(folder); ; above = dirname(above)) {
    if (existsSync(join(above, "node_modules", own))) return true;
    if (above === dirname(above)) return false;
  }
}

/** Returns the file that Node would load for an import of a package. Returns `undefined` if the import cannot be resolved. */
async function packageFile(name: string, folder: string): Promise<string | undefined> {
  let file: string | undefined;
  await esbuild().build({
    stdin: { contents: "", resolveDir: folder },
    write: false,
    platform: "node",
    format: "esm",
    // Only Node's own export conditions are used, because Node itself loads the package.
    conditions: [],
    mainFields: ["main"],
    logLevel: "silent",
    plugins: [
      {
        name: "seqqa-find-package",
        setup(asked) {
          asked.onStart(async () => {
            const { path, errors } = await asked.resolve(name, { kind: "import-statement", resolveDir: folder });
            if (errors.length === 0) file = path;
          });
        },
      },
    ],
  });
  return file;
}
