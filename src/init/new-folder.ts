import { basename } from "node:path";
import { schemaPath, type Surroundings } from "./surroundings.ts";
import { templateFiles, type TemplateFile } from "./template.ts";

const SCHEMA = "./node_modules/seqqa/seqqa.schema.json";
/** A compiler that knows every option of the template's tsconfig.json. */
const TYPESCRIPT = "^6.0.0";

/** The files of a new folder. It gets a package.json only when there is none in reach: then it is a package of its own. */
export function newFolder(directory: string, surroundings: Surroundings, version: string): readonly TemplateFile[] {
  const files = templateFiles().map(({ path, text }) => ({
    path,
    text: path === "seqqa.yaml" ? text.replace(SCHEMA, schemaPath(directory, surroundings)) : text,
  }));
  return surroundings.packageFolder === undefined ? [...files, { path: "package.json", text: manifest(directory, version) }] : files;
}

function manifest(directory: string, version: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  // A package of the name of its own dependency cannot be installed.
  const own = name === "" || name === "seqqa" ? "qa" : name;
  return `${JSON.stringify({ name: own, private: true, type: "module", devDependencies: { seqqa: version, typescript: TYPESCRIPT } }, null, 2)}\n`;
}
