import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

export interface Surroundings {
  /** The nearest folder with a package.json: the new folder or one above it. */
  readonly packageFolder: string | undefined;
  /** The nearest folder (the new folder or one above it) whose node_modules contains seqqa. */
  readonly installedIn: string | undefined;
}

export function surroundingsOf(directory: string): Surroundings {
  const folders = upwards(directory);
  return {
    packageFolder: folders.find((folder) => existsSync(join(folder, "package.json"))),
    installedIn: folders.find((folder) => existsSync(join(folder, "node_modules/seqqa/package.json"))),
  };
}

/**
 * Returns the path to the JSON Schema for seqqa.yaml, relative to the new folder. The schema is in the package seqqa, which may not be installed yet.
 */
export function schemaPath(directory: string, { installedIn, packageFolder }: Surroundings): string {
  const way = relative(directory, join(installedIn ?? packageFolder ?? directory, "node_modules/seqqa/seqqa.schema.json"));
  const path = way.split(sep).join("/");
  return path.startsWith("../") ? path : `./${path}`;
}

function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
