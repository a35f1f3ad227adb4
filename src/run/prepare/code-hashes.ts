import { bundle } from "../../loader/index.ts";
import { withRunDirectory } from "./run-directory.ts";

/** Returns the hash of the code of each file, with all that it imports but packages. A file that cannot be bundled has none. */
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
