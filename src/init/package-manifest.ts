import { basename } from "node:path";

/** The range of TypeScript versions in the new package.json. All of them support every option in the template's tsconfig.json. */
const TYPESCRIPT = "^6.0.0";

export function packageManifest(directory: string, version: string): string {
  const name = basename(directory)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  // Choose another name than `seqqa`, because npm refuses to install a dependency into a package of the same name.
  const own = name === "" || name === "seqqa" ? "qa" : name;
  return `${JSON.stringify({ name: own, private: true, type: "module", devDependencies: { seqqa: version, typescript: TYPESCRIPT } }, null, 2)}\n`;
}
