import type { ScaffoldFile } from "./scaffold-file.ts";

/**
 * Returns the files that `seqqa init` writes as well. The library `dom` is added to tsconfig.json, because generated code uses `URL` and
 * `import.meta.url`.
 */
export function smallFiles(templates: ReadonlyMap<string, string>): readonly ScaffoldFile[] {
  const plain = (path: string, text: string): ScaffoldFile => ({ path, text, isImported: false });
  return [
    plain("tsconfig.json", templates.get("tsconfig.json")!.replace('"lib": ["es2023"]', '"lib": ["es2023", "dom"]')),
    plain(".gitignore", templates.get(".gitignore")!),
  ];
}
