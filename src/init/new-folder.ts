import { packageManifest } from "./package-manifest.ts";
import { schemaPath, type Surroundings } from "./surroundings.ts";
import { templateFiles, type TemplateFile } from "./template.ts";

const SCHEMA = "./node_modules/seqqa/seqqa.schema.json";

/** Returns the files that `seqqa init` writes. The files include a package.json if no folder above the new folder has a package.json. */
export function newFolder(directory: string, surroundings: Surroundings, version: string): readonly TemplateFile[] {
  const files = templateFiles().map(({ path, text }) => ({
    path,
    text: path === "seqqa.yaml" ? text.replace(SCHEMA, schemaPath(directory, surroundings)) : text,
  }));
  return surroundings.packageFolder === undefined ? [...files, { path: "package.json", text: packageManifest(directory, version) }] : files;
}
