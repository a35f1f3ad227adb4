import { resolve } from "node:path";
import { newFolder } from "./new-folder.ts";
import { surroundingsOf, type Surroundings } from "./surroundings.ts";
import { writeFiles } from "./write-files.ts";

export interface InitResult extends Surroundings {
  /** The paths of the written files, relative to the new folder. */
  readonly files: readonly string[];
}

/**
 * Writes a folder with an example: configuration, actions, invariants, journeys, an exploration, and an API to test.
 * @throws SeqqaError with exit status 2
 */
export function init(input: { readonly directory: string; readonly cwd: string; readonly version: string }): InitResult {
  const directory = resolve(input.cwd, input.directory);
  const surroundings = surroundingsOf(directory);
  const files = newFolder(directory, surroundings, input.version);
  writeFiles(directory, input.directory, files);
  return { ...surroundings, files: files.map(({ path }) => path) };
}

export { makeFolder, statOf } from "./make-folder.ts";
export { packageManifest } from "./package-manifest.ts";
export { schemaPath, surroundingsOf, type Surroundings } from "./surroundings.ts";
export { templateFiles } from "./template.ts";
