import { readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the files below a folder for whose names `wanted` returns `true`, as sorted absolute paths. `node_modules`, hidden folders and links to
 * folders are not searched.
 */
export async function filesBelow(root: string, wanted: (name: string) => boolean): Promise<readonly string[]> {
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) await visit(path);
      if (!entry.isDirectory() && wanted(entry.name)) found.push(path);
    }
  };
  await visit(root);
  return found.sort((a, b) => (a < b ? -1 : 1));
}
