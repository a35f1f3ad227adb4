import { basename } from "node:path";

/** A compiler version that knows every option of the template's tsconfig.json. */
const TYPESCRIPT = "^6.0.0";

/** Returns the package.json of a folder that is a package of its own. */
export function packageManifest(directory: string, version: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  // A package with the name of its own dependency cannot be installed.
  const own = name === "" || name === "seqqa" ? "qa" : name;
  return `${JSON.stringify({ name: own, private: true, type: "module", devDependencies: { seqqa: version, typescript: TYPESCRIPT } }, null, 2)}\n`;
}
