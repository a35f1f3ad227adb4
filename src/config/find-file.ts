import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const CONFIG_NAME = "seqqa.yaml";

/** The file that applies: in the given directory, then `./qa`, then the current folder and upwards. */
export function findFile(directory: string | undefined, cwd: string): string | undefined {
  const folders = [join(cwd, "qa"), ...upwards(cwd)];
  if (directory !== undefined) folders.unshift(resolve(cwd, directory));
  return folders.map((folder) => join(folder, CONFIG_NAME)).find((file) => existsSync(file) && !statSync(file).isDirectory());
}

function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
