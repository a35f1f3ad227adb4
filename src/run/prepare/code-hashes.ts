import { bundle, type Bundle } from "../../loader/index.ts";
import { withRunDirectory } from "./run-directory.ts";

/**
 * Returns a hash of the code for each file, and the files from which the code comes. A hash includes imported files, but not packages. Files that
 * cannot be bundled are left out.
 */
export async function codeHashes(files: readonly string[]): Promise<ReadonlyMap<string, Pick<Bundle, "hash" | "inputs">>> {
  const hashes = new Map<string, Pick<Bundle, "hash" | "inputs">>();
  await withRunDirectory(async (outDir) => {
    for (const file of files) {
      const bundled = await bundle(file, { outDir }).catch(() => undefined);
      if (bundled !== undefined) hashes.set(file, { hash: bundled.hash, inputs: bundled.inputs });
    }
  });
  return hashes;
}
