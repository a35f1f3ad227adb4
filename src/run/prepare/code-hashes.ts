import { bundle } from "../../loader/index.ts";
import { withRunDirectory } from "./run-directory.ts";

/** Returns a hash of the code for each file. A hash includes imported files, but not packages. Files that cannot be bundled are left out. */
export async function codeHashes(files: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  await withRunDirectory(async (outDir) => {
    for (const file of files) {
      const bundled = await bundle(file, { outDir }).catch(() => undefined);
      if (bundled !== undefined) hashes.set(file, bundled.hash);
    }
  });
  return hashes;
}
