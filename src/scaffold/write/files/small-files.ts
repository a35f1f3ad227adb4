import type { ScaffoldFile } from "./scaffold-file.ts";

/** Returns the files that `seqqa init` writes as well, such as tsconfig.json. It gets the library `dom`, because generated code uses `URL`. */
export function smallFiles(templates: ReadonlyMap<string, string>): readonly ScaffoldFile[] {
  const plain = (path: string, text: string): ScaffoldFile => ({ path, text, isImported: false });
  return [
    plain("tsconfig.json", templates.get("tsconfig.json")!.replace('"lib": ["es2023"]', '"lib": ["es2023", "dom"]')),
    plain(".gitignore", templates.get(".gitignore")!),
  ];
}
