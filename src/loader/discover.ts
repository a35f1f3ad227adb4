import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SeqqaError } from "../model/errors.ts";

const EXPLORATION = /\.explore\.(?:ts|mts|js|mjs)$/;

/** The exploration files below a directory, absolute and sorted; not in `node_modules` or hidden folders, and not through links. @throws SeqqaError `LOAD_NO_DIRECTORY` */
export async function discover(directory: string): Promise<readonly string[]> {
  const root = resolve(directory);
  const found: string[] = [];
  const visit = async (folder: string): Promise<void> => {
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith(".")) await visit(path);
      if (!entry.isDirectory() && EXPLORATION.test(entry.name)) found.push(path);
    }
  };
  try {
    await visit(root);
  } catch (error) {
    const missing = ["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "");
    throw new SeqqaError(
      "LOAD_NO_DIRECTORY",
      missing ? `There is no directory ${root}.` : `${root} cannot be read: ${(error as Error).message}.`,
      {
        exitStatus: 2,
        hint: "Name a directory with *.explore.ts files.",
        cause: error,
      },
    );
  }
  return found.sort((a, b) => (a < b ? -1 : 1));
}
