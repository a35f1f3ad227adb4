import type { ScaffoldFile } from "./scaffold-file.ts";

/** Returns tsconfig.json and .gitignore, as `seqqa init` writes them. tsconfig.json also gets the library `dom`, because generated code uses `URL`. */
export function smallFiles(templates: ReadonlyMap<string, string>): readonly ScaffoldFile[] {
  const plain = (path: string, text: string): ScaffoldFile => ({ path, text, isImported: false });
  return [
    plain("tsconfig.json", templates.get("tsconfig.json")!.replace('"lib": ["es2023"]', '"lib": ["es2023", "dom"]')),
    plain(".gitignore", templates.get(".gitignore")!),
  ];
}
