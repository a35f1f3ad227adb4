import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

export interface Surroundings {
  /** The nearest folder with a package.json, the new one included. */
  readonly packageFolder: string | undefined;
  /** The nearest folder that has seqqa in its node_modules: `import "seqqa"` and `npx seqqa` resolve there. */
  readonly installedIn: string | undefined;
}

/** Returns the parts of the environment that decide how a new folder uses seqqa. */
export function surroundingsOf(directory: string): Surroundings {
  const folders = upwards(directory);
  return {
    packageFolder: folders.find((folder) => existsSync(join(folder, "package.json"))),
    installedIn: folders.find((folder) => existsSync(join(folder, "node_modules/seqqa/package.json"))),
  };
}

/** Returns the path from a folder to the schema of its seqqa.yaml: where seqqa is installed, else where it will be. */
export function schemaPath(directory: string, { installedIn, packageFolder }: Surroundings): string {
  const way = relative(directory, join(installedIn ?? packageFolder ?? directory, "node_modules/seqqa/seqqa.schema.json"));
  const path = way.split(sep).join("/");
  return path.startsWith("../") ? path : `./${path}`;
}

function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
