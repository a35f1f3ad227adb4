import type { ScaffoldFile } from "./scaffold-file.ts";

/** Returns the files that `init` writes, too. `URL` and `import.meta.url`, which locate the description, are in the library of browsers. */
export function smallFiles(templates: ReadonlyMap<string, string>): readonly ScaffoldFile[] {
  const plain = (path: string, text: string): ScaffoldFile => ({ path, text, isImported: false });
  return [
    plain("tsconfig.json", templates.get("tsconfig.json")!.replace('"lib": ["es2023"]', '"lib": ["es2023", "dom"]')),
    plain(".gitignore", templates.get(".gitignore")!),
  ];
}
