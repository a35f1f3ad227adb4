import { resolve } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { filesBelow } from "./files-below.ts";

/** CommonJS files are found, too, so that they can be refused. */
const EXPLORATION = /\.explore\.(?:[cm]?ts|[cm]?js)$/;

/**
 * Returns the exploration files below a directory, absolute and sorted; not in `node_modules` or hidden folders, and not through links.
 * @throws SeqqaError `LOAD_NO_DIRECTORY`
 */
export async function discover(directory: string): Promise<readonly string[]> {
  const root = resolve(directory);
  try {
    return await filesBelow(root, (name) => EXPLORATION.test(name));
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
}
