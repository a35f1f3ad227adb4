import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

export interface Surroundings {
  /** The nearest folder with a package.json: the new folder or one above it. */
  readonly packageFolder: string | undefined;
  /** The nearest folder with seqqa in its node_modules. `import "seqqa"` and `npx seqqa` resolve there. */
  readonly installedIn: string | undefined;
}

export function surroundingsOf(directory: string): Surroundings {
  const folders = upwards(directory);
  return {
    packageFolder: folders.find((folder) => existsSync(join(folder, "package.json"))),
    installedIn: folders.find((folder) => existsSync(join(folder, "node_modules/seqqa/package.json"))),
  };
}

/** Returns the relative path to the schema for seqqa.yaml: in the folder where seqqa is installed, or where it will be installed. */
export function schemaPath(directory: string, { installedIn, packageFolder }: Surroundings): string {
  const way = relative(directory, join(installedIn ?? packageFolder ?? directory, "node_modules/seqqa/seqqa.schema.json"));
  const path = way.split(sep).join("/");
  return path.startsWith("../") ? path : `./${path}`;
}

function upwards(folder: string): readonly string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...upwards(parent)];
}
