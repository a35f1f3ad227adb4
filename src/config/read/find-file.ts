import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { SeqqaError } from "../../model/errors.ts";

export const CONFIG_NAME = "seqqa.yaml";

/** Names by which it is called by mistake; read in silence by nobody. */
const OTHER_NAMES = ["seqqa.yml", "seqqa.json"];

/** The file that applies: in the given directory, then `./qa`, then the current folder and upwards. @throws SeqqaError `CONFIG_NAME` (2) where one has another name */
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
