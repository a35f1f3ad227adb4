import { resolve } from "node:path";
import { SeqqaError } from "../model/errors.ts";
import { filesBelow } from "./files-below.ts";

/** Matches the names of exploration files. CommonJS files match too, so that they are rejected with an error instead of being ignored. */
const EXPLORATION = /\.explore\.(?:[cm]?ts|[cm]?js)$/;

/**
 * Returns the exploration files below a directory, as sorted absolute paths. `node_modules`, hidden folders and links to folders are not searched.
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
      missing ? `The folder ${root} does not exist.` : `seqqa cannot read the folder ${root}: ${(error as Error).message}.`,
      {
        exitStatus: 2,
        hint: "Name a folder that contains *.explore.ts files, for example: seqqa run qa.",
        cause: error,
      },
    );
  }
}
