import { esbuild } from "./esbuild.ts";
import { dirname, resolve, sep } from "node:path";
import { externalPackages } from "./external-packages.ts";

/**
 * Returns the absolute paths of a module and of all modules that it imports, without packages. Returns `undefined` if an import cannot be resolved or
 * read.
 */
export async function importedFiles(entry: string): Promise<readonly string[] | undefined> {
  const folder = dirname(entry);
  try {
    const { metafile } = await esbuild().build({
      entryPoints: [entry],
      absWorkingDir: folder,
      bundle: true,
      write: false,
      metafile: true,
      platform: "node",
      format: "esm",
      logLevel: "silent",
      conditions: [],
      mainFields: ["main"],
      plugins: [externalPackages()],
    });
    const files = Object.keys(metafile.inputs).map((input) => resolve(folder, input));
    return files.filter((file) => !file.split(sep).includes("node_modules"));
  } catch {
    // The module has a syntax error, or imports a file of a kind that esbuild does not know.
    return undefined;
  }
}
