import type { ScaffoldFile } from "./scaffold-file.ts";

/** What init's folder has, too. `URL` and `import.meta.url`, by which the description is found, are in the library of browsers. */
export function smallFiles(templates: ReadonlyMap<string, string>): readonly ScaffoldFile[] {
  const plain = (path: string, text: string): ScaffoldFile => ({ path, text, isImported: false });
  return [
    plain("tsconfig.json", templates.get("tsconfig.json")!.replace('"lib": ["es2023"]', '"lib": ["es2023", "dom"]')),
    plain(".gitignore", templates.get(".gitignore")!),
  ];
}
