import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SeqqaError } from "../../model/errors.ts";

export const CONFIG_NAME = "seqqa.yaml";

/** Names that people give the file by mistake. A folder that has such a file and no `seqqa.yaml` is refused. */
const OTHER_NAMES = ["seqqa.yml", "seqqa.json"];

/**
 * Returns the configuration file: from the given directory, else from `./qa`, else from the current folder or the nearest one above it.
 * @throws SeqqaError `CONFIG_NAME` (2) if a file there has one of the other names.
 */
export function findFile(directory: string | undefined, cwd: string): string | undefined {
  const folders = [join(cwd, "qa"), ...upwards(cwd)];
  if (directory !== undefined) folders.unshift(resolve(cwd, directory));
  const isFile = (file: string): boolean => existsSync(file) && !statSync(file).isDirectory();
  for (const folder of folders) {
    if (isFile(join(folder, CONFIG_NAME))) return join(folder, CONFIG_NAME);
    const other = OTHER_NAMES.map((name) => join(folder, name)).find(isFile);
    if (other !== undefined) {
      throw new SeqqaError("CONFIG_NAME", `${other} is not read: a configuration is called ${CONFIG_NAME}.`, {
        exitStatus: 2,
        hint: `Rename it to ${CONFIG_NAME}.`,
      });
    }
  }
  return undefined;
}

function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
